//! The positions of the fields that rules name in a record.

use alloc::{vec, vec::Vec};
use core::{mem, ops::Range};

use super::{
    Bad, Container, Fields, Located, MAX_STRINGS, Node, Text, Why,
    containers::{self, Names, Near, Sought, Visit},
    inside,
    node::Child,
    same_key, validate,
};
use crate::{
    ALL,
    order::sort_by_key,
    path::{FieldPath, Segment},
    rules::{Rule, Selector, lossy_name, status_name},
};

/// Finds every field that the rules name, in the order of the rules. JSON inside strings is
/// searched too, up to [`MAX_STRINGS`] deep: where a path leads there, or the string has the name
/// that is sought anywhere.
///
/// # Errors
/// An error if the record is not JSON, or has more than `max_fields` fields.
pub fn locate(record: &[u8], rules: &[Rule], max_fields: usize) -> Result<Fields, Bad> {
    // If the first rule has no path, it scans and so validates the whole record itself.
    if !rules
        .first()
        .is_some_and(|rule| matches!(rule.find, Selector::Anywhere(_)))
    {
        validate(record)?;
    }
    let mut search = Search {
        max_fields,
        fields: Fields::default(),
        known: Vec::new(),
    };
    for (number, rule) in rules.iter().enumerate() {
        // Only the first rule must read a record without its name: it checks the record.
        if let Selector::Anywhere(name) = &rule.find
            && number > 0
            && !inside::may_have(record, name)
        {
            continue;
        }
        let (status, lossy) = (status_name(rules, number), lossy_name(rules, number));
        let wanted = Wanted {
            rule: number,
            names: Names {
                field: "",
                into: &rule.into,
                status: &status,
                lossy: &lossy,
            },
        };
        let doc = Doc {
            bytes: record,
            text: None,
            level: 0,
        };
        match &rule.find {
            Selector::Field(FieldPath(path)) if ALL => search.fields(&wanted, doc, path)?,
            Selector::Pair(FieldPath(path), key) if ALL => search.pairs(&wanted, doc, path, key)?,
            Selector::Anywhere(name) => search.anywhere(&wanted, doc, name)?,
            _ => {}
        }
        search.known = search.fields.texts_by_place();
    }
    Ok(search.fields)
}

/// Returns the first value at a path. JSON inside strings is entered.
pub fn value(record: &[u8], path: &FieldPath) -> Option<Vec<u8>> {
    first(record, &path.0, MAX_STRINGS)
}

fn first(text: &[u8], path: &[Segment], strings: u8) -> Option<Vec<u8>> {
    let mut nodes = vec![Node::root(text)];
    for (at, segment) in path.iter().enumerate() {
        if let [node] = nodes.as_slice()
            && node.is_string()
        {
            let text = inside::json(node.raw()).filter(|_| strings > 0)?;
            return first(&text, &path[at..], strings - 1);
        }
        nodes = nodes.iter().flat_map(|node| step(node, segment)).collect();
    }
    nodes.first().map(|node| node.raw().to_vec())
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

/// A rule in a search: its index, and the names of its result and status.
struct Wanted<'r> {
    rule: usize,
    /// The names of what an earlier run wrote. That of the field depends on the selector.
    names: Names<'r>,
}

/// A text that is searched.
#[derive(Clone, Copy)]
struct Doc<'t> {
    bytes: &'t [u8],
    /// Its index, or `None` for the record.
    text: Option<usize>,
    /// The number of strings around it.
    level: u8,
}

/// The search of a record.
struct Search {
    max_fields: usize,
    fields: Fields,
    /// The texts in which earlier rules found fields. A rule enters each string once.
    known: Vec<usize>,
}

impl Search {
    fn add(&mut self, located: Located) -> Result<(), Bad> {
        if self.fields.found.len() >= self.max_fields {
            return Err(Bad {
                offset: 0,
                why: Why::TooManyFields,
            });
        }
        self.fields.found.push(located);
        Ok(())
    }

