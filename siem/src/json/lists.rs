//! Lists where a path names a member. The path does not lead into them: what seals must not leave in
//! the clear what it was meant for.

use super::{Node, locate::step};
use crate::{
    path::{FieldPath, Segment},
    rules::{Rule, Selector},
};

/// How deep lists in lists are looked into: each level reads all of it again.
const MAX_DEPTH: usize = 8;

/// Returns whether an object in a list, or in lists in it, has the member that a path names in the
/// list's place. The record is valid JSON.
pub(crate) fn is_in_list(record: &[u8], rules: &[Rule]) -> bool {
    rules.iter().any(|rule| match &rule.find {
        Selector::Field(FieldPath(path)) | Selector::Pair(FieldPath(path), _) => {
            is_passed(record, path)
        }
        Selector::Anywhere(_) => false,
    })
}

fn is_passed(record: &[u8], path: &[Segment]) -> bool {
    let mut nodes = vec![Node::root(record)];
    for segment in path {
        let name = segment.name().filter(|name| name.parse::<usize>().is_err());
        if let Some(name) = name
            && nodes.iter().any(|node| holds(node, name, MAX_DEPTH))
        {
            return true;
        }
        nodes = nodes.iter().flat_map(|node| step(node, segment)).collect();
    }
    false
}

/// Returns whether a list holds an object with this member; true of one that is nested too deep to know.
fn holds(list: &Node<'_>, name: &str, depth: usize) -> bool {
    list.is_array()
        && list.children().any(|child| {
            let item = child.value;
            item.member(name).is_some()
                || item.is_array() && (depth == 0 || holds(&item, name, depth - 1))
        })
}
