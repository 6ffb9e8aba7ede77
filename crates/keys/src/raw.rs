//! The serialized key in base64, alone or in the key-pair file of matched-data-cli:
//! `{"private_key": base64, "public_key": base64}`, only for X25519.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, Erased, Kem, X25519HkdfSha256};
use zeroize::Zeroizing;

use super::{KeyError, NAMED, check_pair, damage, pem, private_of, public_key, public_of};
use crate::{base64, jwk::Object};

/// The KEM of a raw text without a given KEM.
const DEFAULT: &DynKem = &Erased(X25519HkdfSha256);

pub(super) fn read_private(
    text: &str,
    kem: Option<&'static DynKem>,
) -> Result<AnyPrivateKey, KeyError> {
    let key = decode(text).and_then(|bytes| private_of(kem.unwrap_or(DEFAULT), &bytes));
    key.map_err(|error| damage::explain(text, error))
}

pub(super) fn read_public(
    text: &str,
    kem: Option<&'static DynKem>,
) -> Result<AnyPublicKey, KeyError> {
    let key = decode(text).and_then(|bytes| public_of(kem.unwrap_or(DEFAULT), &bytes));
    key.map_err(|error| damage::explain(text, error))
}

fn decode(text: &str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    if text.trim().is_empty() {
        return Err(KeyError::Empty);
    }
    Ok(base64::decode(text.as_bytes())?)
}

pub(super) fn read_pair_private(text: &str) -> Result<AnyPrivateKey, KeyError> {
    let pair = KeyPairFile::parse(text)?;
    match (pair.private_key.is_empty(), pair.public_key.is_empty()) {
        (true, true) => Err(KeyError::Json("it has no member private_key")),
        (true, false) => Err(KeyError::PublicOnly),
        _ => pair.private(),
    }
}

pub(super) fn read_pair_public(text: &str) -> Result<AnyPublicKey, KeyError> {
    let pair = KeyPairFile::parse(text)?;
    match (pair.private_key.is_empty(), pair.public_key.is_empty()) {
        (true, true) => Err(KeyError::Json("it has neither private_key nor public_key")),
        (true, false) => read_public(&pair.public_key, None),
        _ => public_key(&pair.private()?),
    }
}

/// Writes a key-pair file, as matched-data-cli does.
pub(super) fn write_pair(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    if key.kem().id != X25519HkdfSha256.info().id {
        return Err(KeyError::FormatLacksKem);
    }
    let private = Zeroizing::new(base64::encode(key.to_bytes()?.as_ref()));
    let public = base64::encode(public_key(key)?.as_ref());
    // Allocated at its full size: a buffer that grows leaves a copy of the key behind.
    let parts = [
        "{\n  \"private_key\": \"",
        &private,
        "\",\n  \"public_key\": \"",
        &public,
        "\"\n}",
    ];
    Ok(Zeroizing::new(parts.concat()))
}

/// A key-pair file. A missing member is empty.
struct KeyPairFile {
    private_key: Zeroizing<String>,
    public_key: String,
}

impl KeyPairFile {
    fn parse(text: &str) -> Result<Self, KeyError> {
        const MALFORMED: KeyError = KeyError::Json(
            "it is not JSON with string members private_key and public_key, or private_key is an empty string",
        );
        let members = Object::parse(text).ok_or(MALFORMED)?;
        Ok(Self {
            private_key: members.secret("private_key").ok_or(MALFORMED)?,
            public_key: members.text("public_key").ok_or(MALFORMED)?,
        })
    }

    /// Reads the private key, which other programs write as PEM, and checks that the public half
    /// belongs to it.
    fn private(&self) -> Result<AnyPrivateKey, KeyError> {
        let key = match self.private_key.as_str() {
            block if NAMED && block.contains(damage::BEGIN) => pem::read_private(block)?,
            text => read_private(text, None)?,
        };
        let public = (!self.public_key.is_empty())
            .then(|| read_public(&self.public_key, None))
            .transpose()?;
        check_pair(key, public)
    }
}