    /// Finds the fields at a path.
    fn fields(&mut self, wanted: &Wanted<'_>, doc: Doc<'_>, path: &[Segment]) -> Result<(), Bad> {
        let Some((last, before)) = path.split_last() else {
            return Ok(());
        };
        let parents = self.follow(doc, before, path, &mut |search, inner, rest| {
            search.fields(wanted, inner, rest)
        })?;
        for parent in parents {
            if parent.is_string() {
                self.enter(doc, &parent.range, |search, inner| {
                    search.fields(wanted, inner, &path[path.len() - 1..])
                })?;
                continue;
            }
            match last {
                Segment::Name(name) if parent.is_object() => {
                    let mut near = wanted.look(&parent, name, |child, name| {
                        same_key(&parent.bytes[child.key.clone()], name)
                    });
                    if wanted.names.into == name {
                        near.results.clear();
                    }
                    self.near(wanted, doc, near)?;
                }
                _ => {
                    for value in step(&parent, last) {
                        self.add(Located::new(
                            wanted.rule,
                            doc.text,
                            value.range,
                            Container::Item,
                        ))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Finds the values with a key in arrays at a path.
    fn pairs(
        &mut self,
        wanted: &Wanted<'_>,
        doc: Doc<'_>,
        path: &[Segment],
        key: &str,
    ) -> Result<(), Bad> {
        let arrays = self.follow(doc, path, path, &mut |search, inner, rest| {
            search.pairs(wanted, inner, rest, key)
        })?;
        for array in arrays {
            if array.is_string() {
                self.enter(doc, &array.range, |search, inner| {
                    search.pairs(wanted, inner, &[], key)
                })?;
            } else if array.is_array() {
                let near = wanted.look(&array, key, |child, name| {
                    let member = child.value.member("key");
                    member.is_some_and(|member| same_key(member.value.raw(), name))
                });
                self.near(wanted, doc, near)?;
            }
        }
        Ok(())
    }

    /// Returns the values after the first steps of a path, and passes each JSON text in a string on
    /// the way to `enter`, with the rest of the path.
    fn follow<'t>(
        &mut self,
        doc: Doc<'t>,
        steps: &[Segment],
        path: &[Segment],
        enter: &mut impl FnMut(&mut Self, Doc<'_>, &[Segment]) -> Result<(), Bad>,
    ) -> Result<Vec<Node<'t>>, Bad> {
        let mut nodes = vec![Node::root(doc.bytes)];
        for (at, segment) in steps.iter().enumerate() {
            for node in nodes.iter().filter(|node| node.is_string()) {
                self.enter(doc, &node.range, |search, inner| {
                    enter(search, inner, &path[at..])
                })?;
            }
            nodes = nodes.iter().flat_map(|node| step(node, segment)).collect();
        }
        Ok(nodes)
    }

    /// Finds members of a name and pairs of that key, in the order of their containers.
    fn anywhere(&mut self, wanted: &Wanted<'_>, doc: Doc<'_>, name: &str) -> Result<(), Bad> {
        let first = self.fields.found.len();
        let names = Names {
            field: name,
            ..wanted.names
        };
        let mut walk = Walk {
            search: self,
            wanted,
            doc,
            name,
            result: Ok(()),
        };
        containers::walk(doc.bytes, names, &mut walk)?;
        walk.result?;
        // A container is found at its end, after those in it.
        sort_by_key(&mut self.fields.found[first..], |located| (located.at, 0));
        Ok(())
    }

    /// Adds the field among the children of a container.
    fn near(&mut self, wanted: &Wanted<'_>, doc: Doc<'_>, near: Near) -> Result<(), Bad> {
        let (value, place) = match near.field {
            Some(Sought::Member(key, value)) => (value, Container::Member(key)),
            Some(Sought::Pair(pair, Some(value))) => (value, Container::Pair(pair)),
            Some(Sought::Pair(_, None)) | None => return Ok(()),
        };
        self.add(Located {
            done: !near.results.is_empty(),
            results: near.results,
            stale: near.notes,
            ..Located::new(wanted.rule, doc.text, value, place)
        })
    }

    /// Searches the JSON text in a string, if there is one.
    fn enter(
        &mut self,
        doc: Doc<'_>,
        string: &Range<usize>,
        search: impl FnOnce(&mut Self, Doc<'_>) -> Result<(), Bad>,
    ) -> Result<(), Bad> {
        let known = self.fields.text_at(&self.known, doc.text, string);
        let bytes = match known {
            Some(number) => mem::take(&mut self.fields.texts[number].bytes),
            None if doc.level == MAX_STRINGS => return Ok(()),
            None => match inside::json(&doc.bytes[string.clone()]) {
                Some(bytes) => bytes,
                None => return Ok(()),
            },
        };
        let number = known.unwrap_or(self.fields.texts.len());
        if known.is_none() {
            self.fields.texts.push(Text {
                around: doc.text,
                content: string.start + 1..string.end - 1,
                bytes: Vec::new(),
            });
        }
        let before = self.fields.found.len();
        let inner = Doc {
            bytes: &bytes,
            text: Some(number),
            level: doc.level + 1,
        };
        search(self, inner)?;
        if known.is_none() && self.fields.found.len() == before {
            self.fields.texts.truncate(number);
            return Ok(());
        }
        self.fields.texts[number].bytes = bytes;
        Ok(())
    }
}

/// The walk for one rule without a path.
struct Walk<'s, 'r> {
    search: &'s mut Search,
    wanted: &'s Wanted<'r>,
    doc: Doc<'s>,
    name: &'s str,
    result: Result<(), Bad>,
}

impl Visit for Walk<'_, '_> {
    fn container(&mut self, container: &mut containers::Container) {
        let (start, mut near) = (container.start, mem::take(&mut container.near));
        let is_member = matches!(near.field, Some(Sought::Member(..)));
        if is_member && self.wanted.names.into == self.name {
            near.results.clear();
        }
        let before = self.search.fields.found.len();
        let added = self.search.near(self.wanted, self.doc, near);
        self.result = self.result.and(added);
        self.note(before, start);
    }

    fn string(&mut self, value: Range<usize>) -> Result<(), Bad> {
        if self.doc.level == MAX_STRINGS {
            return self.result;
        }
        let before = self.search.fields.found.len();
        let (wanted, name) = (self.wanted, self.name);
        self.search.enter(self.doc, &value, |search, inner| {
            search.anywhere(wanted, inner, name)
        })?;
        self.note(before, value.start);
        self.result
    }
}

impl Walk<'_, '_> {
    /// Notes where the fields after the first `before` ones were found.
    fn note(&mut self, before: usize, at: usize) {
        let added = &mut self.search.fields.found[before..];
        added.iter_mut().for_each(|located| located.at = at);
    }
}

impl Wanted<'_> {
    /// Collects the children of a container that concern this rule, in one walk. `is` decides
    /// whether a child has a name.
    fn look<'a>(
        &self,
        parent: &Node<'a>,
        name: &str,
        is: impl Fn(&Child<'a>, &str) -> bool,
    ) -> Near {
        let (mut near, mut before) = (Near::default(), None);
        for child in parent.children() {
            let is_object = parent.is_object();
            let range = &child.value.range;
            let start = if is_object {
                child.key.start
            } else {
                range.start
            };
            let earlier = self.names.earlier(|name| is(&child, name));
            near.note(earlier, &(start..range.end), before);
            before = Some(range.end);
            if is(&child, name) {
                near.field = Some(match is_object {
                    true => Sought::Member(child.key.clone(), child.value.range.clone()),
                    false => {
                        let value = child.value.member("value");
                        let value = value.map(|member| member.value.range);
                        Sought::Pair(child.value.range.clone(), value)
                    }
                });
            }
        }
        near
    }
}
