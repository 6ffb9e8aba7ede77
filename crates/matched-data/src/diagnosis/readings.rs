//! The ways to read a text as a blob: unchanged, and with changes undone that happened on its
//! way.

use std::fmt;

use pqseal_keys::base64;

use super::{Diagnosis, Finding, Header, cut};
use crate::{Blob, Error, Trailing};

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

/// A text, read in one way.
pub(super) struct Reading {
    repairs: Vec<Repair>,
    pub(super) bytes: Result<Vec<u8>, Error>,
    /// The length of the text, without line breaks and without spaces at its ends; 0 for bytes
    /// that are not text.
    pub(super) characters: usize,
    pub(super) is_one_case: bool,
    /// Set if the text itself shows that its end is missing.
    pub(super) is_cut: bool,
}

impl Reading {
    pub(super) fn with(&self, finding: Finding) -> Diagnosis {
        let mut repairs = self.repairs.clone();
        // Only the complete bytes were read, and they are all of the blob.
        let is_marked = repairs.contains(&Repair::TruncationMark);
        if self.is_cut && !is_marked && finding.code() == "opens" {
            repairs.push(Repair::TrailingCharacters);
        }
        Diagnosis {
            repairs,
            header: self.header().filter(|_| finding.code() != "no_header"),
            finding,
        }
    }

    fn header(&self) -> Option<Header> {
        let found = Blob::describe(self.bytes.as_ref().ok()?).ok()?;
        Some(Header {
            version: found.version,
            specification: found.specification,
            key_id: found.key_id,
        })
    }

    /// Returns the number of characters that encode this many bytes.
    pub(super) fn characters_of(&self, bytes: u64) -> u64 {
        match self.repairs.contains(&Repair::Hex) {
            true => bytes.saturating_mul(2),
            // Four characters encode three bytes.
            false => bytes.div_ceil(3).saturating_mul(4),
        }
    }

    pub(super) fn is_v4(&self) -> bool {
        matches!(self.bytes.as_deref(), Ok([4, ..]))
    }

    /// Reports whether its bytes are a blob, nothing follows it, and no end is known to be
    /// missing.
    pub(super) fn is_whole(&self) -> bool {
        let parse = |bytes: &Vec<u8>| Blob::parse(bytes, Trailing::Refuse).is_ok();
        !self.is_cut && self.bytes.as_ref().is_ok_and(parse) && self.is_plausible()
    }

    /// Reports whether its bytes are a blob that a key could open, or one whose end is missing.
    pub(super) fn is_plausible(&self) -> bool {
        let Ok(bytes) = &self.bytes else { return false };
        match Blob::parse(bytes, Trailing::Ignore) {
            Ok(Blob::V1to3(_)) => true,
            Ok(Blob::V4(_)) => Blob::describe(bytes).is_ok_and(|found| found.problem.is_none()),
            // The length field of other data is random, and far larger than any payload.
            Err(Error::TooShort { needed, .. }) => needed < 1 << 32,
            Err(_) => false,
        }
    }

    fn new(repairs: Vec<Repair>, text: &[u8], bytes: Result<Vec<u8>, Error>) -> Self {
        Self {
            bytes,
            characters: cut::characters(text),
            is_one_case: is_one_case(text),
            is_cut: repairs.contains(&Repair::TruncationMark),
            repairs,
        }
    }

    /// Reads a text that ends in the middle of a byte, and so was cut: only the complete bytes.
    fn of_cut(repairs: &[Repair], text: &[u8]) -> Option<Self> {
        let bytes = cut::whole_bytes(text)?;
        Some(Self {
            is_cut: true,
            ..Self::new(repairs.to_vec(), text, Ok(bytes))
        })
    }
}

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
    readings.extend(other_encodings(&repairs, &text));
    if let Some(undone) = blanks(&text) {
        repairs.push(Repair::BlanksForPlus);
        text = undone;
        readings.push(Reading::new(repairs.clone(), &text, Blob::decode(&text)));
    }
    readings.extend(Reading::of_cut(&repairs, &text));
    if std::str::from_utf8(input).is_err() {
        readings.push(Reading::new(Vec::new(), b"", Ok(input.to_vec())));
    }
    readings
}

/// A function that undoes a change: it returns the text without it, or `None` if there is nothing
/// to undo.
type Undo = fn(&[u8]) -> Option<Vec<u8>>;

/// The changes, in the order in which they are undone. [`blanks`] comes after them.
const UNDO: &[(Repair, Undo)] = &[
    (Repair::Utf16, utf16),
    (Repair::Quotes, quotes),
    (Repair::JsonEscapes, json_escapes),
    (Repair::PercentEncoding, percent),
    (Repair::Html, html),
    (Repair::TruncationMark, cut::without_mark),
];

/// Decodes the text in encodings of the blob other than base64.
fn other_encodings(repairs: &[Repair], text: &[u8]) -> Vec<Reading> {
    let twice = || {
        let inner = base64::decode(text).ok()?;
        Blob::decode(&inner).ok()
    };
    let found = [(Repair::Hex, hex(text)), (Repair::TwiceBase64, twice())];
    let reading = |(repair, bytes): (Repair, Option<Vec<u8>>)| {
        let repairs = [repairs, &[repair]].concat();
        Some(Reading::new(repairs, text, Ok(bytes?)))
    };
    found.into_iter().filter_map(reading).collect()
}

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
    let is_quote = |byte: &u8| b"\"'`".contains(byte);
    let inner = text.trim_ascii();
    let start = inner.iter().take_while(|byte| is_quote(byte)).count();
    let end = inner.iter().rev().take_while(|byte| is_quote(byte)).count();
    let inner = inner.get(start..inner.len().checked_sub(end)?)?;
    (start + end > 0).then(|| inner.to_vec())
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

fn blanks(text: &[u8]) -> Option<Vec<u8>> {
    replace(text.trim_ascii(), |rest| match rest {
        [b' ', ..] => Some((1, b'+')),
        _ => None,
    })
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
    let byte = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
    pairs.iter().map(byte).collect()
}

/// What PostgreSQL, programming languages and SQL write before hexadecimal digits. The quote at
/// their end has been removed.
const HEX_PREFIXES: [&[u8]; 5] = [br"\x", b"0x", b"0X", b"x'", b"X'"];

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// Reports whether all letters have the same case. Base64 of a blob has both: the probability
/// that 80 letters have one case is 2^-79. Hexadecimal digits have no letters after F.
fn is_one_case(text: &[u8]) -> bool {
    let is_after_f = |byte: &u8| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit();
    if text.iter().filter(|byte| is_after_f(byte)).count() < 20 {
        return false;
    }
    let capitals = text.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
    let letters = letters.count();
    letters >= 40 && (capitals == 0 || capitals == letters)
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
