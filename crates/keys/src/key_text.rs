//! Key files as people and programs keep them, before any key in them is parsed: the only reader of
//! such text.
//!
//! A byte order mark, and line ends, indentation, invisible characters and quotes around an entry
//! are removed. Errors name encodings that are not read ([`KeyError::Text`]). Without the feature
//! `all`, quotes and invisible characters stay, no encoding is named, and a JWK Set is not read.

mod content;
mod entries;

use std::{convert::Infallible, iter};

use pqseal_hpke::DynKem;

pub use content::Content;
use entries::Entries;
pub use entries::Entry;

use super::{KeyError, LabelledKey, LineError, NAMED, check_size};

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
        if is_utf16(file) {
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
        let (text, binary) = match self.0 {
            Bytes::Text(text) => (text, None),
            Bytes::Binary(bytes) => ("", Some(Entry::binary(bytes))),
        };
        iter::chain(binary, Entries::new(text))
    }

    /// Returns all of the file as one key, below comments. Base64 may span several lines.
    pub fn single(&self) -> Content<'a> {
        match self.0 {
            Bytes::Text(text) => Content::detect(entries::after_comments(text)),
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
        let none = |_: &Entry<'a>| Ok(None::<Infallible>);
        let (keys, _) = self.private_keys_and(kem, none, skipped)?;
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

/// Reports whether every other byte of the beginning is 0, as in UTF-16 with ASCII characters
/// after the byte order mark.
fn is_utf16(file: &[u8]) -> bool {
    let zero = |half: usize| (1..8).all(|pair| file[2 * pair + half] == 0);
    NAMED && file.len() >= 16 && zero(0) != zero(1)
}
