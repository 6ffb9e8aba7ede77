//! Detection of texts that may be private keys, for programs that must not show or overwrite one.

use super::{KeyError, line, read_private};
use crate::{base64, kems};

/// The marks of private key formats, which nothing else contains.
const MARKS: [&str; 4] = [line::PRIVATE, "PRIVATE KEY", AGE[0], AGE[1]];
/// The beginnings of age identities that are private keys (<https://c2sp.org/age>).
const AGE: [&str; 2] = ["AGE-SECRET-KEY-", "AGE-PLUGIN-PQSEAL-"];
/// The prefix of age recipients, including those of its plugins (<https://c2sp.org/age>).
const AGE_RECIPIENT: &str = "age1";
/// The size of the shortest private key, in bytes.
const SHORTEST: usize = 32;

/// Reports whether a text is marked as a private key: a pqseal line, PEM or an age identity,
/// complete or not. Programs use it to refuse a private key where a public one is expected.
///
/// ```
/// assert!(pqseal_keys::says_private("pqseal-private-key:x25519:AAAA"));
/// assert!(!pqseal_keys::says_private("pqseal-public-key:x25519:AAAA"));
/// ```
#[must_use]
pub fn says_private(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Reports whether a text may be a private key, in any format. Such a text must not be repeated in
/// a message. Base64 of 31 bytes or more counts: the shortest key has 32, and the last one may have
/// been cut off. A recipient of age does not count, although one in sixteen is valid base64.
///
/// ```
/// assert!(pqseal_keys::looks_secret("wHjQVnlEnIjEaOcWBpJy2tOZh3cSdGi4iVrOxzM9SE8="));
/// assert!(!pqseal_keys::looks_secret("age16euz7adwlmj8yjsg7q397njnl3ylv9jpwsv3q4a8895htwdfzg3qwak5vg"));
/// ```
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    says_private(text)
        || ["\"private_key\"", "\"kty\""]
            .iter()
            .any(|mark| text.contains(mark))
        || (!text.starts_with(AGE_RECIPIENT)
            && base64::decode(text.as_bytes()).is_ok_and(|bytes| bytes.len() >= SHORTEST - 1))
}

/// Reports whether a text contains a private key on one line, or what remains of one.
pub(super) fn has_private_line(text: &str) -> bool {
    text.contains(line::PRIVATE) || AGE.iter().any(|mark| text.contains(mark))
}

/// Reports whether a file is a private or public key, which must not be overwritten. A damaged
/// private key counts, since there may be no other copy. Base64 of the size of some private key
/// counts too, even if it is something else of that size, such as a blob of matched data.
#[must_use]
pub fn holds_key(file: impl AsRef<[u8]>) -> bool {
    let file = file.as_ref();
    let parsed = matches!(
        read_private(file, None),
        Ok(_) | Err(KeyError::Calendar | KeyError::PublicOnly | KeyError::Encrypted)
    );
    parsed || std::str::from_utf8(file).is_ok_and(|text| says_private(text) || is_raw(text))
}

fn is_raw(text: &str) -> bool {
    base64::decode(text.as_bytes())
        .is_ok_and(|bytes| kems().any(|kem| kem.info().n_sk == bytes.len()))
}
