//! Members that a path names but does not reach, and that sealing must not leave as plaintext. They
//! are one of two members with the same name, since parsers differ in the one that they use, and
//! members of objects in a list if the path has no `[]`.

use super::{
    Node,
    locate::{containers, step},
    same_key,
};
use crate::{
    FieldPath, Segment,
    rules::{Rule, Selector},
};

/// The maximum depth to which nested lists are searched, since each level reads all of them again.
const MAX_DEPTH: usize = 8;

/// The reason why a rule does not reach all fields that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// An object has two members with a name of the path to a field.
    RepeatedName,
    /// There is a list where a path names a member, and an object in the list has that member.
    InList,
}

/// Returns the reason, if any, why a rule does not reach all fields that it names. The record must
/// be valid JSON.
pub fn missed(record: &[u8], rules: &[Rule]) -> Option<Missed> {
    let repeated = |is_repeated: bool| is_repeated.then_some(Missed::RepeatedName);
    rules.iter().find_map(|rule| match &rule.find {
        Selector::Field(FieldPath(path)) => descend(record, path).err(),
        Selector::Pair(FieldPath(path), key) => match descend(record, path) {
            Ok(arrays) => repeated(arrays.iter().any(|array| has_pairs(array, key))),
            Err(reason) => Some(reason),
        },
        Selector::Anywhere(name) => {
            repeated(containers(record, name).is_ok_and(|mut nodes| {
                nodes.any(|node| has(&node, name) || has_pairs(&node, name))
            }))
        }
    })
}

/// Returns the values that a path reaches.
fn descend<'a>(record: &'a [u8], path: &[Segment]) -> Result<Vec<Node<'a>>, Missed> {
    let mut nodes = vec![Node::root(record)];
    for segment in path {
        if let Some(name) = segment.name() {
            if nodes.iter().any(|node| has(node, name)) {
                return Err(Missed::RepeatedName);
            }
            let is_number = name.parse::<usize>().is_ok();
            if !is_number && nodes.iter().any(|node| holds(node, name, MAX_DEPTH)) {
                return Err(Missed::InList);
            }
        }
        nodes = nodes.iter().flat_map(|node| step(node, segment)).collect();
    }
    Ok(nodes)
}

/// Reports whether a list, or a list nested in it, contains an object with this member. For lists
/// beyond the maximum depth the result is `true`.
fn holds(list: &Node<'_>, name: &str, depth: usize) -> bool {
    let is_in = |item: &Node<'_>| {
        let is_deep = || item.is_array() && (depth == 0 || holds(item, name, depth - 1));
        item.member(name).is_some() || is_deep()
    };
    list.is_array() && list.children().any(|child| is_in(&child.value))
}

/// Reports whether an object has two members of this name.
fn has(node: &Node<'_>, name: &str) -> bool {
    let is = |key: &[u8]| node.is_object() && same_key(key, name);
    let members = node.children();
    members
        .filter(|child| is(&node.bytes[child.key.clone()]))
        .nth(1)
        .is_some()
}

/// Reports whether an array has two pairs of this key, or a pair whose key or value is repeated.
fn has_pairs(array: &Node<'_>, key: &str) -> bool {
    let is = |node: &Node<'_>| {
        let member = node.member("key");
        member.is_some_and(|member| same_key(member.value.raw(), key))
    };
    let pairs = || array.children().filter(|_| array.is_array());
    pairs().filter(|child| is(&child.value)).nth(1).is_some()
        || pairs().any(|child| has(&child.value, "key") || has(&child.value, "value"))
}
