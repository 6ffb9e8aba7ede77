//! JSON strings, and plaintext put into JSON.

use alloc::{borrow::Cow, format, vec::Vec};

use memchr::memchr;

use super::{
    Scanner,
    scan::{Event, plain},
    validate,
};

/// The maximum depth of a plaintext that is embedded as JSON. Parsers accept between 128 and 1,000
/// levels, and the record itself needs some.
const MAX_EMBEDDED_DEPTH: usize = 64;

/// Returns the content of a quoted string, or `None` for another value. A string with escapes must
/// be valid Unicode; in one without, bytes that are not UTF-8 are kept.
pub fn decode_string(quoted: &[u8]) -> Option<Cow<'_, [u8]>> {
    let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    match memchr(b'\\', inner) {
        None => Some(Cow::Borrowed(inner)),
        Some(_) => {
            validate(quoted).ok()?;
            decode_bytes(quoted).filter(|text| core::str::from_utf8(text).is_ok())
        }
    }
}

/// Returns the content of a quoted string of a valid record, or `None` for another value. Bytes
/// that are not UTF-8 are kept, and a lone surrogate becomes three bytes (WTF-8).
pub fn decode_bytes(quoted: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut rest = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr(b'\\', rest).is_none() {
        return Some(rest.into());
    }
    let mut text = Vec::with_capacity(rest.len());
    while let Some(at) = memchr(b'\\', rest) {
        text.extend_from_slice(&rest[..at]);
        let (code, length) = escape(&rest[at..])?;
        push(code, &mut text);
        rest = rest[at..].get(length..)?;
    }
    text.extend_from_slice(rest);
    Some(text.into())
}

/// Returns the code point of the escape at the beginning of a text, or its surrogate, and the
/// length of the escape.
fn escape(text: &[u8]) -> Option<(u32, usize)> {
    Some(match text.get(1)? {
        b'u' => {
            let (unit, next) = (unit(text)?, text.get(6..).and_then(unit));
            match next.and_then(|next| pair(unit, next)) {
                Some(code) => (code, 12),
                None => (unit.into(), 6),
            }
        }
        b'b' => (8, 2),
        b'f' => (12, 2),
        b'n' => (10, 2),
        b'r' => (13, 2),
        b't' => (9, 2),
        other => ((*other).into(), 2),
    })
}

/// Returns the length of the escape at the beginning of a text, and that of its decoded text.
pub(super) fn escape_length(text: &[u8]) -> (usize, usize) {
    let Some((code, length)) = escape(text) else {
        return (text.len(), text.len());
    };
    // A surrogate takes three bytes.
    (length, char::from_u32(code).map_or(3, char::len_utf8))
}

/// Returns the code unit of an escape such as `\u00e9`.
fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns the character of a surrogate pair.
fn pair(high: u16, low: u16) -> Option<u32> {
    let character = char::decode_utf16([high, low]).next()?.ok()?;
    (character.len_utf16() == 2).then_some(character.into())
}

/// Appends a code point in UTF-8, or a surrogate in WTF-8.
fn push(code: u32, text: &mut Vec<u8>) {
    match char::from_u32(code) {
        Some(character) => text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => text.extend(
            [
                code >> 12 | 0xe0,
                code >> 6 & 0x3f | 0x80,
                code & 0x3f | 0x80,
            ]
            .map(|byte| byte.to_le_bytes()[0]),
        ),
    }
}

/// The first of the surrogates that are the second one of a pair.
const FIRST_LOW: u16 = 0xdc00;

/// Returns the surrogate at the beginning of the bytes, in WTF-8.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xed, b @ 0xa0..=0xbf, c @ 0x80..=0xbf, ..] => {
            Some(0xd000 | u16::from(b & 0x3f) << 6 | u16::from(c & 0x3f))
        }
        _ => None,
    }
}

/// Reports whether a text has a lone surrogate.
pub fn has_surrogate(text: &[u8]) -> bool {
    memchr::memchr_iter(0xed, text).any(|at| surrogate(&text[at..]).is_some())
}

/// Returns a quoted string, and whether it is lossy. A lone surrogate, as [`decode_bytes`] returns
/// it, becomes an escape again. Other bytes that are not UTF-8 become U+FFFD, which is a loss.
pub fn encode_string(bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut quoted = Vec::with_capacity(bytes.len() + 2);
    let lossy = write_string(bytes, &mut quoted);
    (quoted, lossy)
}

