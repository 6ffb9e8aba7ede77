//! Records that are sealed as a whole, since their fields cannot be: a line that is not JSON, or one
//! in which something would stay in the clear.

use std::{borrow::Cow, ops::Range};

use super::{Change, Field, Text};
use crate::{
    batch::Outcome,
    json::{Node, encode_string, on_one_line, same_key, write_string},
    rules::STATUS,
    splice::write_name,
};

/// A record that is sealed as a whole, or is to be.
pub(super) struct Whole<'a> {
    /// The name of its only member, once it is sealed.
    name: &'static str,
    text: Cow<'a, [u8]>,
    /// The blob, as a value of JSON; `None` if it is to be sealed.
    sealed: Option<Range<usize>>,
}

impl<'a> Whole<'a> {
    /// A record whose fields cannot be sealed.
    pub(super) const fn to_seal(name: &'static str, text: Cow<'a, [u8]>) -> Self {
        Self {
            name,
            text,
            sealed: None,
        }
    }

    /// A record that was sealed as a whole: an object that has a member of this name, and otherwise
    /// only what an earlier run wrote of its failure. The record is valid JSON.
    pub(super) fn to_open(name: &'static str, text: Cow<'a, [u8]>) -> Option<Self> {
        let sealed = Some(only_member(name, &text)?);
        Some(Self { name, text, sealed })
    }

    /// Whether it is sealed.
    pub(super) const fn is_sealed(&self) -> bool {
        self.sealed.is_some()
    }

    /// What is to be sealed, or opened.
    pub(super) fn field(&self) -> Field<'_> {
        match &self.sealed {
            Some(range) => Field::Json(&self.text[range.clone()]),
            None => Field::Cell(Some(&self.text)),
        }
    }

    /// The record that it becomes.
    pub(super) fn finish(&self, outcome: &Outcome) -> Option<Change<'static>> {
        let text = match (outcome, &self.sealed) {
            // A record has no line break in it, no matter who sealed it.
            (Outcome::Opened { plaintext, .. }, Some(_)) => on_one_line(plaintext, b"\n"),
            (Outcome::Opened { plaintext, .. }, None) => {
                self.object(&encode_string(plaintext).0, None)
            }
            (Outcome::Failed(failure), Some(range)) => {
                self.object(&self.text[range.clone()], Some(failure.code()))
            }
            _ => return None,
        };
        Some(Change {
            column: 0,
            text: Some(Text::New(text)),
        })
    }

    /// The object with a blob, and why it did not open.
    fn object(&self, blob: &[u8], status: Option<&str>) -> Vec<u8> {
        let mut object = b"{".to_vec();
        write_name(self.name, &mut object);
        object.extend_from_slice(blob);
        if let Some(code) = status {
            object.push(b',');
            write_name(STATUS, &mut object);
            write_string(code.as_bytes(), &mut object);
        }
        object.push(b'}');
        object
    }
}

/// The value of an object's only member, if it has this name.
fn only_member(name: &str, text: &[u8]) -> Option<Range<usize>> {
    let root = Node::root(text);
    let is = |key: &Range<usize>, name| same_key(&text[key.clone()], name);
    let mut members = root.children().filter(|_| root.is_object());
    let first = members.next().filter(|child| is(&child.key, name))?;
    let is_alone = members.all(|child| is(&child.key, STATUS));
    is_alone.then_some(first.value.range)
}
