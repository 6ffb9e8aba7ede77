//! An entry of a key file, by its format, and the key in it.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};

#[cfg(feature = "cose-key")]
use crate::cose_key;
use crate::{
    KeyError, NAMED,
    damage::{self, trim},
    der, expect, jwk, kems, line, pem, raw,
};

/// An entry of a key file, by its format.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// Base64, a pqseal line, or a line of another program, such as an age recipient.
    Line(&'a str),
    /// A PEM block, complete or cut. The text before it is left out.
    Pem {
        /// The label, such as `PRIVATE KEY`.
        label: &'a str,
        /// The block.
        text: &'a str,
    },
    /// A JSON object, complete or cut: a key-pair file, a JWK, or a JWK Set.
    Json(&'a str),
    /// All of a file that is not text: DER or a COSE_Key.
    Binary(&'a [u8]),
}

impl<'a> Content<'a> {
    /// Detects the format. JSON and pqseal lines are recognised by their beginning, PEM anywhere in
    /// the text, since other text may come before it.
    pub(super) fn detect(text: &'a str) -> Self {
        let inside = trim(text);
        if inside.starts_with('{') {
            return Self::Json(inside);
        }
        match text.find(damage::BEGIN) {
            Some(begin) if !line::is(inside) => {
                let text = text.get(begin..).unwrap_or_default();
                let label = pem::label(text);
                Self::Pem { label, text }
            }
            _ => Self::Line(inside),
        }
    }

    /// Reports whether it is a PEM block.
    pub const fn is_pem(self) -> bool {
        matches!(self, Self::Pem { .. })
    }

    /// Reports whether the format does not show which half of a key pair it is.
    pub(crate) fn is_raw(self) -> bool {
        matches!(self, Self::Line(text) if !line::is(text))
    }

    /// Reads the private key. `kem` as in [`read_private`](crate::read_private).
    ///
    /// # Errors
    /// The reason why it is not one.
    pub fn private(self, kem: Option<&'static DynKem>) -> Result<AnyPrivateKey, KeyError> {
        let key = match self {
            Self::Line(text) if line::is(text) => line::read_private(text),
            Self::Line(text) => raw::read_private(text, kem).map_err(unnamed),
            Self::Pem { text, .. } => pem::read_private(text),
            Self::Json(text) if is_jwk(text) => jwk::read_private(text),
            Self::Json(text) => raw::read_pair_private(text),
            #[cfg(feature = "cose-key")]
            Self::Binary(bytes) if is_cose_key(bytes) => cose_key::read_private(bytes),
            Self::Binary(bytes) => der::read_private(bytes).map_err(|error| not_der(bytes, error)),
        }?;
        expect(key.kem().id, kem).map(|()| key)
    }

    /// Reads the public key, or the public half of a private one.
    ///
    /// # Errors
    /// The reason why it is not a key.
    pub fn public(self, kem: Option<&'static DynKem>) -> Result<AnyPublicKey, KeyError> {
        let key = match self {
            Self::Line(text) if line::is(text) => line::read_public(text),
            Self::Line(text) => raw::read_public(text, kem).map_err(unnamed),
            Self::Pem { text, .. } => pem::read_public(text),
            Self::Json(text) if is_jwk(text) => jwk::read_public(text),
            Self::Json(text) => raw::read_pair_public(text),
            #[cfg(feature = "cose-key")]
            Self::Binary(bytes) if is_cose_key(bytes) => cose_key::read_public(bytes),
            Self::Binary(bytes) => der::read_public(bytes).map_err(|error| not_der(bytes, error)),
        }?;
        expect(key.kem().id, kem).map(|()| key)
    }

    /// Reads the private key, or those of a JWK Set. Also returns whether these are all keys of the
    /// entry.
    ///
    /// # Errors
    /// The reason why it is not one; for a set without a private key, the reason of its last key.
    pub fn private_keys(
        self,
        kem: Option<&'static DynKem>,
    ) -> Result<(Vec<AnyPrivateKey>, bool), KeyError> {
        let Some(set) = self.jwk_set() else {
            return self.private(kem).map(|key| (vec![key], true));
        };
        let (count, mut keys, mut error) = (set.len(), Vec::new(), KeyError::Empty);
        for jwk in set {
            match Self::Json(jwk).private(kem) {
                Ok(key) => keys.push(key),
                Err(why) => error = why,
            }
        }
        match keys.len() {
            0 => Err(error),
            found => Ok((keys, found == count)),
        }
    }

    /// Returns the keys of a JWK Set, which are JSON; `None` for anything else.
    pub fn jwk_set(self) -> Option<Vec<&'a str>> {
        match self {
            Self::Json(text) => jwk::set(text),
            _ => None,
        }
    }

    /// Reports whether an entry of a file with PEM blocks must be a private key, perhaps a damaged
    /// one. Other entries are other text or other blocks.
    pub fn should_be_private(self) -> bool {
        match self {
            Self::Line(text) => {
                let mut symbols = text.trim_end_matches('=').chars();
                text.starts_with(line::PRIVATE)
                    || text.len() > 20
                        && symbols.all(|c| c.is_ascii_alphanumeric() || "+/-_".contains(c))
            }
            Self::Pem { label, .. } => label.contains(pem::PRIVATE),
            _ => true,
        }
    }
}

fn is_jwk(text: &str) -> bool {
    text.contains("\"kty\"")
}

/// Marks a wrong length as that of a text that does not name its KEM.
const fn unnamed(mut error: KeyError) -> KeyError {
    if NAMED && let KeyError::Length { raw, .. } = &mut error {
        *raw = true;
    }
    error
}

/// Reports whether a file is CBOR whose first item is a map, like a COSE_Key. No text begins so,
/// and the smallest key has 40 bytes, so 32 raw bytes are not one.
#[must_use]
pub const fn is_cose_key(file: &[u8]) -> bool {
    matches!(file, [0xa1..=0xbf, rest @ ..] if rest.len() >= 39)
}

/// Returns the error of bytes that are not a key in DER. Bytes of the size of a raw private key have
/// a separate error, and so has COSE_Key in builds without it.
fn not_der(bytes: &[u8], error: KeyError) -> KeyError {
    #[cfg(not(feature = "cose-key"))]
    if is_cose_key(bytes) {
        // The smallest build does not name formats.
        #[cfg(feature = "all")]
        return KeyError::CoseKeyUnsupported;
        #[cfg(not(feature = "all"))]
        return KeyError::UnknownKem;
    }
    match NAMED && kems().any(|kem| kem.info().n_sk == bytes.len()) {
        true if error == KeyError::Der => {
            KeyError::Text("it is a key in raw bytes; write them as base64")
        }
        _ => error,
    }
}
