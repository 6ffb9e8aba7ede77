//! Keys, with the id (`kid`) and algorithm (`alg`) from their files.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};

use crate::{Algorithm, Error};

/// A recipient's public key.
#[derive(Clone, Debug)]
pub struct PublicKey {
    key: AnyPublicKey,
    kid: Option<Vec<u8>>,
    alg: Option<Algorithm>,
}

/// A private key.
#[derive(Debug)]
pub struct PrivateKey {
    key: AnyPrivateKey,
    kid: Option<Vec<u8>>,
    alg: Option<Algorithm>,
}

impl PrivateKey {
    /// Returns the public key, with the same id and algorithm.
    ///
    /// # Errors
    /// [`Error::Key`].
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        Ok(PublicKey {
            key: pqseal_keys::public_key(&self.key)?,
            kid: self.kid.clone(),
            alg: self.alg,
        })
    }

    /// Reports whether a message that names `kid`, or no key, may be for this one.
    pub(crate) fn may_be(&self, kid: Option<&[u8]>) -> bool {
        kid.is_none() || self.kid().is_none() || self.kid() == kid
    }
}

/// Implements the methods common to both kinds of keys.
macro_rules! key_methods {
    ($type:ty, $key:ty) => {
        impl $type {
            /// Wraps a key for any algorithm of its KEM, without an id.
            #[must_use]
            pub fn new(key: $key) -> Self {
                let (kid, alg) = (None, None);
                Self { key, kid, alg }
            }

            /// Wraps a key from a file, after a check of its algorithm.
            pub(crate) fn from_file(
                key: $key,
                kid: Option<Vec<u8>>,
                alg: Option<Algorithm>,
            ) -> Result<Self, Error> {
                let key = Self { key, kid, alg };
                alg.map_or(Ok(()), |alg| key.check(alg)).map(|()| key)
            }

            /// Returns the HPKE key.
            #[must_use]
            pub const fn key(&self) -> &$key {
                &self.key
            }

            /// Returns the HPKE key, without its id and algorithm.
            #[must_use]
            pub fn into_key(self) -> $key {
                self.key
            }

            /// Returns the id by which messages name the key: UTF-8 in JOSE, any bytes
            /// in COSE.
            #[must_use]
            pub fn kid(&self) -> Option<&[u8]> {
                self.kid.as_deref()
            }

            /// Returns the only algorithm that the key is for, if its file names one.
            #[must_use]
            pub const fn alg(&self) -> Option<Algorithm> {
                self.alg
            }

            /// Sets the id of the key.
            #[must_use]
            pub fn with_kid(mut self, kid: impl Into<Vec<u8>>) -> Self {
                self.kid = Some(kid.into());
                self
            }

            /// Restricts the key to this algorithm.
            ///
            /// # Errors
            /// [`Error::KeyAlgorithm`] if the algorithm has another KEM.
            pub fn with_alg(mut self, alg: Algorithm) -> Result<Self, Error> {
                self.alg = Some(alg);
                self.check(alg).map(|()| self)
            }

            /// Checks that the key may be used with `alg`.
            pub(crate) fn check(&self, alg: Algorithm) -> Result<(), Error> {
                let other = self.alg.is_some_and(|own| own != alg);
                if other || self.key.kem().id != alg.suite_id().kem {
                    return Err(Error::KeyAlgorithm(alg.name()));
                }
                Ok(())
            }
        }
    };
}

key_methods!(PublicKey, AnyPublicKey);
key_methods!(PrivateKey, AnyPrivateKey);
