//! Records that were sealed as a whole, because their fields could not be sealed: a line that was
//! not JSON, or one in which plaintext would have remained.

use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

use super::{Change, Text};
use crate::{
    answer::Answer,
    json::{Node, on_one_line, same_key, write_string},
    rules::STATUS,
    splice::write_name,
};

/// A record that was sealed as a whole.
pub(super) struct Whole<'a> {
    /// The name of the only member.
    name: &'static str,
    text: Cow<'a, [u8]>,
    /// The position of the blob, as a JSON value.
    sealed: Range<usize>,
}

impl<'a> Whole<'a> {
    /// Recognises an object whose only member has this name, apart from the status of an earlier
    /// failure. The record must be valid JSON.
    pub(super) fn to_open(name: &'static str, text: Cow<'a, [u8]>) -> Option<Self> {
        let sealed = only_member(name, &text)?;
        Some(Self { name, text, sealed })
    }

    /// Returns the blob to open, as a JSON value.
    pub(super) fn blob(&self) -> &[u8] {
        &self.text[self.sealed.clone()]
    }

    /// Returns the change that replaces the record with the result.
    pub(super) fn finish(&self, answer: Answer<'_>) -> Option<Change<'static>> {
        let text = match answer {
            // The opened record must not contain a line break, whoever sealed it.
            Answer::Opened(plaintext) => on_one_line(plaintext, b"\n"),
            Answer::Failed(code) => self.failed(code),
            _ => return None,
        };
        Some(Change {
            column: 0,
            text: Some(Text::New(text)),
        })
    }

    /// Returns the object with the blob and the code of the failure.
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

/// Returns the value of the only member of an object, if it has this name.
fn only_member(name: &str, text: &[u8]) -> Option<Range<usize>> {
    let root = Node::root(text);
    let is = |key: &Range<usize>, name| same_key(&text[key.clone()], name);
    let mut members = root.children().filter(|_| root.is_object());
    let first = members.next().filter(|child| is(&child.key, name))?;
    let is_alone = members.all(|child| is(&child.key, STATUS));
    is_alone.then_some(first.value.range)
}
