//! Where the fields that rules ask for are in a record.

use std::{collections::BTreeSet, ops::Range};

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
                for start in containers(record, name)? {
                    let container = Node::at(record, start);
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
        let Some(Child { key, value }) = parent.member(name) else {
            return;
        };
        let is = |child: &Child<'_>, name| same_key(&parent.bytes[child.key.clone()], name);
        found.push(Located {
            rule: self.rule,
            place: Container::Member(key),
            value: value.range,
            done: self.into != name && parent.member(self.into).is_some(),
            stale: stale(parent, |child| is(child, self.status)),
        });
    }

    fn pairs(&self, array: &Node<'_>, name: &str, found: &mut Vec<Located>) {
        let has_key = |child: &Child<'_>, name| {
            child
                .value
                .member("key")
                .is_some_and(|member| same_key(member.value.raw(), name))
        };
        let pairs = array
            .is_array()
            .then(|| array.children())
            .into_iter()
            .flatten();
        let Some(pair) = pairs.filter(|child| has_key(child, name)).last() else {
            return;
        };
        let Some(Child { value, .. }) = pair.value.member("value") else {
            return;
        };
        found.push(Located {
            rule: self.rule,
            value: value.range,
            place: Container::Pair(pair.value.range),
            done: array.children().any(|child| has_key(&child, self.into)),
            stale: stale(array, |child| has_key(child, self.status)),
        });
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

/// The child that is wanted, with the comma before it. We never write it as the first.
fn stale(parent: &Node<'_>, wanted: impl Fn(&Child<'_>) -> bool) -> Option<Range<usize>> {
    let ends = parent.children().map(|child| child.value.range.end);
    let mut later = ends.zip(parent.children().skip(1));
    later
        .find(|(_, child)| wanted(child))
        .map(|(before, child)| before..child.value.range.end)
}

/// The objects with a member of this name, and the arrays with a pair of this key, by their places.
pub(super) fn containers(record: &[u8], name: &str) -> Result<BTreeSet<usize>, Bad> {
    let (mut open, mut found, mut after_key) = (Vec::new(), BTreeSet::new(), false);
    for event in Scanner::new(record) {
        match event? {
            Event::Begin(at) => open.push(at),
            Event::End(_) => drop(open.pop()),
            Event::Key(key) => {
                found.extend(open.last().filter(|_| same_key(&record[key.clone()], name)));
                after_key = same_key(&record[key], "key");
                continue;
            }
            Event::Scalar(value) if after_key && same_key(&record[value.clone()], name) => {
                found.extend(
                    open.iter()
                        .rev()
                        .nth(1)
                        .filter(|outer| record[**outer] == b'['),
                );
            }
            Event::Scalar(_) => {}
        }
        after_key = false;
        if found.len() > MAX_FOUND {
            return Err(Bad { offset: 0 });
        }
    }
    Ok(found)
}
