//! Where the fields that rules ask for are in a record.

use std::{collections::BTreeMap, ops::Range};

use super::{Bad, Event, Node, Scanner, node::Child, same_key, validate};
use crate::{
    path::{FieldPath, Segment},
    rules::{Rule, Selector, status_name},
};

/// How many fields a rule that looks anywhere may find in one record: each is walked to, and a
/// record must not take hours.
const MAX_FOUND: usize = 1000;

/// A field that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// Which rule found it.
    pub(crate) rule: usize,
    /// Its value.
    pub(crate) value: Range<usize>,
    /// What it is in.
    pub(crate) place: Container,
    /// Whether its result is there already.
    pub(crate) done: bool,
    /// What an earlier run wrote of its failure, the comma before it included.
    pub(crate) stale: Option<Range<usize>>,
}

/// What a value is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// A member, by its name.
    Member(Range<usize>),
    /// An object of key and value in an array.
    Pair(Range<usize>),
    /// An item of an array, which nothing can stand beside.
    Item,
}

/// Every field that the rules ask for, in the order of the rules.
///
/// # Errors
/// If the record is not JSON; then also if a rule that looks anywhere finds more than 1,000 places.
pub(crate) fn locate(record: &[u8], rules: &[Rule]) -> Result<Vec<Located>, Bad> {
    // A rule that looks anywhere scans the whole record itself.
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

/// The values at a path.
pub(crate) fn values<'a>(record: &'a [u8], path: &FieldPath) -> Vec<Node<'a>> {
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

/// What one container has that concerns a rule.
#[derive(Default)]
struct Near<'a> {
    /// The field; of several the last, as parsers take it.
    field: Option<Child<'a>>,
    /// Whether there is a result.
    done: bool,
    /// The first status, with the comma before it. We never write it as the first child.
    stale: Option<Range<usize>>,
}

/// What one rule finds.
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

    /// The children of a container that concern this rule, by one walk. `is` says whether a child has
    /// a name.
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

/// The objects with a member of this name, and the arrays with a pair of this key, in the order of their
/// places.
pub(super) fn containers<'a>(
    record: &'a [u8],
    name: &str,
) -> Result<impl Iterator<Item = Node<'a>> + use<'a>, Bad> {
    // The end of each container by its start; 0 until the end is seen.
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
