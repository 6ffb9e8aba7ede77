//! Members that a path names but does not reach, and that sealing must not leave as plaintext: one
//! of two members with the same name, since parsers differ in which one they use; members of
//! objects in a list, if the path has no `[]`; members of JSON inside strings that is damaged or
//! too deep to enter.

use alloc::vec;
use core::ops::Range;

use super::{
    Bad, MAX_STRINGS, Missed, Node,
    containers::{self, Container, Names, Visit},
    inside::{self, Inside, look},
    locate::step,
    node::Child,
    same_key,
};
use crate::{
    FieldPath, Segment,
    rules::{Rule, Selector},
};

/// The maximum depth to which nested lists are searched, since each level reads all of them again.
const MAX_DEPTH: usize = 8;

/// Returns the reason, if any, why a rule does not reach all fields that it names. The record must
/// be valid JSON.
pub fn missed(record: &[u8], rules: &[Rule]) -> Option<Missed> {
    rules.iter().find_map(|rule| match &rule.find {
        Selector::Field(FieldPath(path)) => reach(record, path, MAX_STRINGS, None),
        Selector::Pair(FieldPath(path), key) => reach(record, path, MAX_STRINGS, Some(key)),
        Selector::Anywhere(name) => anywhere(record, name, MAX_STRINGS),
        Selector::Otlp(_) => Some(Missed::NotOtlp),
    })
}

/// Follows a path to a field, or to the arrays with a pair of this key.
fn reach(text: &[u8], path: &[Segment], strings: u8, key: Option<&str>) -> Option<Missed> {
    let mut nodes = vec![Node::root(text)];
    for at in 0..=path.len() {
        let segment = path.get(at);
        if segment.is_some() || key.is_some() {
            let mut inside = nodes.iter().filter(|node| node.is_string());
            let missed = inside.find_map(|node| in_string(node.raw(), &path[at..], strings, key));
            if missed.is_some() {
                return missed;
            }
        }
        let Some(segment) = segment else { break };
        if let Some(name) = segment.name() {
            if nodes.iter().any(|node| has(node, name)) {
                return Some(Missed::RepeatedName);
            }
            let is_number = name.parse::<usize>().is_ok();
            if !is_number && nodes.iter().any(|node| holds(node, name, MAX_DEPTH)) {
                return Some(Missed::InList);
            }
        }
        nodes = nodes.iter().flat_map(|node| step(node, segment)).collect();
    }
    let is_repeated = key.is_some_and(|key| nodes.iter().any(|array| has_pairs(array, key)));
    is_repeated.then_some(Missed::RepeatedName)
}

/// Follows the rest of a path within a string.
fn in_string(string: &[u8], path: &[Segment], strings: u8, key: Option<&str>) -> Option<Missed> {
    let name = key.or_else(|| path.iter().rev().find_map(Segment::name));
    match look(string) {
        Inside::Json(text) if strings > 0 => reach(&text, path, strings - 1, key),
        Inside::Other => None,
        _ if name.is_some_and(|name| !inside::may_name(string, name)) => None,
        Inside::Json(_) => Some(Missed::TooDeep),
        Inside::Damaged => Some(Missed::DamagedString),
    }
}

/// Reports whether a list, or a list nested in it, contains an object with this member, also as
/// JSON inside a string. For lists beyond the maximum depth the result is `true`.
fn holds(list: &Node<'_>, name: &str, depth: usize) -> bool {
    list.is_array()
        && list.children().any(|Child { value: item, .. }| {
            item.member(name).is_some()
                || item.is_array() && (depth == 0 || holds(&item, name, depth - 1))
                || inside::may_name(item.raw(), name) && inside::json(item.raw()).is_some()
        })
}

/// Reports whether an object has two members of this name.
fn has(node: &Node<'_>, name: &str) -> bool {
    let members = node.children().filter(|_| node.is_object());
    let mut named = members.filter(|child| same_key(&node.bytes[child.key.clone()], name));
    named.nth(1).is_some()
}

/// Reports whether an array has two pairs of this key, or a pair whose key or value is repeated.
fn has_pairs(array: &Node<'_>, key: &str) -> bool {
    if !array.is_array() {
        return false;
    }
    let mut named = array.children().filter(|pair| {
        let member = pair.value.member("key");
        member.is_some_and(|member| same_key(member.value.raw(), key))
    });
    let mut pairs = array.children().map(|pair| pair.value);
    named.nth(1).is_some() || pairs.any(|pair| has(&pair, "key") || has(&pair, "value"))
}

/// Looks for repeated members of this name, and pairs of this key.
fn anywhere(text: &[u8], name: &str, strings: u8) -> Option<Missed> {
    let names = Names {
        field: name,
        into: "",
        status: "",
        lossy: "",
    };
    let mut repeats = Repeats {
        text,
        name,
        strings,
        missed: None,
    };
    let walked = containers::walk(text, names, &mut repeats);
    walked.ok().and(repeats.missed)
}

/// The walk for a rule without a path.
struct Repeats<'t> {
    text: &'t [u8],
    name: &'t str,
    strings: u8,
    missed: Option<Missed>,
}

impl Visit for Repeats<'_> {
    fn container(&mut self, container: &mut Container) {
        if container.is_ambiguous(self.text[container.start] == b'[') {
            self.missed = self.missed.or(Some(Missed::RepeatedName));
        }
    }

    fn string(&mut self, value: Range<usize>) -> Result<(), Bad> {
        if self.missed.is_none() {
            self.missed = match look(&self.text[value]) {
                Inside::Json(text) if self.strings > 0 => {
                    anywhere(&text, self.name, self.strings - 1)
                }
                Inside::Json(_) => Some(Missed::TooDeep),
                Inside::Damaged => Some(Missed::DamagedString),
                Inside::Other => None,
            };
        }
        Ok(())
    }
}
