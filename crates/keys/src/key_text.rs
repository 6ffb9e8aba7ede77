//! Key files as people and programs keep them, before any key in them is parsed: the only reader of
//! such text.
//!
//! A byte order mark, and line ends, indentation, invisible characters and quotes around an entry
//! are removed. Errors name encodings that are not read ([`KeyError::Text`]). Without the feature
//! `all`, quotes and invisible characters stay, no encoding is named, and a JWK Set is not read.

use std::{convert::Infallible, iter};

use pqseal_hpke::DynKem;
use serde::de::IgnoredAny;

use super::{Content, KeyError, LabelledKey, LineError, NAMED, check_size, read_private};
use crate::{
    damage::{BEGIN, is_invisible, trim},
    half::has_private_line,
    pem::END,
};

/// The bytes of a key file as entries: lines, PEM blocks, JSON objects, or one key in binary.
///
/// `#` starts a comment, which labels the key next to it, or else the key on the line below.
///
/// ```
/// use pqseal_keys::{Content, KeyText};
///
/// let file = b"\xef\xbb\xbf# of zone a\r\n  \"uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=\"\r\n";
/// let entry = KeyText::new(file)?.entries().next().expect("one entry");
/// assert_eq!((entry.line, entry.label().as_deref()), (2, Some("of zone a")));
/// assert!(matches!(entry.content, Content::Line("uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=")));
/// # Ok::<(), pqseal_keys::KeyError>(())
/// ```
#[derive(Clone, Copy)]
pub struct KeyText<'a>(Bytes<'a>);

#[derive(Clone, Copy)]
enum Bytes<'a> {
    Text(&'a str),
    Binary(&'a [u8]),
}

impl<'a> KeyText<'a> {
    /// Takes the bytes of a file of any size. It is binary if it is not UTF-8 or has a control
    /// character below tab, as each key in DER has.
    ///
    /// # Errors
    /// [`KeyError::Text`] for UTF-16.
    pub fn new(file: &'a [u8]) -> Result<Self, KeyError> {
        // UTF-16 of ASCII characters: every other byte after the byte order mark is 0.
        let [zero, one] = [0, 1].map(|half| (1..8).all(|at| file.get(2 * at + half) == Some(&0)));
        if NAMED && file.len() >= 16 && zero != one {
            return Err(KeyError::Text(
                "it is UTF-16, as PowerShell and Notepad write it; save it as UTF-8",
            ));
        }
        Ok(Self(match std::str::from_utf8(file) {
            Ok(text) if text.bytes().all(|byte| byte >= b'\t') => {
                Bytes::Text(text.strip_prefix('\u{feff}').unwrap_or(text))
            }
            _ => Bytes::Binary(file),
        }))
    }

    /// Lists the entries, without empty lines and comments.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let (rest, binary) = match self.0 {
            Bytes::Text(text) => (text, None),
            Bytes::Binary(bytes) => ("", Some(Content::Binary(bytes))),
        };
        let binary = binary.map(|content| Entry {
            line: 1,
            content,
            comment: None,
        });
        let entries = Entries {
            rest,
            line: 1,
            above: None,
        };
        iter::chain(binary, entries)
    }

    /// Returns all of the file as one key, below comments. Base64 may span several lines.
    pub fn single(&self) -> Content<'a> {
        match self.0 {
            Bytes::Text(mut text) => {
                while let Some(comment) = text.trim_start().strip_prefix('#') {
                    text = comment.split_once('\n').map_or("", |(_, below)| below);
                }
                Content::detect(text)
            }
            Bytes::Binary(bytes) => Content::Binary(bytes),
        }
    }

    fn bytes(&self) -> &'a [u8] {
        match self.0 {
            Bytes::Text(text) => text.as_bytes(),
            Bytes::Binary(bytes) => bytes,
        }
    }

    /// Returns the text without a byte order mark; `None` if it is binary.
    pub fn text(&self) -> Option<&'a str> {
        match self.0 {
            Bytes::Text(text) => Some(text),
            Bytes::Binary(_) => None,
        }
    }

    /// Reads all private keys, at least one. `kem` as in [`read_private`](super::read_private).
    /// Other text and other blocks may surround PEM blocks (RFC 7468, section 2), and a JWK Set may
    /// have other keys (RFC 7517, section 5); `skipped` is called with each such entry.
    ///
    /// # Errors
    /// The error of the first entry that should be a private key and is not.
    pub fn private_keys(
        &self,
        kem: Option<&'static DynKem>,
        skipped: impl FnMut(&Entry<'a>),
    ) -> Result<Vec<LabelledKey>, LineError> {
        let (keys, _) = self.private_keys_and(kem, |_| Ok(None::<Infallible>), skipped)?;
        Ok(keys)
    }

    /// Reads all private keys, and the entries from which `take` makes something else; at least one
    /// of both.
    ///
    /// # Errors
    /// As [`Self::private_keys`], and the errors of `take`.
    pub fn private_keys_and<T>(
        &self,
        kem: Option<&'static DynKem>,
        mut take: impl FnMut(&Entry<'a>) -> Result<Option<T>, KeyError>,
        mut skipped: impl FnMut(&Entry<'a>),
    ) -> Result<(Vec<LabelledKey>, Vec<T>), LineError> {
        check_size(self.bytes())?;
        let whole = self.single();
        // Base64 of one key may span several lines.
        if let (Content::Line(_), Some(text)) = (whole, self.text())
            && !text.contains('#')
            && let Ok(key) = whole.private(kem)
        {
            return Ok((vec![LabelledKey { key, label: None }], Vec::new()));
        }
        let entries: Vec<_> = self.entries().collect();
        let has_blocks = entries.iter().any(|entry| entry.content.is_pem());
        let (mut keys, mut others) = (Vec::with_capacity(entries.len()), Vec::new());
        for entry in &entries {
            let taken = take(entry).and_then(|taken| match taken {
                Some(other) => {
                    others.push(other);
                    Ok((Vec::new(), true))
                }
                None => entry.content.private_keys(kem),
            });
            match taken {
                Ok((found, all)) => {
                    keys.extend(found.into_iter().map(|key| {
                        let label = entry.label();
                        LabelledKey { key, label }
                    }));
                    if !all {
                        skipped(entry);
                    }
                }
                Err(_) if has_blocks && !entry.content.should_be_private() => skipped(entry),
                Err(error) => {
                    let line = Some(entry.line).filter(|_| entries.len() > 1);
                    return Err(LineError { line, error });
                }
            }
        }
        if keys.is_empty() && others.is_empty() {
            let error = whole.private(kem).err();
            return Err(error.unwrap_or(KeyError::Pem).into());
        }
        Ok((keys, others))
    }
}

/// A part of a key file that should be a key.
pub struct Entry<'a> {
    /// The number of its first line, from 1.
    pub line: usize,
    /// The key.
    pub content: Content<'a>,
    comment: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// Returns the comment as a label, which may be shown. A comment that holds a key, such as one
    /// that was commented out, is not a label.
    pub fn label(&self) -> Option<String> {
        let comment = self.comment?.trim_start_matches('#').trim();
        let mut words = comment.split([' ', '\t', ':', '"', '\'', ',']);
        let secret = has_private_line(comment)
            || words.any(|word| word.len() >= 32 && read_private(word, None).is_ok());
        (!comment.is_empty() && !secret).then(|| comment.to_owned())
    }
}

/// An iterator over the entries of a text.
struct Entries<'a> {
    rest: &'a str,
    line: usize,
    /// The comment on the line above, which an empty line cancels.
    above: Option<&'a str>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        while !self.rest.is_empty() {
            let line = self.line;
            let (content, beside) = self.part();
            let comment = beside.or(self.above.take());
            match content {
                Some(content) => {
                    return Some(Entry {
                        line,
                        content,
                        comment,
                    });
                }
                None => self.above = beside,
            }
        }
        None
    }
}

