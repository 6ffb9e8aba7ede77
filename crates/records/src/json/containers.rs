//! One walk over a text that collects, for every object and array, the children that concern a
//! name. Each byte is looked at once, however deep containers of that name are nested.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Bad, Event, Scanner, inside, same_key};

/// The names that a walk looks for.
#[derive(Clone, Copy)]
pub(super) struct Names<'r> {
    /// The name of the field.
    pub(super) field: &'r str,
    /// The name of the result.
    pub(super) into: &'r str,
    /// The name of the status.
    pub(super) status: &'r str,
    /// The name of the mark of plaintext that was not UTF-8.
    pub(super) lossy: &'r str,
}

/// What an earlier run writes beside a field.
#[derive(Clone, Copy)]
pub(super) enum Earlier {
    /// The result.
    Result,
    /// The status, or the mark of plaintext that was not UTF-8.
    Note,
}

impl Names<'_> {
    /// Returns which output of an earlier run a child is, if any; `is` decides by name.
    pub(super) fn earlier(&self, is: impl Fn(&str) -> bool) -> Option<Earlier> {
        match () {
            () if is(self.into) => Some(Earlier::Result),
            () if is(self.status) || is(self.lossy) => Some(Earlier::Note),
            () => None,
        }
    }

    /// Returns a bit for each beginning that a quoted name of interest may have: see [`begins`].
    fn beginnings(&self) -> u64 {
        let names = [
            self.field,
            self.into,
            self.status,
            self.lossy,
            "key",
            "value",
        ];
        let firsts = names.map(|name| name.bytes().next().unwrap_or(b'"'));
        firsts
            .into_iter()
            .fold(begins(b'\\'), |bits, first| bits | begins(first))
    }
}

/// Returns the bit of the first byte of a name. Several bytes share a bit.
const fn begins(first: u8) -> u64 {
    1 << (first % 64)
}

/// A receiver of what a walk finds.
pub(super) trait Visit {
    /// Receives an object or array at its end.
    fn container(&mut self, container: &mut Container);

    /// Receives a string, with its quotes, that may contain JSON with the name of the field, and is
    /// not the result of an earlier run.
    ///
    /// # Errors
    /// An error that ends the walk.
    fn string(&mut self, value: Range<usize>) -> Result<(), Bad>;
}

/// An object or array, with the children that concern the names.
#[derive(Default)]
pub(super) struct Container {
    /// The position of its bracket.
    pub(super) start: usize,
    pub(super) near: Near,
    /// The members by which an object is a pair in an array.
    pair: Pair,
    /// The name of the current member.
    key: Range<usize>,
    /// Set if it may be one of the names of interest, and for arrays.
    is_sought: bool,
    /// The end of the previous child.
    before: Option<usize>,
}

/// The children of one object or array that concern a rule.
#[derive(Default)]
pub(super) struct Near {
    /// The field. Of several the last one counts, as in parsers.
    pub(super) field: Option<Sought>,
    /// The results of an earlier run: see [`Near::note`].
    pub(super) results: Vec<Range<usize>>,
    /// What else an earlier run wrote.
    pub(super) notes: Vec<Range<usize>>,
    /// Set if the range that was added last ends where the next child begins.
    is_open: Option<Earlier>,
    /// Set if parsers may disagree about the field: an object has two members of its name, or an
    /// array two pairs, or a pair whose key or value is repeated.
    is_repeated: bool,
}

/// A field in its container.
#[derive(Clone)]
pub(super) enum Sought {
    /// A member, by its name and value.
    Member(Range<usize>, Range<usize>),
    /// A pair, by its range and the value in it, if there is one.
    Pair(Range<usize>, Option<Range<usize>>),
}

/// The members `key` and `value` of an object.
#[derive(Default)]
struct Pair {
    key: Option<Range<usize>>,
    value: Option<Range<usize>>,
    is_repeated: bool,
    /// Set if any member `key` is the name of the field.
    names_field: bool,
}

impl Near {
    /// Notes a child and, if an earlier run wrote it, the range by which it is removed: with the
    /// comma after it if it is before the field, and with the comma before it otherwise. So ranges
    /// of one field do not overlap, and none has a part of the field. `before` is the end of the
    /// previous child.
    pub(super) fn note(
        &mut self,
        earlier: Option<Earlier>,
        child: &Range<usize>,
        before: Option<usize>,
    ) {
        if let Some(kind) = self.is_open.take()
            && let Some(last) = self.list(kind).last_mut()
        {
            last.end = child.start;
        }
        let Some(kind) = earlier else { return };
        let start = before.filter(|_| self.field.is_some());
        self.is_open = start.is_none().then_some(kind);
        let range = start.unwrap_or(child.start)..child.end;
        self.list(kind).push(range);
    }

