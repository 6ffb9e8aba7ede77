//! `X25519` (C2SP age.md, "The X25519 recipient type"): a Diffie-Hellman value with a fresh share,
//! HKDF, and ChaCha20-Poly1305. It predates HPKE and differs from it.

use base64ct::{Base64Unpadded, Encoding};
use pqseal_hpke::{
    AnyPrivateKey, AnyPublicKey, DynKem, Erased, Secret, X25519HkdfSha256,
    dhkem::{Group, X25519},
    twice::agreed,
};
use std::{fmt, str::FromStr};
use zeroize::Zeroizing;

use super::{Identity, Recipient, first_of};
use crate::{Error, FileKey, HeaderError, KeyError, Stanza, crypto, key_text};

const KIND: &str = "X25519";
const INFO: &[u8] = b"age-encryption.org/v1/X25519";
const RECIPIENT: &str = "age";
const IDENTITY: &str = "age-secret-key-";
/// The KEM with the same keys.
const KEM: &DynKem = &Erased(X25519HkdfSha256);

/// An X25519 public key, 32 bytes: `age1...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct X25519Recipient([u8; 32]);

impl X25519Recipient {
    /// Creates a recipient from its bytes.
    ///
    /// # Errors
    /// [`KeyError::Bytes`] for another length.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        bytes.try_into().map(Self).map_err(|_| KeyError::Bytes)
    }

    /// Derives the wrapping key, which HKDF binds to the share and the recipient.
    fn wrapping_key(
        &self,
        scalar: &<X25519 as Group>::Scalar,
        other: &[u8; 32],
        share: &[u8; 32],
    ) -> Result<Zeroizing<[u8; 32]>, pqseal_hpke::Error> {
        let secret = X25519::dh(scalar, &X25519::point(other)?)?;
        let salt = [*share, self.0].concat();
        Ok(crypto::hkdf(&salt, secret.as_ref(), INFO))
    }
}

/// An X25519 private key, 32 bytes: `AGE-SECRET-KEY-1...`.
#[derive(Debug)]
pub struct X25519Identity {
    scalar: <X25519 as Group>::Scalar,
    recipient: X25519Recipient,
}

impl X25519Identity {
    /// Generates an identity.
    ///
    /// # Errors
    /// An error if the random number generator fails.
    pub fn generate() -> Result<Self, Error> {
        Ok(Self::from_bytes(&crypto::random::<32>()?[..])?)
    }

    /// Creates an identity from its bytes.
    ///
    /// # Errors
    /// [`KeyError::Bytes`] for another length.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        let scalar = X25519::scalar(bytes).map_err(|_| KeyError::Bytes)?;
        let public = agreed(
            &mut || Ok(X25519::point_bytes(&X25519::public(&scalar))),
            |key: &[u8; 32]| Ok(Secret::new(key.to_vec())),
        );
        let recipient = X25519Recipient(public?);
        Ok(Self { scalar, recipient })
    }

    /// Returns the recipient.
    pub fn recipient(&self) -> X25519Recipient {
        self.recipient.clone()
    }

    /// Returns the text, `AGE-SECRET-KEY-1...`.
    pub fn to_text(&self) -> Zeroizing<String> {
        key_text::write_secret(IDENTITY, X25519::scalar_bytes(&self.scalar).as_ref())
    }
}

impl Recipient for X25519Recipient {
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
        let scalar = X25519::scalar(&crypto::random::<32>()?[..])?;
        let (share, key) = agreed(
            &mut || {
                let share = X25519::point_bytes(&X25519::public(&scalar));
                Ok((share, self.wrapping_key(&scalar, &self.0, &share)?))
            },
            |(share, key)| Ok(Secret::new([&share[..], &key[..]].concat())),
        )?;
        let body = crypto::wrap(&key, file_key)?;
        let share = Base64Unpadded::encode_string(&share);
        Ok(vec![Stanza::new(KIND, vec![share], body)])
    }

    fn public_key(&self) -> Option<AnyPublicKey> {
        KEM.deserialize_public_key(&self.0).ok()
    }
}

impl Identity for X25519Identity {
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error> {
        first_of(KIND, stanzas, |stanza| {
            let [share] = &stanza.args[..] else {
                return Err(HeaderError::Arguments.into());
            };
            let share = stanza.share(share)?.try_into();
            let share = share.map_err(|_| HeaderError::Arguments)?;
            crypto::wrapped(&stanza.body)?;
            let key = self.recipient.wrapping_key(&self.scalar, &share, &share);
            let key = key.map_err(|_| HeaderError::Share)?;
            crypto::unwrap(&key, &stanza.body)
        })
    }

    fn private_key(&self) -> Option<AnyPrivateKey> {
        let scalar = X25519::scalar_bytes(&self.scalar);
        KEM.deserialize_private_key(scalar.as_ref()).ok()
    }

    fn recipient_text(&self) -> Option<String> {
        Some(self.recipient.to_string())
    }
}

impl FromStr for X25519Recipient {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::from_bytes(&key_text::read(RECIPIENT, text)?)
    }
}

impl fmt::Display for X25519Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&key_text::write(RECIPIENT, &self.0))
    }
}

impl FromStr for X25519Identity {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::from_bytes(&key_text::read_secret(IDENTITY, text)?)
    }
}
