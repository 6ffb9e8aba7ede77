//! Strings of JSON, and plaintext put into JSON.

use std::borrow::Cow;

use memchr::memchr;

use super::{Scanner, scan::Event, validate};

/// How deep a plaintext may be to be embedded as JSON: parsers give up between 128 and 1,000
/// levels, and the record has some of its own.
const MAX_EMBEDDED_DEPTH: usize = 64;

/// What a quoted string holds; `None` for what is no string, or one that no Unicode text is behind.
pub(crate) fn decode_string(quoted: &[u8]) -> Option<Cow<'_, [u8]>> {
    let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    match memchr(b'\\', inner) {
        None => Some(Cow::Borrowed(inner)),
        Some(_) => serde_json::from_slice::<String>(quoted)
            .ok()
            .map(|text| Cow::Owned(text.into_bytes())),
    }
}

/// A quoted string; bytes that are not UTF-8 become U+FFFD, and the answer says so.
pub(crate) fn encode_string(bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut quoted = Vec::with_capacity(bytes.len() + 2);
    let lossy = write_string(bytes, &mut quoted);
    (quoted, lossy)
}

/// Appends what [`encode_string`] gives.
pub(crate) fn write_string(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    };
    serde_json::to_writer(out, &*text).expect("memory takes all that is written");
    matches!(text, Cow::Owned(_))
}

/// A plaintext that is JSON itself, on one line; `None` if it is not, or too deep.
pub(crate) fn embed(plaintext: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(plaintext).ok()?;
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

/// A part of a record, as it was there; `None` if it is not JSON. Bytes that are not UTF-8 stay, and it
/// may be as deep as a record.
pub(crate) fn embed_exact(plaintext: &[u8]) -> Option<Vec<u8>> {
    validate(plaintext).ok()?;
    Some(on_one_line(plaintext, b"\n"))
}

/// With blanks for these bytes.
pub(crate) fn on_one_line(text: &[u8], breaks: &[u8]) -> Vec<u8> {
    let blank = |byte: &u8| match breaks.contains(byte) {
        true => b' ',
        false => *byte,
    };
    text.iter().map(blank).collect()
}