    const fn list(&mut self, kind: Earlier) -> &mut Vec<Range<usize>> {
        match kind {
            Earlier::Result => &mut self.results,
            Earlier::Note => &mut self.notes,
        }
    }
}

/// Walks through a text.
///
/// # Errors
/// An error if the text is not JSON, or from the visitor.
pub(super) fn walk(text: &[u8], names: Names<'_>, visit: &mut impl Visit) -> Result<(), Bad> {
    let mut open: Vec<Container> = Vec::new();
    let beginnings = names.beginnings();
    for event in Scanner::new(text) {
        let (value, pair) = match event? {
            Event::Begin(start) => {
                open.push(Container {
                    start,
                    is_sought: text[start] == b'[',
                    ..Container::default()
                });
                continue;
            }
            Event::Key(key) => {
                if let Some(object) = open.last_mut() {
                    object.is_sought = beginnings & begins(text[key.start + 1]) != 0;
                    object.key = key;
                }
                continue;
            }
            Event::Scalar(value) => {
                if inside::may_name(&text[value.clone()], names.field)
                    && !open
                        .last()
                        .is_some_and(|open| open.is_result(text, names.into))
                {
                    visit.string(value.clone())?;
                }
                // Most members concern no name.
                if let Some(parent) = open.last_mut()
                    && !parent.is_sought
                    && parent.near.is_open.is_none()
                {
                    parent.before = Some(value.end);
                    continue;
                }
                (value, None)
            }
            Event::End(value) => {
                let mut container = open.pop().unwrap_or_default();
                if container.near.field.is_some() || container.near.is_repeated {
                    visit.container(&mut container);
                }
                (value, Some(container.pair))
            }
        };
        if let Some(parent) = open.last_mut() {
            let end = value.end;
            match text[parent.start] {
                b'{' => parent.member(text, value, names),
                _ => parent.item(text, value, pair.unwrap_or_default(), names),
            }
            parent.before = Some(end);
        }
    }
    Ok(())
}

impl Container {
    fn member(&mut self, text: &[u8], value: Range<usize>, names: Names<'_>) {
        if !self.is_sought {
            return self.near.note(None, &(self.key.start..value.end), None);
        }
        let key = &text[self.key.clone()];
        let child = self.key.start..value.end;
        let earlier = names.earlier(|name| same_key(key, name));
        self.near.note(earlier, &child, self.before);
        if same_key(key, "key") {
            self.pair.names_field |= same_key(&text[value.clone()], names.field);
            self.pair.is_repeated |= self.pair.key.replace(value.clone()).is_some();
        } else if same_key(key, "value") {
            self.pair.is_repeated |= self.pair.value.replace(value.clone()).is_some();
        }
        if same_key(key, names.field) {
            let found = Sought::Member(self.key.clone(), value);
            self.near.is_repeated |= self.near.field.replace(found).is_some();
        }
    }

    fn item(&mut self, text: &[u8], value: Range<usize>, pair: Pair, names: Names<'_>) {
        self.pair.names_field |= pair.names_field;
        self.near.is_repeated |= pair.is_repeated;
        let key = pair.key.map(|key| &text[key]);
        let is = |name: &str| key.is_some_and(|key| same_key(key, name));
        self.near.note(names.earlier(is), &value, self.before);
        if is(names.field) {
            let found = Sought::Pair(value, pair.value);
            self.near.is_repeated |= self.near.field.replace(found).is_some();
        }
    }

    /// Reports whether the current member is the result, or the value of its pair.
    fn is_result(&self, text: &[u8], into: &str) -> bool {
        let key = &text[self.key.clone()];
        same_key(key, into)
            || same_key(key, "value")
                && matches!(&self.pair.key, Some(key) if same_key(&text[key.clone()], into))
    }

    /// Reports whether parsers may disagree about a field of the container.
    pub(super) const fn is_ambiguous(&self, is_array: bool) -> bool {
        self.near.is_repeated && (!is_array || self.pair.names_field)
    }
}
