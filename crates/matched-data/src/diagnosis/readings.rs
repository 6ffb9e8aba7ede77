//! The ways to read a text as a blob: unchanged, and with changes undone that happened on its
//! way.

use std::fmt;

use pqseal_keys::base64;

use super::Reading;
use crate::Blob;

/// A change that happened to the text of a blob.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// It is in UTF-16.
    Utf16,
    /// It is in quotes.
    Quotes,
    /// It has JSON escapes, such as `\/` or `\u002b`.
    JsonEscapes,
    /// It has URL escapes, such as `%2B`.
    PercentEncoding,
    /// It has HTML character references, such as `&#43;`.
    Html,
    /// A mark of truncation follows it, such as `...` or `[truncated]`.
    TruncationMark,
    /// Its `+` became spaces, as when a form is decoded twice.
    BlanksForPlus,
    /// It is in hexadecimal digits instead of base64.
    Hex,
    /// It is base64 of base64.
    TwiceBase64,
    /// One to three characters follow its end, such as a comma.
    TrailingCharacters,
}

impl Repair {
    /// Returns the code by which programs distinguish repairs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Utf16 => "utf16",
            Self::Quotes => "quotes",
            Self::JsonEscapes => "json_escapes",
            Self::PercentEncoding => "percent_encoding",
            Self::Html => "html",
            Self::TruncationMark => "truncation_mark",
            Self::BlanksForPlus => "blanks_for_plus",
            Self::Hex => "hex",
            Self::TwiceBase64 => "twice_base64",
            Self::TrailingCharacters => "trailing_characters",
        }
    }
}

/// Writes what happened, in a sentence.
impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf16 => "it is in UTF-16; convert it to UTF-8",
            Self::Quotes => "there are quotes around it; leave them out",
            Self::JsonEscapes => r"it has JSON escapes, such as \/; decode them",
            Self::PercentEncoding => "it has URL escapes, such as %2B; decode them",
            Self::Html => "it has HTML character references, such as &#43;; decode them",
            Self::TruncationMark => "a truncation mark follows it, such as ... or [truncated]",
            Self::BlanksForPlus => {
                "each + became a space, as when a form is decoded twice; replace each space with +"
            }
            Self::Hex => "it is hexadecimal; convert it to base64",
            Self::TwiceBase64 => "it is base64 of base64; decode it once",
            Self::TrailingCharacters => "other characters follow its end; leave them out",
        })
    }
}

/// The header and its length field of versions 1 to 3, in bytes. A shorter text that begins like a
/// blob may be anything.
const HEADER: usize = 41;

/// Returns every reading, at least one, beginning with the text as it is.
pub(super) fn readings(input: &[u8]) -> Vec<Reading> {
    if Blob::is_binary(input) {
        return vec![Reading::new(Vec::new(), b"", Ok(input.to_vec()))];
    }
    let as_it_is = Reading::new(Vec::new(), input, Blob::decode(input));
    let mut readings = vec![as_it_is];
    let (mut repairs, mut text) = (Vec::new(), input.to_vec());
    for (repair, undo) in UNDO {
        if let Some(undone) = undo(&text) {
            repairs.push(*repair);
            text = undone;
            readings.push(Reading::new(repairs.clone(), &text, Blob::decode(&text)));
        }
    }
    // Before blanks count as plus signs: they may separate pairs of digits.
    let twice = base64::decode(&text).ok();
    let twice = twice.and_then(|inner| Blob::decode(&inner).ok());
    for (repair, bytes) in [(Repair::Hex, hex(&text)), (Repair::TwiceBase64, twice)] {
        if let Some(bytes) = bytes {
            let repairs = [&repairs[..], &[repair]].concat();
            readings.push(Reading::new(repairs, &text, Ok(bytes)));
        }
    }
    let blanks = replace(text.trim_ascii(), |rest| match rest {
        [b' ', ..] => Some((1, b'+')),
        _ => None,
    });
    if let Some(undone) = blanks {
        repairs.push(Repair::BlanksForPlus);
        text = undone;
        readings.push(Reading::new(repairs.clone(), &text, Blob::decode(&text)));
    }
    // Base64 that was cut within a group of four characters: without what is left of that group.
    let whole = text.trim_ascii_end();
    let shorter = (1..=3).filter_map(|less| whole.get(..whole.len().checked_sub(less)?));
    let mut shorter = shorter.filter_map(|text| Blob::decode(text).ok());
    if Blob::decode(whole).is_err()
        && let Some(bytes) = shorter.next().filter(|bytes| bytes.len() >= HEADER)
    {
        readings.push(Reading {
            is_cut: true,
            ..Reading::new(repairs, &text, Ok(bytes))
        });
    }
    if std::str::from_utf8(input).is_err() {
        readings.push(Reading::new(Vec::new(), b"", Ok(input.to_vec())));
    }
    readings
}

