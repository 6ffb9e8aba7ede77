//! JWE in compact serialization (RFC 7516, section 7.1), by the HPKE algorithms of JOSE-HPKE.

use pqseal_formats::{Error as JweError, PrivateKey, jwe};
use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{ALGORITHMS, base64};
use serde_json::Value;

use crate::Error;

/// Returns the text of a JWE without the white space around it: five parts, the first of which is a
/// JSON object in base64url.
pub(crate) fn compact(text: &[u8]) -> Option<&str> {
    let text = text.trim_ascii();
    // Of the characters that can begin it, none begins matched data, which is the usual value.
    let may_be = matches!(text.first()?, b'e' | b'I' | b'C' | b'D');
    if !may_be || !begins_with_object(text) {
        return None;
    }
    let dots = text.iter().filter(|byte| **byte == b'.').count();
    let is_jwe = dots == 4 && !text.iter().any(u8::is_ascii_whitespace);
    str::from_utf8(text).ok().filter(|_| is_jwe)
}

/// Reports whether base64url begins a JSON object with a member. That the first byte is `{` would
/// not do, since `example.com` begins so too.
fn begins_with_object(text: &[u8]) -> bool {
    let mut expected = b"{\"".iter();
    for piece in text.chunks_exact(4) {
        let Ok(bytes) = base64::decode_url(piece) else {
            return false;
        };
        for byte in bytes.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            match expected.next() {
                None => return true,
                Some(expected) if expected != byte => return false,
                Some(_) => {}
            }
        }
    }
    expected.next().is_none()
}

/// The private keys of a ring, for all algorithms of their KEMs.
#[derive(Default)]
pub(crate) struct Opener {
    keys: Vec<PrivateKey>,
    places: Vec<usize>,
}

impl Opener {
    /// Adds the key at this index of a ring.
    pub(crate) fn add(&mut self, place: usize, key: &AnyPrivateKey) {
        self.keys.push(PrivateKey::new(key.clone()));
        self.places.push(place);
    }

    /// Opens a JWE. Returns the index of the key, and the plaintext. The `kid` is no more than a
    /// hint here, since the keys of a ring have none.
    pub(crate) fn open(&self, jwe: &str) -> Result<(usize, Vec<u8>), Error> {
        let opener = jwe::Opener::new(ALGORITHMS);
        let opener = self.keys.iter().fold(opener, jwe::Opener::key);
        match opener.open(jwe) {
            Ok(opened) => Ok((self.places[opened.key], opened.plaintext.to_vec())),
            Err(JweError::Open) => Err(Error::NoKeyOpens),
            Err(error) => Err(Error::Jwe(error)),
        }
    }

    /// Returns the indices of the keys.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.places.iter().copied()
    }
}

/// Returns the algorithms and the `kid` in the header of a JWE.
pub(crate) fn describe(jwe: &str) -> Result<(String, Option<String>), Error> {
    let (_, recipients) = jwe::inspect(jwe).map_err(Error::Jwe)?;
    let text = |name| {
        let mut values = recipients.iter().filter_map(|each| each.header.get(name));
        values.find_map(Value::as_str).map(str::to_owned)
    };
    let algorithms: Vec<_> = [text("alg"), text("enc")].into_iter().flatten().collect();
    Ok((algorithms.join(", "), text("kid")))
}
