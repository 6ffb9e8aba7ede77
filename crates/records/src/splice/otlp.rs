//! Values and statuses of OTLP. A Collector drops members that it does not know, so a status is an
//! attribute.

use alloc::vec::Vec;

use base64ct::{Base64, Encoding};

use super::Edit;
use crate::{
    answer::Answer,
    json::{KINDS, Located, NewAttribute, Node, OtlpPlace, embed_exact, same_key, write_string},
};

/// Adds the edits for a field's answer. `place` is that of the field.
pub(crate) fn edit(found: &Located, place: &OtlpPlace, answer: Answer<'_>, edits: &mut Vec<Edit>) {
    let code = match answer {
        Answer::Absent => return,
        Answer::Opened(plaintext) => {
            edits.push(Edit {
                at: found.value.clone(),
                new: value_of(plaintext),
            });
            edits.extend(found.stale.iter().map(|at| Edit {
                at: at.clone(),
                new: Vec::new(),
            }));
            return;
        }
        Answer::Truncated => "truncated",
        Answer::Failed(code) => code,
    };
    let (at, before, after) = match (&place.earlier, place.new) {
        (Some(earlier), _) => (earlier.clone(), "", ""),
        (None, NewAttribute::After(at)) => (at..at, ",", ""),
        (None, NewAttribute::First(at)) => (at..at, "", ""),
        (None, NewAttribute::InNewList(at)) => (at..at, ",\"attributes\":[", "]"),
        (None, NewAttribute::Nowhere) => return,
    };
    let mut new = before.as_bytes().to_vec();
    new.extend_from_slice(b"{\"key\":");
    write_string(place.status.as_bytes(), &mut new);
    new.extend_from_slice(b",\"value\":{\"stringValue\":");
    write_string(code.as_bytes(), &mut new);
    new.extend_from_slice(b"}}");
    new.extend_from_slice(after.as_bytes());
    edits.push(Edit { at, new });
}

/// Returns the value for a plaintext: the text of a value that was sealed, or a string or bytes.
fn value_of(plaintext: &[u8]) -> Vec<u8> {
    if plaintext.starts_with(b"{")
        && let Some(value) = embed_exact(plaintext)
        && is_value(&value)
    {
        return value;
    }
    let mut value = Vec::with_capacity(plaintext.len() + 24);
    match str::from_utf8(plaintext) {
        Ok(_) => {
            value.extend_from_slice(b"{\"stringValue\":");
            write_string(plaintext, &mut value);
        }
        Err(_) => {
            value.extend_from_slice(b"{\"bytesValue\":");
            write_string(Base64::encode_string(plaintext).as_bytes(), &mut value);
        }
    }
    value.push(b'}');
    value
}

/// Reports whether an object is a value, which may be empty.
fn is_value(object: &[u8]) -> bool {
    let mut members = Node::root(object).children().peekable();
    members.peek().is_none()
        || members.any(|member| {
            let key = &object[member.key];
            KINDS.iter().any(|kind| same_key(key, kind))
        })
}
