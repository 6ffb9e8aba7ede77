//! JSON records in place of a blob, with blobs in their fields.

use pqseal_matched_data::TRUNCATED;
use serde_json::{Deserializer, Value};

use crate::whole::is_whole;

/// A field that holds a blob.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// The path of the field, such as `.Metadata.encrypted_matched_data`.
    pub path: String,
    /// The text of the field.
    pub text: String,
}

/// Returns the records of an input, each with the line on which it begins and its fields that
/// hold a blob. `None` if the input is not entirely JSON objects.
pub fn records(input: &[u8]) -> Option<Vec<(usize, Vec<Field>)>> {
    if !input.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let mut values = Deserializer::from_slice(input).into_iter::<Value>();
    let (mut records, mut end) = (Vec::new(), 0);
    while let Some(value) = values.next() {
        let value = value.ok().filter(Value::is_object)?;
        let blank = input[end..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        let begin = end + blank.count();
        let line = 1 + input[..begin].iter().filter(|byte| **byte == b'\n').count();
        let mut fields = Vec::new();
        collect(&value, String::new(), &mut fields);
        records.push((line, fields));
        end = values.byte_offset();
    }
    Some(records)
}

fn collect(value: &Value, path: String, fields: &mut Vec<Field>) {
    match value {
        // The word stands for a blob only where one is expected.
        Value::String(text)
            if is_whole(text.as_bytes()) && (text != TRUNCATED || path.contains("encrypted")) =>
        {
            fields.push(Field {
                path,
                text: text.clone(),
            });
        }
        Value::Object(members) => {
            (members.iter())
                .for_each(|(name, value)| collect(value, format!("{path}.{name}"), fields));
        }
        Value::Array(items) => {
            (items.iter().enumerate())
                .for_each(|(i, item)| collect(item, format!("{path}[{i}]"), fields));
        }
        _ => {}
    }
}

/// Describes a text that is not a blob, and what to do with it.
pub fn hint(input: &[u8]) -> &'static str {
    let text = input.trim_ascii();
    let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\''));
    match text {
        b"null" | b"\"\"" => "; this record has no sealed data",
        _ if text.starts_with(b"-----BEGIN AGE") => {
            "; this is an age file, not a blob: if it holds a key, give it with -k"
        }
        _ if text.starts_with(b"-----BEGIN ") => {
            "; this is a PEM file, such as a key, and not a blob: give keys with -k"
        }
        _ if text.starts_with(b"pqseal-") => {
            "; this is a key and not a blob: give private keys with -k"
        }
        _ if text.starts_with(b"{") => {
            "; this seems to be a JSON record that was cut off or altered: give all of it, or the text of the sealed field"
        }
        _ if text.starts_with(b"[") => {
            "; this seems to be a JSON array of records: `pqseal logs open` opens those"
        }
        _ if is_quote(text.first()) || is_quote(text.last()) => "; leave out the quotes around it",
        _ if text.iter().any(|byte| b"\":{}[]<>|;,".contains(byte)) => {
            "; this seems to be a whole line of a log: give the text of the sealed field, or use `pqseal logs open`"
        }
        _ => "",
    }
}
