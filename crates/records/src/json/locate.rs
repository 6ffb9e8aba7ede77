//! The positions of the fields that rules name in a record.

use std::{collections::BTreeMap, ops::Range};

use super::{Bad, Event, Node, Scanner, node::Child, same_key, validate};
use crate::{
    path::{FieldPath, Segment},
    rules::{Rule, Selector, status_name},
};

/// The maximum number of objects and arrays in which a rule without a path may find a field of one
/// record. The cost of a record grows with each of them, and without a limit could reach hours.
const MAX_FOUND: usize = 1000;

/// A field that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The index of the rule that found it.
    pub rule: usize,
    /// The range of the value.
    pub value: Range<usize>,
    /// The container of the value.
    pub place: Container,
    /// Set if the result is already present.
    pub done: bool,
    /// The status that an earlier run wrote, with the comma before it.
    pub stale: Option<Range<usize>>,
}

/// The container of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// A member of an object, with the range of its name.
    Member(Range<usize>),
    /// A key-value object in an array, with its range.
    Pair(Range<usize>),
    /// An item of an array, which cannot have a result beside it.
    Item,
}

/// Finds every field that the rules name, in the order of the rules.
///
/// # Errors
/// An error if the record is not JSON, or if a rule without a path finds more than 1,000 places.
pub fn locate(record: &[u8], rules: &[Rule]) -> Result<Vec<Located>, Bad> {
    // If the first rule has no path, it scans and so validates the whole record itself.
    if !matches!(
        rules,
        [
            Rule {
                find: Selector::Anywhere(_),
                ..
            },
            ..
        ]
    ) {
        validate(record)?;
    }
    let mut found = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let finder = Finder {
            rule: number,
            into: &rule.into,
            status: &status_name(rules, number),
        };
        match &rule.find {
            Selector::Field(path) => finder.fields(record, path, &mut found),
            Selector::Pair(path, key) => {
                values(record, path)
                    .iter()
                    .for_each(|array| finder.pairs(array, key, &mut found));
            }
            Selector::Anywhere(name) => {
                for container in containers(record, name)? {
                    finder.member(&container, name, &mut found);
                    finder.pairs(&container, name, &mut found);
                }
            }
        }
    }
    Ok(found)
}

/// Returns the values at a path.
pub fn values<'a>(record: &'a [u8], path: &FieldPath) -> Vec<Node<'a>> {
    descend(vec![Node::root(record)], &path.0)
}

fn descend<'a>(mut nodes: Vec<Node<'a>>, segments: &[Segment]) -> Vec<Node<'a>> {
    for segment in segments {
        nodes = nodes.iter().flat_map(|node| step(node, segment)).collect();
    }
    nodes
}

pub(super) fn step<'a>(node: &Node<'a>, segment: &Segment) -> Vec<Node<'a>> {
    match segment {
        Segment::Each => node.children().map(|child| child.value).collect(),
        Segment::Name(name) if node.is_object() => node
            .member(name)
            .into_iter()
            .map(|child| child.value)
            .collect(),
        Segment::Name(name) => {
            let item = name
                .parse()
                .ok()
                .and_then(|number| node.children().nth(number));
            item.into_iter().map(|child| child.value).collect()
        }
    }
}

/// The children that concern a rule, of one object or array.
#[derive(Default)]
struct Near<'a> {
    /// The field. Of several the last one counts, as in parsers.
    field: Option<Child<'a>>,
    /// Set if one of them is the result.
    done: bool,
    /// The first status, with the comma before it. It is never the first child, since we do not
    /// write it there.
    stale: Option<Range<usize>>,
}

/// The search for one rule.
struct Finder<'r> {
    rule: usize,
    into: &'r str,
    status: &'r str,
}

impl Finder<'_> {
    fn fields(&self, record: &[u8], path: &FieldPath, found: &mut Vec<Located>) {
        let Some((last, before)) = path.0.split_last() else {
            return;
        };
        for parent in descend(vec![Node::root(record)], before) {
            match last {
                Segment::Name(name) if parent.is_object() => self.member(&parent, name, found),
                _ => found.extend(
                    step(&parent, last)
                        .into_iter()
                        .map(|value| self.item(value)),
                ),
            }
        }
    }

    fn member(&self, parent: &Node<'_>, name: &str, found: &mut Vec<Located>) {
        if !parent.is_object() {
            return;
        }
        let near = self.look(parent, name, |child, name| {
            same_key(&parent.bytes[child.key.clone()], name)
        });
        found.extend(near.field.map(|Child { key, value }| Located {
            rule: self.rule,
            place: Container::Member(key),
            value: value.range,
            done: self.into != name && near.done,
            stale: near.stale,
        }));
    }

    fn pairs(&self, array: &Node<'_>, name: &str, found: &mut Vec<Located>) {
        if !array.is_array() {
            return;
        }
        let near = self.look(array, name, |child, name| {
            let key = child.value.member("key");
            key.is_some_and(|member| same_key(member.value.raw(), name))
        });
        let Some(Child { value: pair, .. }) = near.field else {
            return;
        };
        found.extend(pair.member("value").map(|Child { value, .. }| Located {
            rule: self.rule,
            value: value.range,
            place: Container::Pair(pair.range),
            done: near.done,
            stale: near.stale,
        }));
    }

    /// Collects the children of a container that concern this rule, in one walk. `is` decides
    /// whether a child has a name.
    fn look<'a>(
        &self,
        parent: &Node<'a>,
        name: &str,
        is: impl Fn(&Child<'a>, &str) -> bool,
    ) -> Near<'a> {
        let (mut near, mut before) = (Near::default(), None);
        for child in parent.children() {
            let end = child.value.range.end;
            near.done |= is(&child, self.into);
            if near.stale.is_none() && is(&child, self.status) {
                near.stale = before.map(|before| before..end);
            }
            if is(&child, name) {
                near.field = Some(child);
            }
            before = Some(end);
        }
        near
    }

    fn item(&self, value: Node<'_>) -> Located {
        Located {
            rule: self.rule,
            value: value.range,
            place: Container::Item,
            done: false,
            stale: None,
        }
    }
}

/// Returns the objects with a member of this name and the arrays with a pair of this key, in order
/// of position.
pub(super) fn containers<'a>(
    record: &'a [u8],
    name: &str,
) -> Result<impl Iterator<Item = Node<'a>> + use<'a>, Bad> {
    // The end of each container, by its start; 0 until the end is found.
    let mut found = BTreeMap::new();
    let (mut scanner, mut after_key) = (Scanner::new(record), false);
    while let Some(event) = scanner.next() {
        let is_after_key = std::mem::take(&mut after_key);
        match event? {
            Event::Key(key) => {
                let key = &record[key];
                let object = scanner.open().last().filter(|_| same_key(key, name));
                found.extend(object.map(|start| (*start, 0)));
                after_key = same_key(key, "key");
                continue;
            }
            Event::Scalar(value) if is_after_key && same_key(&record[value.clone()], name) => {
                let outer = scanner.open().iter().rev().nth(1);
                let array = outer.filter(|start| record[**start] == b'[');
                found.extend(array.map(|start| (*start, 0)));
            }
            Event::End(Range { start, end }) => {
                found.entry(start).and_modify(|found| *found = end);
            }
            Event::Begin(_) | Event::Scalar(_) => {}
        }
        if found.len() > MAX_FOUND {
            return Err(Bad { offset: 0 });
        }
    }
    let node = move |(start, end)| Node {
        bytes: record,
        range: start..end,
    };
    Ok(found.into_iter().map(node))
}
