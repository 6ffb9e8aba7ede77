//! Truncated texts: the marks that log stores leave, and the lengths at which they truncate.

use crate::Blob;

/// The marks that log stores and pagers write in place of the missing part.
const MARKS: [&[u8]; 9] = [
    b"...",
    "\u{2026}".as_bytes(),
    b"&hellip;",
    b"&#8230;",
    b"&#x2026;",
    b"[...]",
    b"[truncated]",
    b"(truncated)",
    b"<truncated>",
];

/// The header and its length field of versions 1 to 3, in bytes. A shorter text that begins like a
/// blob may be anything.
const HEADER: usize = 41;

/// Removes the marks at the end of a text. Returns `None` if it has none.
pub(super) fn without_mark(text: &[u8]) -> Option<Vec<u8>> {
    let mut rest = text.trim_ascii_end();
    let before = rest.len();
    while let Some(shorter) = MARKS.iter().find_map(|mark| strip_end(rest, mark)) {
        rest = shorter.trim_ascii_end();
    }
    (rest.len() < before).then(|| rest.to_vec())
}

fn strip_end<'a>(text: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
    let (rest, last) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    last.eq_ignore_ascii_case(end).then_some(rest)
}

/// Decodes base64 that was cut within a group of four characters, without the one to three
/// characters left of that group.
pub(super) fn whole_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii_end();
    if Blob::decode(text).is_ok() {
        return None;
    }
    let shorter = (1..=3).filter_map(|less| text.get(..text.len().checked_sub(less)?));
    let mut bytes = shorter.filter_map(|text| Blob::decode(text).ok());
    bytes.next().filter(|bytes| bytes.len() >= HEADER)
}

/// Counts the characters of a text, without line breaks and without spaces at its ends.
pub(super) fn characters(text: &[u8]) -> usize {
    let is_break = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    let text = text.trim_ascii();
    text.len() - text.iter().filter(is_break).count()
}

/// Reports whether a text of this length ends where log stores truncate: at powers of two from 256
/// characters, round thousands, and one to three characters less.
pub(super) fn is_limit(characters: usize) -> bool {
    let is_round = |limit: usize| limit.is_power_of_two() || limit.is_multiple_of(1000);
    characters >= 253 && (0..=3).any(|less| is_round(characters + less))
}
