//! Base64 (RFC 4648) as people paste it: lenient in form, strict in content.
//!
//! Accepted: line breaks and blanks anywhere, the URL alphabet, missing padding. Refused, with the place: any other character, padding
//! that is wrong or not at the end, non-zero bits after the last byte. So no two texts of one blob differ in more than form.

use std::fmt;

use data_encoding::{BASE64, BASE64_NOPAD, DecodeError, DecodeKind};
use zeroize::Zeroizing;

/// Where and why a text is not base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The place in the text, in bytes from its start.
    pub offset: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A character of neither alphabet.
    Character,
    /// The text ends in the middle of a byte.
    Length,
    /// The last character has bits that belong to no byte.
    TrailingBits,
    /// `=` in another number than the length asks for, or before the end.
    Padding,
}

/// Decodes; the result is wiped on drop, since it may be a key.
///
/// # Errors
/// The first place that is not base64.
pub fn decode(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let (symbols, padding) = symbols(text)?;
    if padding > 0 && padding != (4 - symbols.len() % 4) % 4 {
        return Err(at(text, symbols.len(), Problem::Padding));
    }
    let decoded = BASE64_NOPAD.decode(&symbols);
    decoded.map(Zeroizing::new).map_err(|DecodeError { position, kind }| at(text, position, problem(kind)))
}

/// Decodes base64url without padding (RFC 7515, section 2) and nothing else, line breaks and blanks aside.
///
/// # Errors
/// The first place that is not.
pub fn decode_url(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    match text.iter().position(|byte| b"+/=".contains(byte)) {
        Some(offset) => Err(Error { offset, problem: Problem::Character }),
        None => decode(text),
    }
}

/// Encodes in the standard alphabet, padded.
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// The characters that carry bits, in the standard alphabet, and how many `=` follow them.
fn symbols(text: &[u8]) -> Result<(Zeroizing<Vec<u8>>, usize), Error> {
    let mut symbols = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut padding = 0;
    for (offset, &byte) in text.iter().enumerate() {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'=' => padding += 1,
            _ if padding > 0 => return Err(Error { offset, problem: Problem::Padding }),
            b'-' => symbols.push(b'+'),
            b'_' => symbols.push(b'/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => symbols.push(byte),
            _ => return Err(Error { offset, problem: Problem::Character }),
        }
    }
    Ok((symbols, padding))
}

fn problem(kind: DecodeKind) -> Problem {
    match kind {
        DecodeKind::Length => Problem::Length,
        DecodeKind::Trailing => Problem::TrailingBits,
        DecodeKind::Padding => Problem::Padding,
        DecodeKind::Symbol => Problem::Character,
    }
}

/// A problem at the `nth` character that is not blank.
fn at(text: &[u8], nth: usize, problem: Problem) -> Error {
    let mut places = text.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace());
    Error { offset: places.nth(nth).map_or(text.len(), |(offset, _)| offset), problem }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.offset + 1;
        match self.problem {
            Problem::Character => write!(f, "character {place} is none of its alphabet"),
            Problem::Length => {
                write!(f, "it ends in the middle of a byte, at character {place}; was it cut when copied?")
            }
            Problem::TrailingBits => {
                write!(f, "character {place} has bits that belong to no byte; was it cut or altered?")
            }
            Problem::Padding => write!(f, "wrong padding (`=`) at character {place}"),
        }
    }
}

impl std::error::Error for Error {}
