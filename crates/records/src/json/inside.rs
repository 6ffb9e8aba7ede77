//! JSON inside strings, such as the lines of programs in the logs of Docker and Kubernetes.

use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

use memchr::{memchr, memchr_iter};

use super::{decode_bytes, text::escape_length, validate};

/// The content of a string.
pub(super) enum Inside<'a> {
    /// A JSON object or array.
    Json(Cow<'a, [u8]>),
    /// A text that begins like an object or array, but is not JSON.
    Damaged,
    /// Any other value.
    Other,
}

/// Looks into a value. Only a string that begins with a bracket is decoded.
pub(super) fn look(value: &[u8]) -> Inside<'_> {
    if !may_be_json(value) {
        return Inside::Other;
    }
    let Some(text) = decode_bytes(value) else {
        return Inside::Other;
    };
    match text.trim_ascii_start().first() {
        Some(b'{' | b'[') if validate(&text).is_ok() => Inside::Json(text),
        Some(b'{' | b'[') => Inside::Damaged,
        _ => Inside::Other,
    }
}

/// Returns the JSON in a string.
pub(super) fn json(value: &[u8]) -> Option<Vec<u8>> {
    match look(value) {
        Inside::Json(text) => Some(text.into_owned()),
        _ => None,
    }
}

/// Reports whether a string may contain JSON with this name. Writers may escape quotes, backslashes
/// and non-ASCII characters, so the name is searched for only if it has none of these.
#[inline]
pub(super) fn may_name(value: &[u8], name: &str) -> bool {
    may_be_json(value)
        && (!name
            .bytes()
            .all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'))
            || has(value, name))
}

/// Reports whether a valid record may contain this name, perhaps with escapes.
pub(super) fn may_have(record: &[u8], name: &str) -> bool {
    has(record, name) || memchr(b'\\', record).is_some()
}

/// Reports whether a text contains these characters.
fn has(text: &[u8], name: &str) -> bool {
    let name = name.as_bytes();
    let Some(first) = name.first() else {
        return true;
    };
    memchr_iter(*first, text).any(|at| text[at..].starts_with(name))
}

/// Checks the first byte of a string, which is a bracket or may be white space before one.
const fn may_be_json(value: &[u8]) -> bool {
    matches!(value, [b'"', b'{' | b'[' | b' ' | b'\\', ..])
}

/// Positions in the content of a string, by positions in its decoded text.
pub(crate) struct Positions<'a> {
    content: &'a [u8],
    /// The position that was reached, in the content and in the decoded text.
    raw: usize,
    decoded: usize,
}

impl<'a> Positions<'a> {
    /// Creates the positions of a content without its quotes.
    pub(crate) const fn new(content: &'a [u8]) -> Self {
        Self {
            content,
            raw: 0,
            decoded: 0,
        }
    }

    /// Returns the position in the content of a position in the decoded text, which must not be
    /// before the previous one.
    pub(crate) fn of(&mut self, decoded: usize) -> usize {
        while self.decoded < decoded {
            let rest = &self.content[self.raw..];
            let plain = memchr(b'\\', rest).unwrap_or(rest.len());
            let plain = plain.min(decoded - self.decoded);
            self.raw += plain;
            self.decoded += plain;
            if self.decoded == decoded || plain == rest.len() {
                break;
            }
            let (raw, text) = escape_length(&self.content[self.raw..]);
            self.raw += raw;
            self.decoded += text;
        }
        self.raw
    }

    /// Returns the range in the content of a range in the decoded text.
    pub(crate) fn range(&mut self, decoded: &Range<usize>) -> Range<usize> {
        self.of(decoded.start)..self.of(decoded.end)
    }
}

/// Appends bytes of a JSON text as the content of a string. Bytes that are not UTF-8 are kept.
pub(crate) fn write_content(bytes: &[u8], out: &mut Vec<u8>) {
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            0..=0x1f => {
                let digits = b"0123456789abcdef";
                let [high, low] = [byte >> 4, byte & 15].map(|half| digits[usize::from(half)]);
                out.extend([b'\\', b'u', b'0', b'0', high, low]);
            }
            _ => out.push(byte),
        }
    }
}
