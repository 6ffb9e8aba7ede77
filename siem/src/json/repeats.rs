//! Names that occur twice in an object. Parsers differ in which member they take; the last one is
//! found here, and what seals must not leave the other one in the clear.

use super::{
    Node,
    locate::{containers, step},
    same_key,
};
use crate::{
    path::{FieldPath, Segment},
    rules::{Rule, Selector},
};

/// Whether an object of the record has two members of the name that leads to a field, or is one.
/// The record is valid JSON.
pub(crate) fn repeats(record: &[u8], rules: &[Rule]) -> bool {
    let root = || vec![Node::root(record)];
    rules.iter().any(|rule| match &rule.find {
        Selector::Field(FieldPath(path)) => descend(root(), path).is_none(),
        Selector::Pair(FieldPath(path), key) => match descend(root(), path) {
            Some(arrays) => arrays.iter().any(|array| has_pairs(array, key)),
            None => true,
        },
        Selector::Anywhere(name) => containers(record, name)
            .is_ok_and(|mut nodes| nodes.any(|node| has(&node, name) || has_pairs(&node, name))),
    })
}

/// Where a path leads; `None` if a name on it is repeated.
fn descend<'a>(mut nodes: Vec<Node<'a>>, path: &[Segment]) -> Option<Vec<Node<'a>>> {
    for segment in path {
        let is_repeated = |node: &Node<'_>| segment.name().is_some_and(|name| has(node, name));
        if nodes.iter().any(is_repeated) {
            return None;
        }
        nodes = nodes.iter().flat_map(|node| step(node, segment)).collect();
    }
    Some(nodes)
}

/// Whether an object has two members of this name.
fn has(node: &Node<'_>, name: &str) -> bool {
    let is = |key: &[u8]| node.is_object() && same_key(key, name);
    let members = node.children();
    members
        .filter(|child| is(&node.bytes[child.key.clone()]))
        .nth(1)
        .is_some()
}

/// Whether an array has two pairs of this key, or one whose key or value is repeated.
fn has_pairs(array: &Node<'_>, key: &str) -> bool {
    let is = |node: &Node<'_>| {
        let member = node.member("key");
        member.is_some_and(|member| same_key(member.value.raw(), key))
    };
    let pairs = || array.children().filter(|_| array.is_array());
    pairs().filter(|child| is(&child.value)).nth(1).is_some()
        || pairs().any(|child| has(&child.value, "key") || has(&child.value, "value"))
}