/// A function that undoes a change: it returns the text without it, or `None` if there is nothing
/// to undo.
type Undo = fn(&[u8]) -> Option<Vec<u8>>;

/// The changes, in the order in which they are undone. Blanks for `+` come after them.
const UNDO: &[(Repair, Undo)] = &[
    (Repair::Utf16, utf16),
    (Repair::Quotes, quotes),
    (Repair::JsonEscapes, json_escapes),
    (Repair::PercentEncoding, percent),
    (Repair::Html, html),
    (Repair::TruncationMark, truncation_mark),
];

fn utf16(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_chunks::<2>();
    let unit: fn([u8; 2]) -> u16 = match text {
        [0xff, 0xfe, ..] | [b' '..=b'~', 0, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] | [0, b' '..=b'~', ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    let text = String::from_utf16(&units)
        .ok()
        .filter(|_| rest.is_empty())?;
    Some(text.trim_start_matches('\u{feff}').as_bytes().to_vec())
}

fn quotes(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii();
    let mut inner = text;
    while let [b'"' | b'\'' | b'`', rest @ ..] = inner {
        inner = rest;
    }
    while let [rest @ .., b'"' | b'\'' | b'`'] = inner {
        inner = rest;
    }
    (!inner.is_empty() && inner.len() < text.len()).then(|| inner.to_vec())
}

fn json_escapes(text: &[u8]) -> Option<Vec<u8>> {
    if !text.contains(&b'\\') {
        return None;
    }
    let quoted = [b"\"", text.trim_ascii(), b"\""].concat();
    let text: String = serde_json::from_slice(&quoted).ok()?;
    Some(text.into_bytes())
}

fn percent(text: &[u8]) -> Option<Vec<u8>> {
    replace(text, |rest| match rest {
        [b'%', high, low, ..] => Some((3, digit(*high)? << 4 | digit(*low)?)),
        _ => None,
    })
}

/// Decodes decimal and hexadecimal references to one byte.
fn html(text: &[u8]) -> Option<Vec<u8>> {
    replace(text, |rest| {
        let body = rest.strip_prefix(b"&#")?;
        let end = body.iter().take(6).position(|byte| *byte == b';')?;
        let number = std::str::from_utf8(&body[..end]).ok()?;
        let byte = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u8::from_str_radix(hex, 16),
            None => number.parse(),
        };
        Some((end + 3, byte.ok()?))
    })
}

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

/// Removes the marks at the end of a text. Returns `None` if it has none.
fn truncation_mark(text: &[u8]) -> Option<Vec<u8>> {
    let mut rest = text.trim_ascii_end();
    let before = rest.len();
    while let Some(mark) = MARKS.iter().find(|mark| {
        let start = rest.len().checked_sub(mark.len());
        start.is_some_and(|start| rest[start..].eq_ignore_ascii_case(mark))
    }) {
        rest = rest[..rest.len() - mark.len()].trim_ascii_end();
    }
    (rest.len() < before).then(|| rest.to_vec())
}

/// Replaces every part of the text for which `found` returns its length and its byte. Returns
/// `None` if nothing changes.
fn replace(text: &[u8], found: impl Fn(&[u8]) -> Option<(usize, u8)>) -> Option<Vec<u8>> {
    let (mut rest, mut replaced) = (text, Vec::with_capacity(text.len()));
    while let [first, ..] = rest {
        let (len, byte) = found(rest).unwrap_or((1, *first));
        replaced.push(byte);
        rest = &rest[len..];
    }
    (replaced != text).then_some(replaced)
}

/// Decodes hexadecimal digits, as databases and packet dumps write them: with a prefix, or with
/// colons, blanks or dashes between pairs.
fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii();
    let prefix = HEX_PREFIXES.iter().find(|prefix| text.starts_with(prefix));
    let text = &text[prefix.map_or(0, |prefix| prefix.len())..];
    let text: Vec<u8> = (text.iter().copied())
        .filter(|byte| !byte.is_ascii_whitespace() && !b":-".contains(byte))
        .collect();
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        return None;
    }
    (pairs.iter())
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
        .collect()
}

/// What PostgreSQL, programming languages and SQL write before hexadecimal digits. The quote at
/// their end has been removed.
const HEX_PREFIXES: [&[u8]; 5] = [br"\x", b"0x", b"0X", b"x'", b"X'"];

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}
