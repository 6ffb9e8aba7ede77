//! The form of a blob in base64, without reading it.

/// The shortest blob that is recognised, in bytes of base64: version 3 without plaintext.
const SHORTEST: usize = 76;

/// Reports whether a text may be the base64 of a blob.
pub(crate) fn is_blob(line: &[u8]) -> bool {
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=-_\"".contains(byte);
    line.len() >= SHORTEST && line.trim_ascii().iter().all(base64)
}
