//! JWE in compact serialization (RFC 7516, section 7.1), by the HPKE algorithms of JOSE-HPKE.

use pqseal_formats::{
    Error as JweError, PrivateKey,
    jwe::{self, RecipientHeader},
};
use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{ALGORITHMS, Algorithm, base64};
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

/// Reports whether the text is cut off before its fifth part. A signed token (JWS) has three parts.
pub(crate) fn is_cut(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let dots = text.iter().filter(|byte| **byte == b'.').count();
    begins_with_object(text) && dots < 4 && dots != 2
}

/// Reports whether a JWE has an algorithm of HPKE.
pub(crate) fn is_supported(text: &[u8]) -> bool {
    compact(text).is_some_and(|jwe| algorithm(jwe).is_ok())
}

/// Returns the algorithm of a JWE.
fn algorithm(jwe: &str) -> Result<Algorithm, Error> {
    let (_, recipients) = jwe::inspect(jwe).map_err(Error::Jwe)?;
    let name = text_of(&recipients, "alg").unwrap_or_default();
    let known = ALGORITHMS.iter().find(|alg| alg.name() == name);
    known
        .copied()
        .ok_or_else(|| Error::JweAlgorithm(name.chars().take(64).collect()))
}

fn text_of<'a>(recipients: &'a [RecipientHeader], name: &str) -> Option<&'a str> {
    let mut values = recipients.iter().filter_map(|each| each.header.get(name));
    values.find_map(Value::as_str)
}

/// The private keys of a ring, each with its index, for all algorithms of their KEMs.
#[derive(Default)]
pub(crate) struct JweOpener(Vec<(usize, PrivateKey)>);

impl JweOpener {
    /// Adds the key at this index of a ring.
    pub(crate) fn add(&mut self, place: usize, key: &AnyPrivateKey) {
        self.0.push((place, PrivateKey::new(key.clone())));
    }

    /// Opens a JWE. Returns the index of the key, and the plaintext. The `kid` is not used, since
    /// the keys of a ring have none.
    pub(crate) fn open(&self, jwe: &str) -> Result<(usize, Vec<u8>), Error> {
        let alg = algorithm(jwe)?;
        let mut error = Error::NoJweKey(alg.name());
        for (place, key) in self.of(alg) {
            match jwe::Opener::new(&[alg]).key(key).open(jwe) {
                Ok(opened) => return Ok((*place, opened.plaintext.to_vec())),
                Err(JweError::Open) => error = Error::NoKeyOpens,
                Err(JweError::Hpke(hpke)) => return Err(Error::Hpke(hpke)),
                Err(other) => return Err(Error::Jwe(other)),
            }
        }
        Err(error)
    }

    /// Returns the indices of the keys that are tried for a text.
    pub(crate) fn places(&self, text: &[u8]) -> Vec<usize> {
        let alg = compact(text).and_then(|jwe| algorithm(jwe).ok());
        let keys = alg.into_iter().flat_map(|alg| self.of(alg));
        keys.map(|(place, _)| *place).collect()
    }

    fn of(&self, alg: Algorithm) -> impl Iterator<Item = &(usize, PrivateKey)> {
        let kem = alg.suite_id().kem;
        self.0
            .iter()
            .filter(move |(_, key)| key.key().kem().id == kem)
    }
}

/// Returns the algorithms and the `kid` in the header of a JWE.
pub(crate) fn describe(jwe: &str) -> Result<(String, Option<String>), Error> {
    let (_, recipients) = jwe::inspect(jwe).map_err(Error::Jwe)?;
    let algorithms: Vec<_> = (["alg", "enc"].into_iter())
        .filter_map(|name| text_of(&recipients, name))
        .collect();
    let kid = text_of(&recipients, "kid").map(str::to_owned);
    Ok((algorithms.join(", "), kid))
}
