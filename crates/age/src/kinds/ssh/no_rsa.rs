//! `ssh-rsa` without AWS-LC, which is recognised and refused. The time of decryption with the crate
//! `rsa` depends on the key (RUSTSEC-2023-0071).

use super::wire::RsaIntegers;
use crate::{Error, FileKey, SshError, Stanza};

pub(super) const KIND: &str = "ssh-rsa";

/// A type without values, since [`PublicKey::new`] refuses every key.
#[derive(Clone, Debug)]
pub(super) enum PublicKey {}

/// A type without values, like [`PublicKey`].
pub(super) enum PrivateKey {}

impl PublicKey {
    pub(super) fn new(_modulus: &[u8], _exponent: &[u8]) -> Result<Self, SshError> {
        Err(SshError::RsaUnsupported)
    }
}

impl PrivateKey {
    pub(super) fn new(_key: &RsaIntegers<'_>) -> Result<Self, SshError> {
        Err(SshError::RsaUnsupported)
    }
}

pub(super) fn wrap(key: &PublicKey, _hint: String, _file_key: &FileKey) -> Result<Stanza, Error> {
    match *key {}
}

pub(super) fn open(
    key: &PrivateKey,
    _hint: &str,
    _stanza: &Stanza,
) -> Result<Option<FileKey>, Error> {
    match *key {}
}
