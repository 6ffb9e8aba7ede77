//! The key-pair file of matched-data-cli: `{"private_key": base64, "public_key": base64}`, only
//! for X25519.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, Kem, X25519HkdfSha256};
use serde::Serialize;
use zeroize::Zeroizing;

use super::{
    KeyError, NAMED, check_pair, object::Object, pem, public_key, raw, secret_text::SecretText,
    write_json,
};

/// The members, in the order in which matched-data-cli writes them.
#[derive(Serialize)]
struct KeyPair {
    private_key: SecretText,
    public_key: String,
}

pub(super) fn read_private(text: &str) -> Result<AnyPrivateKey, KeyError> {
    let pair = parse(text)?;
    match (pair.private_key.is_empty(), pair.public_key.is_empty()) {
        (true, true) => Err(KeyError::Json("it has no member private_key")),
        (true, false) => Err(KeyError::PublicOnly),
        _ => read_pair(&pair),
    }
}

pub(super) fn read_public(text: &str) -> Result<AnyPublicKey, KeyError> {
    let pair = parse(text)?;
    match (pair.private_key.is_empty(), pair.public_key.is_empty()) {
        (true, true) => Err(KeyError::Json("it has neither private_key nor public_key")),
        (true, false) => raw::read_public(&pair.public_key, None),
        _ => public_key(&read_pair(&pair)?),
    }
}

pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    if key.kem().id != X25519HkdfSha256.info().id {
        return Err(KeyError::FormatLacksKem);
    }
    let private_key = SecretText::new(raw::write_private(key)?);
    let pair = KeyPair {
        private_key,
        public_key: raw::write_public(&public_key(key)?),
    };
    write_json(|text| serde_json::to_writer_pretty(text, &pair))
}

fn parse(text: &str) -> Result<KeyPair, KeyError> {
    let read = |members: Object<'_>| {
        Some(KeyPair {
            private_key: members.secret("private_key")?,
            public_key: members.text("public_key")?,
        })
    };
    Object::parse(text).and_then(read).ok_or(KeyError::Json(
        "it is not JSON with string members private_key and public_key, or private_key is an empty string",
    ))
}

/// Reads the private key, which other programs write as PEM, and checks that the public half
/// belongs to it.
fn read_pair(pair: &KeyPair) -> Result<AnyPrivateKey, KeyError> {
    let key = match pair.private_key.as_str() {
        block if NAMED && block.contains(pem::BEGIN) => pem::read_private(block)?,
        text => raw::read_private(text, None)?,
    };
    let public = (!pair.public_key.is_empty())
        .then(|| raw::read_public(&pair.public_key, None))
        .transpose()?;
    check_pair(key, public)
}
