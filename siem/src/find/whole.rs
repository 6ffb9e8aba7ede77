//! Records that were sealed as a whole, since their fields could not be: a line that was not JSON, or one
//! in which something would have stayed in the clear.

use std::{borrow::Cow, ops::Range};

use super::{Change, Field, Text};
use crate::{
    batch::Outcome,
    json::{Node, on_one_line, same_key, write_string},
    rules::STATUS,
    splice::write_name,
};

/// A record that was sealed as a whole.
pub(super) struct Whole<'a> {
    /// The name of its only member.
    name: &'static str,
    text: Cow<'a, [u8]>,
    /// The blob, as a value of JSON.
    sealed: Range<usize>,
}

impl<'a> Whole<'a> {
    /// An object that has a member of this name, and otherwise only what an earlier run wrote of its
    /// failure. The record is valid JSON.
    pub(super) fn to_open(name: &'static str, text: Cow<'a, [u8]>) -> Option<Self> {
        let sealed = only_member(name, &text)?;
        Some(Self { name, text, sealed })
    }

    /// The blob to open.
    pub(super) fn field(&self) -> Field<'_> {
        Field::Json(&self.text[self.sealed.clone()])
    }

    /// The record that it becomes.
    pub(super) fn finish(&self, outcome: &Outcome) -> Option<Change<'static>> {
        let text = match outcome {
            // A record has no line break in it, no matter who sealed it.
            Outcome::Opened { plaintext, .. } => on_one_line(plaintext, b"\n"),
            Outcome::Failed(failure) => self.failed(failure.code()),
            _ => return None,
        };
        Some(Change {
            column: 0,
            text: Some(Text::New(text)),
        })
    }

    /// The object with the blob, and why it did not open.
    fn failed(&self, code: &str) -> Vec<u8> {
        let mut object = b"{".to_vec();
        write_name(self.name, &mut object);
        object.extend_from_slice(&self.text[self.sealed.clone()]);
        object.push(b',');
        write_name(STATUS, &mut object);
        write_string(code.as_bytes(), &mut object);
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
