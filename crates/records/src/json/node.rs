//! A walk over bytes that passed [`validate`](super::validate), which yields the positions of
//! members and items.

use core::ops::Range;

use memchr::memchr2;

use super::{scan::is_blank, text::decode_string};

/// A value within validated bytes.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The whole document.
    pub bytes: &'a [u8],
    /// The range of the value in it.
    pub range: Range<usize>,
}

/// A member of an object or an item of an array. The key of an item is an empty range.
#[derive(Clone, Debug)]
pub struct Child<'a> {
    /// The range of the key, with its quotes.
    pub key: Range<usize>,
    /// The value.
    pub value: Node<'a>,
}

impl<'a> Node<'a> {
    /// Returns the value that `bytes` consist of.
    pub fn root(bytes: &'a [u8]) -> Self {
        let start = after_blanks(bytes, 0);
        Self {
            bytes,
            range: start..skip(bytes, start),
        }
    }

    /// Returns the bytes of the value.
    pub fn raw(&self) -> &'a [u8] {
        &self.bytes[self.range.clone()]
    }

    /// Reports whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.raw().first() == Some(&b'{')
    }

    /// Reports whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.raw().first() == Some(&b'[')
    }

    /// Reports whether the value is a string.
    pub fn is_string(&self) -> bool {
        self.raw().first() == Some(&b'"')
    }

    /// Returns the members of an object or the items of an array. Other values have no children.
    pub fn children(&self) -> impl Iterator<Item = Child<'a>> + use<'a> {
        let (bytes, is_object) = (self.bytes, self.is_object());
        let mut at = if is_object || self.is_array() {
            self.range.start + 1
        } else {
            bytes.len()
        };
        core::iter::from_fn(move || {
            at = after_blanks(bytes, at);
            if bytes.get(at) == Some(&b',') {
                at = after_blanks(bytes, at + 1);
            }
            if !bytes
                .get(at)
                .is_some_and(|byte| !matches!(byte, b'}' | b']'))
            {
                return None;
            }
            let mut key = at..at;
            if is_object {
                key.end = skip(bytes, at);
                at = after_blanks(bytes, after_blanks(bytes, key.end) + 1);
            }
            let value = at..skip(bytes, at);
            at = value.end;
            Some(Child {
                key,
                value: Self {
                    bytes,
                    range: value,
                },
            })
        })
    }

    /// Returns the member of this name. Of several the last one counts, as in parsers.
    pub fn member(&self, name: &str) -> Option<Child<'a>> {
        let object = self
            .is_object()
            .then(|| self.children())
            .into_iter()
            .flatten();
        object
            .filter(|child| same_key(&self.bytes[child.key.clone()], name))
            .last()
    }
}

/// Reports whether a quoted string, with or without escapes, is `name`.
#[inline]
pub fn same_key(quoted: &[u8], name: &str) -> bool {
    let name = name.as_bytes();
    let plain = quoted
        .get(1..quoted.len().saturating_sub(1))
        .unwrap_or_default();
    match plain.first() {
        first if first == name.first() => plain == name || is_escaped(quoted, name),
        first => first == Some(&b'\\') && is_escaped(quoted, name),
    }
}

/// Reports whether a string that has escapes is `name`.
fn is_escaped(quoted: &[u8], name: &[u8]) -> bool {
    // An escape is longer than the character that it encodes.
    quoted.len() > name.len() + 2
        && quoted.contains(&b'\\')
        && decode_string(quoted).is_some_and(|key| *key == *name)
}

fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| is_blank(*byte)) {
        at += 1;
    }
    at
}

/// Returns the end of the value that begins at `at`. In valid JSON, counting brackets is enough.
fn skip(bytes: &[u8], at: usize) -> usize {
    let end = value_end(bytes, at);
    #[cfg(test)]
    super::count::add(end - at);
    end
}

fn value_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at) {
            Some(b'"') => at = string_end(bytes, at),
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
            }
            Some(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            Some(_) if depth > 0 => at += 1,
            Some(_) => return scalar_end(bytes, at),
            None => return bytes.len(),
        }
        if depth == 0 {
            return at;
        }
    }
}

/// Returns the end of the string whose quote is at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += next + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

fn scalar_end(bytes: &[u8], start: usize) -> usize {
    let length = bytes[start..]
        .iter()
        .take_while(|byte| !is_blank(**byte) && !b",]}".contains(byte))
        .count();
    start + length
}