/// Appends the result of [`encode_string`] and returns whether it is lossy.
pub fn write_string(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    match core::str::from_utf8(bytes) {
        Ok(_) => {
            out.push(b'"');
            write_inside(bytes, out);
            out.push(b'"');
            false
        }
        Err(_) => write_bytes(bytes, out),
    }
}

/// Appends bytes that are not UTF-8. Two adjacent surrogates would be read as a pair, which is
/// another text, so the second one is replaced.
fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let (mut rest, mut is_lossy, mut follows_high) = (bytes, false, false);
    out.push(b'"');
    while let Err(error) = core::str::from_utf8(rest) {
        let (text, bad) = rest.split_at(error.valid_up_to());
        write_inside(text, out);
        follows_high &= text.is_empty();
        let half = surrogate(bad).filter(|unit| !follows_high || *unit < FIRST_LOW);
        let length = match half {
            Some(unit) => {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                3
            }
            None => {
                out.extend_from_slice("\u{fffd}".as_bytes());
                is_lossy = true;
                error.error_len().unwrap_or(bad.len())
            }
        };
        follows_high = half.is_some_and(|unit| unit < FIRST_LOW);
        rest = &bad[length..];
    }
    write_inside(rest, out);
    out.push(b'"');
    is_lossy
}

/// Appends the content of a string without its quotes.
fn write_inside(mut text: &[u8], out: &mut Vec<u8>) {
    loop {
        let (clear, rest) = text.split_at(plain(text));
        out.extend_from_slice(clear);
        let Some((byte, rest)) = rest.split_first() else {
            return;
        };
        let letter = match byte {
            b'"' | b'\\' => *byte,
            8 => b'b',
            9 => b't',
            10 => b'n',
            12 => b'f',
            13 => b'r',
            0..=0x1f => {
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                text = rest;
                continue;
            }
            _ => {
                out.push(*byte);
                text = rest;
                continue;
            }
        };
        out.extend([b'\\', letter]);
        text = rest;
    }
}

/// Returns a plaintext that is JSON, on one line, or `None` if it is not JSON or is too deep.
pub fn embed(plaintext: &[u8]) -> Option<Vec<u8>> {
    core::str::from_utf8(plaintext).ok()?;
    let mut depth = 0_usize;
    for event in Scanner::new(plaintext) {
        match event.ok()? {
            Event::Begin(_) if depth == MAX_EMBEDDED_DEPTH => return None,
            Event::Begin(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    // In valid JSON a line break is white space.
    Some(on_one_line(plaintext.trim_ascii(), b"\r\n"))
}

/// Returns a part of a record, in which only line feeds become spaces, or `None` if it is not JSON.
/// Bytes that are not UTF-8 are kept, and it may be as deep as a record.
pub fn embed_exact(plaintext: &[u8]) -> Option<Vec<u8>> {
    validate(plaintext).ok()?;
    Some(on_one_line(plaintext, b"\n"))
}

/// Replaces each of the bytes `breaks` with a space.
pub fn on_one_line(text: &[u8], breaks: &[u8]) -> Vec<u8> {
    let bytes = text.iter().map(|byte| match breaks.contains(byte) {
        true => b' ',
        false => *byte,
    });
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_are_written_and_read_as_serde_json_does(
            text in r#"(?s:[\x00-\x1f"\\a\u{7f}é☃😀]|a{9}|.){0,40}"#,
            inside in r#"(?s:\\u[dD][89a-f]0[0-9]|\\["\\/bfnrtux]|\\u00e9|["\\\n]|.){0,12}"#,
        ) {
            let mut quoted = Vec::new();
            prop_assert!(!write_string(text.as_bytes(), &mut quoted));
            prop_assert_eq!(&quoted, &serde_json::to_vec(&text).unwrap());
            prop_assert_eq!(decode_string(&quoted).unwrap(), text.as_bytes());
            let inside = alloc::format!("\"{inside}\"");
            let decoded = decode_string(inside.as_bytes());
            // A string without escapes is not checked.
            if inside.contains('\\') {
                let expected = serde_json::from_str::<String>(&inside).ok();
                prop_assert_eq!(decoded, expected.map(|text| text.into_bytes().into()));
            }
        }
    }
}
