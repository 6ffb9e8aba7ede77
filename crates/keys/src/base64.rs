//! Base64 (RFC 4648) as people paste it: lenient in form, strict in content.
//!
//! Accepted: line breaks and spaces anywhere, the URL alphabet, missing padding. Refused, with the
//! position: any other character, padding that is wrong or not at the end, non-zero bits after the
//! last byte. So two accepted texts of the same bytes differ only in white space, alphabet and
//! padding.
//!
//! Private keys are decoded too, so no character is looked up in a table: neither a branch nor an
//! address depends on which character of the alphabets it is, unless the text is refused. Branches
//! depend on the places of white space and padding.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

use std::fmt;

use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use zeroize::Zeroizing;

/// An error in base64, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The position in the text, in bytes from its start.
    pub offset: usize,
    /// The problem at this position.
    pub problem: Problem,
}

/// A kind of error in base64.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A character of neither alphabet.
    Character,
    /// The text ends in the middle of a byte.
    Length,
    /// The last character has bits that belong to no byte.
    TrailingBits,
    /// The number of `=` does not fit the length.
    Padding,
    /// Something follows the `=` at the end.
    AfterEnd,
}

/// Decodes base64. The result is wiped on drop, since it may be a key.
///
/// # Errors
/// The first position that is not base64.
pub fn decode(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    if let Some(bytes) = decode_strict(text) {
        return Ok(bytes);
    }
    let (symbols, fits) = symbols(text);
    match fits.then(|| decode_symbols(&symbols)).flatten() {
        Some(bytes) => Ok(bytes),
        None => Err(first_problem(text)),
    }
}

/// Decodes only base64url without padding (RFC 7515, section 2), with line breaks and spaces
/// allowed.
///
/// # Errors
/// The first position that is not base64url.
pub fn decode_url(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    match text.iter().position(|byte| b"+/=".contains(byte)) {
        Some(offset) => Err(Error {
            offset,
            problem: Problem::Character,
        }),
        None => decode(text),
    }
}

/// Encodes in the standard alphabet, padded.
pub fn encode(bytes: &[u8]) -> String {
    Base64::encode_string(bytes)
}

/// Encodes in base64url, without padding.
pub fn encode_url(bytes: &[u8]) -> String {
    Base64UrlUnpadded::encode_string(bytes)
}

/// Decodes the usual case in logs, without spaces or the URL alphabet, without a pass over the
/// characters first.
fn decode_strict(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let symbols = text
        .strip_suffix(b"==")
        .or_else(|| text.strip_suffix(b"="))
        .unwrap_or(text);
    if padding_fits(symbols.len(), text.len() - symbols.len()) {
        decode_symbols(symbols)
    } else {
        None
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use simd128::decode as decode_symbols;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn decode_symbols(symbols: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; symbols.len() * 3 / 4]);
    let decoded = base64ct::Base64Unpadded::decode(symbols, &mut bytes).is_ok();
    decoded.then_some(bytes)
}

/// Returns the characters without spaces and padding, in the standard alphabet, and whether the
/// padding fits. Characters of neither alphabet are kept for the decoder to refuse.
fn symbols(text: &[u8]) -> (Zeroizing<Vec<u8>>, bool) {
    let mut symbols = Zeroizing::new(Vec::with_capacity(text.len()));
    let (mut padding, mut at_the_end) = (0, true);
    for &byte in text.iter().filter(|byte| !is_blank(**byte)) {
        if byte == b'=' {
            padding += 1;
        } else {
            at_the_end &= padding == 0;
            symbols.push(standard(byte));
        }
    }
    let fits = at_the_end && padding_fits(symbols.len(), padding);
    (symbols, fits)
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

const fn padding_fits(symbols: usize, padding: usize) -> bool {
    padding == 0 || padding == (4 - symbols % 4) % 4
}

/// Maps `-` and `_` to `+` and `/`.
fn standard(byte: u8) -> u8 {
    let if_it_is = |this: u8, difference: u8| {
        (u16::from(byte ^ this).wrapping_sub(1) >> 8).to_le_bytes()[0] & difference
    };
    byte ^ if_it_is(b'-', b'-' ^ b'+') ^ if_it_is(b'_', b'_' ^ b'/')
}

/// Locates the problem in a text that a decoder refused.
fn first_problem(text: &[u8]) -> Error {
    let (mut symbols, mut padding) = (0, 0);
    for (offset, &byte) in text.iter().enumerate() {
        match byte {
            _ if is_blank(byte) => {}
            b'=' => padding += 1,
            _ if padding > 0 => {
                let problem = match padding_fits(symbols, padding) {
                    true => Problem::AfterEnd,
                    false => Problem::Padding,
                };
                return Error { offset, problem };
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_' => symbols += 1,
            _ => {
                return Error {
                    offset,
                    problem: Problem::Character,
                };
            }
        }
    }
    if !padding_fits(symbols, padding) {
        return at(text, symbols, Problem::Padding);
    }
    at(
        text,
        symbols.saturating_sub(1),
        if symbols % 4 == 1 {
            Problem::Length
        } else {
            Problem::TrailingBits
        },
    )
}

/// Makes an error at the `nth` character that is not a space.
fn at(text: &[u8], nth: usize, problem: Problem) -> Error {
    let mut places = text
        .iter()
        .enumerate()
        .filter(|(_, byte)| !is_blank(**byte));
    Error {
        offset: places.nth(nth).map_or(text.len(), |(offset, _)| offset),
        problem,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.offset + 1;
        match self.problem {
            Problem::Character => write!(f, "invalid base64 character at position {place}"),
            Problem::Length => {
                write!(
                    f,
                    "it ends in the middle of a byte, at character {place}; was it cut when copied?"
                )
            }
            Problem::TrailingBits => {
                write!(
                    f,
                    "character {place} has bits that belong to no byte; was it cut or altered?"
                )
            }
            Problem::Padding => write!(f, "wrong padding (`=`) at character {place}"),
            Problem::AfterEnd => write!(
                f,
                "something follows the end of the base64 (`=`), from character {place}"
            ),
        }
    }
}

impl std::error::Error for Error {}
