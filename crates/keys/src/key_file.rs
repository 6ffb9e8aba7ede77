//! Key files with several keys, which people keep as notes: one after another, with comments that
//! name them.
//!
//! A key is a line of its own, a PEM block or a JSON object. `#` starts a comment, which labels the
//! key next to it, or else the key on the next line. Other text and other blocks may surround PEM
//! blocks (RFC 7468, section 2).

use pqseal_hpke::DynKem;
use serde::de::IgnoredAny;

use super::{KeyError, LabelledKey, LineError, line, pem, read_private};

/// A part of the text that should be a key.
struct Item<'a> {
    /// The number of its first line, from 1.
    line: usize,
    label: Option<&'a str>,
    text: &'a str,
}

pub(super) fn read(
    text: &str,
    kem: Option<&'static DynKem>,
) -> Result<Vec<LabelledKey>, LineError> {
    let at = |line, error| LineError { line, error };
    let has_blocks = text.contains(pem::BEGIN);
    // Base64 of one key may span several lines.
    if !has_blocks
        && !text.contains(['#', '{'])
        && let Ok(key) = read_private(text, kem)
    {
        return Ok(vec![LabelledKey { key, label: None }]);
    }
    let items = items(text);
    let mut keys = Vec::with_capacity(items.len());
    for item in &items {
        match read_private(item.text, kem) {
            Ok(key) => keys.push(LabelledKey {
                key,
                label: item.label.and_then(label),
            }),
            Err(_) if has_blocks && item.may_be_other_text() => {}
            Err(error) => return Err(at(Some(item.line).filter(|_| items.len() > 1), error)),
        }
    }
    if keys.is_empty() {
        let why = read_private(text, kem).err().unwrap_or(KeyError::Pem);
        return Err(at(None, why));
    }
    Ok(keys)
}

impl Item<'_> {
    fn may_be_other_text(&self) -> bool {
        !self.text.starts_with(line::PRIVATE)
            && !self.text.contains(pem::PRIVATE)
            && !self.text.starts_with('{')
    }
}

fn items(text: &str) -> Vec<Item<'_>> {
    let (mut items, mut above) = (Vec::<Item<'_>>::new(), None);
    let (mut rest, mut line) = (text, 1);
    while !rest.is_empty() {
        let within_line =
            rest.len() < text.len() && !text[..text.len() - rest.len()].ends_with('\n');
        let (item, after) = rest.split_at(length(rest));
        let begins = line;
        line += item.matches('\n').count();
        rest = after;
        let (key, comment) = parts(item.trim());
        if !key.is_empty() {
            items.push(Item {
                line: begins,
                label: comment.or(above),
                text: key,
            });
        } else if let Some(item) = items.last_mut().filter(|_| within_line) {
            item.label = comment.or(item.label);
        }
        // A comment on its own line labels the next line; an empty line cancels it.
        above = comment.filter(|_| key.is_empty() && !within_line);
    }
    items
}

/// Splits a line into the key and the comment next to it, either of which may be missing.
fn parts(item: &str) -> (&str, Option<&str>) {
    let is_line = item.starts_with('#') || !item.starts_with('{') && !item.contains(pem::BEGIN);
    match item.split_once('#').filter(|_| is_line) {
        Some((key, comment)) => (key.trim(), Some(comment)),
        None => (item, None),
    }
}

/// Returns the length in bytes of the line at the beginning of `rest`, or of the block or object
/// that begins there.
///
/// An object is parsed before the end of the line is searched, since one line may have thousands of
/// objects and would be scanned once for each.
fn length(rest: &str) -> usize {
    let start = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
    if start.starts_with('{') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        return match values.next() {
            Some(Ok(_)) => values.byte_offset(),
            _ => rest.len(),
        };
    }
    let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
    if !start.starts_with('#') && rest[..line].contains(pem::BEGIN) {
        return block(rest, line);
    }
    line
}

/// Returns the length up to the end of the line that ends the block, or to the next block if none
/// does.
fn block(rest: &str, first: usize) -> usize {
    let mut length = first;
    for line in rest[first..].split_inclusive('\n') {
        if line.contains(pem::BEGIN) {
            break;
        }
        length += line.len();
        if line.contains(pem::END) {
            break;
        }
    }
    length
}

/// Returns a comment as a label, which will be shown, unless it holds a key, such as one that was
/// commented out.
fn label(comment: &str) -> Option<String> {
    let comment = comment.trim_start_matches('#').trim();
    let is_key = |word: &str| word.len() >= 32 && read_private(word, None).is_ok();
    let secret = comment.contains(line::PRIVATE)
        || comment.split([' ', '\t', ':', '"', '\'', ',']).any(is_key);
    (!comment.is_empty() && !secret).then(|| comment.to_owned())
}

impl LineError {
    /// Returns [`KeyError::code`].
    pub const fn code(&self) -> &'static str {
        self.error.code()
    }
}

impl std::fmt::Display for LineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.error),
            None => self.error.fmt(f),
        }
    }
}

impl std::error::Error for LineError {}

impl From<KeyError> for LineError {
    fn from(error: KeyError) -> Self {
        Self { line: None, error }
    }
}