impl<'a> Entries<'a> {
    /// Takes the line, block or object at the beginning, and the comment next to it; either may be
    /// missing.
    ///
    /// An object is parsed before the end of the line is searched, since one line may have
    /// thousands of objects and would be scanned once for each.
    fn part(&mut self) -> (Option<Content<'a>>, Option<&'a str>) {
        let start = self
            .rest
            .trim_start_matches(|c| is_invisible(c) && c != '\n');
        if start.starts_with('{') {
            let mut values = serde_json::Deserializer::from_str(start).into_iter::<IgnoredAny>();
            // All that follows, if the object is not valid.
            let length = match values.next() {
                Some(Ok(_)) => values.byte_offset(),
                _ => start.len(),
            };
            let object = self.take(self.rest.len() - start.len() + length);
            let line = self.rest.split('\n').next().unwrap_or_default();
            let comment = line.trim_start().strip_prefix('#');
            if comment.is_some() {
                self.take(line.len());
            }
            return (Some(Content::detect(object)), comment);
        }
        let line = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
        if !start.starts_with('#') && self.rest[..line].contains(BEGIN) {
            let block = self.take(block_len(self.rest, line));
            return (Some(Content::detect(block)), None);
        }
        let line = self.take(line);
        let (key, comment) = match line.split_once('#') {
            Some((key, comment)) => (key, Some(comment)),
            None => (line, None),
        };
        let content = Some(trim(key)).filter(|key| !key.is_empty());
        (content.map(Content::Line), comment)
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }
}

/// Returns the length up to the end of the line that ends the block, or up to the next block or the
/// end of the text if there is no such line.
fn block_len(rest: &str, first: usize) -> usize {
    let mut length = first;
    if rest[..first].contains(END) {
        return length;
    }
    for line in rest[first..].split_inclusive('\n') {
        if line.contains(BEGIN) {
            break;
        }
        length += line.len();
        if line.contains(END) {
            break;
        }
    }
    length
}
