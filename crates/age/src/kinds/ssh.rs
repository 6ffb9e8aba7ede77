//! `ssh-ed25519` and `ssh-rsa`: OpenSSH keys, as `age` (package `agessh`) and `rage` use them.
//! There is no specification; these modules follow `age` 1.3.
//!
//! A stanza identifies its key by the first 4 bytes of the SHA-256 of the public key in SSH's wire
//! format, so these recipients are not anonymous. Both kinds are classical.

mod ed25519;
mod pkcs8;
mod private;
mod public;
#[cfg(feature = "aws-lc")]
mod rsa;
#[cfg(not(feature = "aws-lc"))]
#[path = "ssh/no_rsa.rs"]
mod rsa;
mod wire;

use base64ct::{Base64, Base64Unpadded, Encoding};
use sha2::{Digest, Sha256};
use std::{fmt, str::FromStr};

use super::{Identity, Recipient, first_of};
use crate::{Error, FileKey, KeyError, SshError, Stanza};
use private::PrivateKey;
use public::PublicKey;

/// A public key as in `id_ed25519.pub` or a line of `authorized_keys`.
#[derive(Clone, Debug)]
pub struct SshRecipient {
    /// The key in SSH's wire format (RFC 4253, section 6.6).
    wire: Vec<u8>,
    key: PublicKey,
}

/// A private key in OpenSSH's format.
pub struct SshIdentity {
    key: PrivateKey,
    recipient: SshRecipient,
}

impl SshRecipient {
    fn from_wire(wire: &[u8]) -> Result<Self, SshError> {
        Ok(Self {
            key: public::read(wire)?,
            wire: wire.to_vec(),
        })
    }

    /// Returns `ssh-ed25519` or `ssh-rsa`, the kind of the key and of its stanzas.
    pub fn kind(&self) -> &'static str {
        match self.key {
            PublicKey::Ed25519(_) => ed25519::KIND,
            PublicKey::Rsa(_) => rsa::KIND,
        }
    }

    /// Reports whether a stanza names this key. Another key may have the same hint of 4 bytes.
    pub fn is_named_in(&self, stanzas: &[Stanza]) -> bool {
        let hint = self.hint();
        let is_ours =
            |stanza: &Stanza| stanza.kind == self.kind() && stanza.args.first() == Some(&hint);
        stanzas.iter().any(is_ours)
    }

    /// Returns the first argument of its stanzas.
    fn hint(&self) -> String {
        Base64Unpadded::encode_string(&Sha256::digest(&self.wire)[..4])
    }
}

impl SshIdentity {
    /// Reads a private key in OpenSSH's format (`-----BEGIN OPENSSH PRIVATE KEY-----`), which may
    /// be encrypted with a passphrase, or in PKCS#8 (`-----BEGIN PRIVATE KEY-----`).
    ///
    /// # Errors
    /// [`KeyError::Ssh`], [`Error::WrongPassphrase`].
    pub fn read(text: &str, passphrase: Option<&[u8]>) -> Result<Self, Error> {
        let (wire, key) = match pkcs8::is(text) {
            true => pkcs8::read(text)?,
            false => private::read(text, passphrase)?,
        };
        let recipient = SshRecipient::from_wire(&wire)?;
        Ok(Self { key, recipient })
    }

    /// Reports whether a text is an encrypted private key in OpenSSH's format.
    pub fn is_encrypted(text: &str) -> bool {
        private::is_encrypted(text)
    }

    /// Returns the recipient of a private key in OpenSSH's format, which is not encrypted even if
    /// the key is.
    ///
    /// # Errors
    /// [`KeyError::Ssh`].
    pub fn recipient_in(text: &str) -> Result<SshRecipient, Error> {
        Ok(SshRecipient::from_wire(&private::public_in(text)?)?)
    }

    /// Returns the recipient.
    pub fn recipient(&self) -> SshRecipient {
        self.recipient.clone()
    }

    fn open(&self, stanza: &Stanza) -> Result<Option<FileKey>, Error> {
        let hint = self.recipient.hint();
        match (&self.key, &self.recipient.key) {
            (PrivateKey::Ed25519(key), PublicKey::Ed25519(public)) => {
                ed25519::open(key, public, &self.recipient.wire, &hint, stanza)
            }
            (PrivateKey::Rsa(key), PublicKey::Rsa(_)) => rsa::open(key, &hint, stanza),
            _ => unreachable!("a private key is read with the public key of its kind"),
        }
    }
}

impl Recipient for SshRecipient {
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
        let stanza = match &self.key {
            PublicKey::Ed25519(key) => ed25519::wrap(key, &self.wire, self.hint(), file_key),
            PublicKey::Rsa(key) => rsa::wrap(key, self.hint(), file_key),
        };
        Ok(vec![stanza?])
    }
}

impl Identity for SshIdentity {
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error> {
        first_of(self.recipient.kind(), stanzas, |stanza| self.open(stanza))
    }

    fn recipient_text(&self) -> Option<String> {
        Some(self.recipient.to_string())
    }
}

impl FromStr for SshRecipient {
    type Err = KeyError;

    /// Parses a kind, the key in base64, and an optional comment.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let mut words = text.split_ascii_whitespace();
        let (kind, base64) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let wire = Base64::decode_vec(base64).map_err(|_| SshError::Malformed)?;
        let named = wire::Reader::new(&wire).string() == Ok(kind.as_bytes());
        match named {
            true => Ok(Self::from_wire(&wire)?),
            false => Err(SshError::Malformed.into()),
        }
    }
}

impl fmt::Display for SshRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = Base64::encode_string(&self.wire);
        write!(f, "{} {key}", self.kind())
    }
}

impl fmt::Debug for SshIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SshIdentity({})", self.recipient)
    }
}
