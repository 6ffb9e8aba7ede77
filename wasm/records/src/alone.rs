//! Lines that are a sealed text without a record around it.

use std::borrow::Cow;

use pqseal_records::json::{decode_bytes, validate, write_string};

/// Returns the text of a line that is not JSON, without quotes and a comma after it.
pub(crate) fn text(record: &[u8]) -> Option<&[u8]> {
    let text = record.trim_ascii();
    let first = *text.first()?;
    match first {
        b'"' | b'\'' | b'`' if quoted(text, first).is_some() => quoted(text, first),
        b'{' | b'[' | b'"' | b'}' | b']' => None,
        // A number is a record.
        _ => validate(text).is_err().then_some(text),
    }
}

/// Returns the content of a word in quotes, perhaps with a comma after it.
fn quoted(text: &[u8], quote: u8) -> Option<&[u8]> {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+/=-".contains(byte);
    let text = text.strip_suffix(b",").unwrap_or(text);
    let word = text.strip_prefix(&[quote])?.strip_suffix(&[quote])?;
    word.iter().all(in_word).then_some(word)
}

/// Returns the content of a line that is a JSON string.
pub(crate) fn string(record: &[u8]) -> Option<Cow<'_, [u8]>> {
    decode_bytes(record.trim_ascii())
}

/// Returns a record with this text in a field.
pub(crate) fn record(name: &str, text: &[u8]) -> Vec<u8> {
    let mut record = b"{".to_vec();
    write_string(name.as_bytes(), &mut record);
    record.push(b':');
    write_string(text, &mut record);
    record.push(b'}');
    record
}
