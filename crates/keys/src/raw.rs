//! The serialized key in base64.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, Erased, X25519HkdfSha256};
use zeroize::Zeroizing;

use super::{KeyError, damage::explain, private_of, public_of};
use crate::base64;

/// The KEM of a raw text without a given KEM.
const DEFAULT: &DynKem = &Erased(X25519HkdfSha256);

pub(super) fn read_private(
    text: &str,
    kem: Option<&'static DynKem>,
) -> Result<AnyPrivateKey, KeyError> {
    let key = decode(text).and_then(|bytes| private_of(kem.unwrap_or(DEFAULT), &bytes));
    key.map_err(|error| explain(text, error))
}

pub(super) fn read_public(
    text: &str,
    kem: Option<&'static DynKem>,
) -> Result<AnyPublicKey, KeyError> {
    let key = decode(text).and_then(|bytes| public_of(kem.unwrap_or(DEFAULT), &bytes));
    key.map_err(|error| explain(text, error))
}

pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    Ok(Zeroizing::new(base64::encode(key.to_bytes()?.as_ref())))
}

pub(super) fn write_public(key: &AnyPublicKey) -> String {
    base64::encode(key.as_ref())
}

fn decode(text: &str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    if text.trim().is_empty() {
        return Err(KeyError::Empty);
    }
    Ok(base64::decode(text.as_bytes())?)
}
