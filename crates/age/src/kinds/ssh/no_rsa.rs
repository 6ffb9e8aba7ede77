//! `ssh-rsa` without AWS-LC, which is recognised and refused. The time of decryption with the crate
//! `rsa` depends on the key (RUSTSEC-2023-0071).

use super::RsaIntegers;
use crate::{Error, FileKey, SshError, Stanza};

/// A type without values, since [`RsaPublic::new`] refuses every key.
#[derive(Clone, Debug)]
pub(super) enum RsaPublic {}

impl RsaPublic {
    pub(super) fn new(_modulus: &[u8], _exponent: &[u8]) -> Result<Self, SshError> {
        Err(SshError::RsaUnsupported)
    }

    pub(super) fn wrap(&self, _hint: String, _file_key: &FileKey) -> Result<Stanza, Error> {
        match *self {}
    }
}

/// A type without values, like [`RsaPublic`].
pub(super) enum RsaPrivate {}

impl RsaPrivate {
    pub(super) fn new(_key: &RsaIntegers<'_>) -> Result<Self, SshError> {
        Err(SshError::RsaUnsupported)
    }

    pub(super) fn open(&self, _hint: &str, _stanza: &Stanza) -> Result<Option<FileKey>, Error> {
        match *self {}
    }
}
