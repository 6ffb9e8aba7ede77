//! The format of an entry, and the key in it.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};

use crate::{KeyError, NAMED, binary, expect, json, jwk, kems, line, pem, raw, trim::undo};

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
        let inside = undo(text);
        if inside.starts_with('{') {
            return Self::Json(inside);
        }
        match text.find(pem::BEGIN) {
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
            Self::Json(text) => json::read_private(text),
            Self::Binary(bytes) => {
                binary::read_private(bytes).map_err(|error| raw_bytes(bytes, error))
            }
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
            Self::Json(text) => json::read_public(text),
            Self::Binary(bytes) => {
                binary::read_public(bytes).map_err(|error| raw_bytes(bytes, error))
            }
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
        let (count, mut error) = (set.len(), KeyError::Empty);
        let read = |jwk| {
            let key = Self::Json(jwk).private(kem);
            key.map_err(|why| error = why).ok()
        };
        let keys: Vec<_> = set.into_iter().filter_map(read).collect();
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
        let is_encoded = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
        match self {
            Self::Line(text) => {
                text.starts_with(line::PRIVATE)
                    || text.len() > 20 && text.trim_end_matches('=').chars().all(is_encoded)
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

/// Returns the error of bytes that are not a key in DER. Bytes of the size of a raw private key
/// have a separate error.
fn raw_bytes(bytes: &[u8], error: KeyError) -> KeyError {
    match NAMED && kems().any(|kem| kem.info().n_sk == bytes.len()) {
        true if error == KeyError::Der => {
            KeyError::Text("it is a key in raw bytes; write them as base64")
        }
        _ => error,
    }
}
