//! Conversion of keys in pqseal's formats to recipients and identities, and to their text.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
use pqseal_keys::{KeyFormat, kem_by_id};
use zeroize::Zeroizing;

use super::{AnyIdentity, AnyRecipient};
use crate::{
    HpkeIdentity, HpkeKind, HpkeRecipient, KeyError, PqsealIdentity, PqsealRecipient,
    X25519Identity, X25519Recipient,
};

/// DHKEM(X25519, HKDF-SHA256), whose keys are those of age's `X25519`.
const X25519: u16 = 0x0020;

/// Returns the recipient of a public key: one of age's if its KEM has one, or else a
/// [`PqsealRecipient`]. No policy is applied.
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn recipient_of(key: AnyPublicKey) -> Result<AnyRecipient, KeyError> {
    Ok(match key.kem().id {
        X25519 => Box::new(X25519Recipient::from_bytes(key.as_ref())?),
        id if HpkeKind::of_kem(id).is_some() => Box::new(HpkeRecipient::from_key(key)?),
        _ => Box::new(PqsealRecipient::from_key(key)),
    })
}

/// Returns the identity of a private key, in the same way as [`recipient_of`].
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn identity_of(key: AnyPrivateKey) -> Result<AnyIdentity, KeyError> {
    Ok(match key.kem().id {
        X25519 => {
            let kem = kem_by_id(X25519).ok_or(KeyError::Kem)?;
            let bytes = kem.serialize_private_key(&key);
            let bytes = bytes.map_err(|_| KeyError::Bytes)?;
            Box::new(X25519Identity::from_bytes(bytes.as_ref())?)
        }
        id if HpkeKind::of_kem(id).is_some() => Box::new(HpkeIdentity::from_key(key)?),
        _ => Box::new(PqsealIdentity::from_key(key)?),
    })
}

/// Returns the text of a public key as a recipient, which
/// [`Reader::recipient`](super::Reader::recipient) reads.
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn recipient_text(key: &AnyPublicKey) -> Result<String, KeyError> {
    Ok(match key.kem().id {
        X25519 => X25519Recipient::from_bytes(key.as_ref())?.to_string(),
        id if HpkeKind::of_kem(id).is_some() => HpkeRecipient::from_key(key.clone())?.to_string(),
        _ => PqsealRecipient::from_key(key.clone()).to_string(),
    })
}

/// Returns the text of a private key as an identity, which
/// [`Reader::identity`](super::Reader::identity) reads. It is in age's format if the KEM has one,
/// and a line in pqseal's format if age keeps such keys only in hardware.
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn identity_text(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    match key.kem().id {
        X25519 => {
            let bytes = key.to_bytes().map_err(|_| KeyError::Bytes)?;
            Ok(X25519Identity::from_bytes(bytes.as_ref())?.to_text())
        }
        id if HpkeKind::of_kem(id).is_some() => {
            match HpkeIdentity::from_key(key.clone())?.to_text() {
                Some(text) => Ok(text),
                None => {
                    pqseal_keys::write_private(key, KeyFormat::Line).map_err(|_| KeyError::Bytes)
                }
            }
        }
        _ => PqsealIdentity::from_key(key.clone())?.to_text(),
    }
}
