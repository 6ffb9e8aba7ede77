//! Keys, with the id (`kid`) and algorithm (`alg`) from their files.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};

use crate::{Algorithm, Error};

/// A recipient's public key.
#[derive(Clone, Debug)]
pub struct PublicKey {
    key: AnyPublicKey,
    facts: Facts,
}

/// A private key.
#[derive(Debug)]
pub struct PrivateKey {
    key: AnyPrivateKey,
    facts: Facts,
}

/// The id and algorithm of a key, as far as known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) kid: Option<Vec<u8>>,
    pub(crate) alg: Option<Algorithm>,
}

impl PublicKey {
    /// Wraps a key for any algorithm of its KEM, without an id.
    #[must_use]
    pub fn new(key: AnyPublicKey) -> Self {
        let facts = Facts::default();
        Self { key, facts }
    }

    /// Returns the HPKE key.
    #[must_use]
    pub const fn key(&self) -> &AnyPublicKey {
        &self.key
    }

    /// Returns the HPKE key, without its id and algorithm.
    #[must_use]
    pub fn into_key(self) -> AnyPublicKey {
        self.key
    }
}

impl PrivateKey {
    /// Wraps a key for any algorithm of its KEM, without an id.
    #[must_use]
    pub fn new(key: AnyPrivateKey) -> Self {
        let facts = Facts::default();
        Self { key, facts }
    }

    /// Returns the HPKE key.
    #[must_use]
    pub const fn key(&self) -> &AnyPrivateKey {
        &self.key
    }

    /// Returns the HPKE key, without its id and algorithm.
    #[must_use]
    pub fn into_key(self) -> AnyPrivateKey {
        self.key
    }

    /// Returns the public key, with the same id and algorithm.
    ///
    /// # Errors
    /// [`Error::Key`].
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        let (key, facts) = (pqseal_keys::public_key(&self.key)?, self.facts.clone());
        Ok(PublicKey { key, facts })
    }
}

impl PrivateKey {
    /// Reports whether a message that names `kid`, or no key, may be for this one.
    pub(crate) fn may_be(&self, kid: Option<&[u8]>) -> bool {
        kid.is_none() || self.kid().is_none() || self.kid() == kid
    }
}

/// Implements the methods common to both kinds of keys.
macro_rules! with_facts {
    ($type:ty) => {
        impl $type {
            /// Returns the id by which messages name the key: UTF-8 in JOSE, any bytes
            /// in COSE.
            #[must_use]
            pub fn kid(&self) -> Option<&[u8]> {
                self.facts.kid.as_deref()
            }

            /// Returns the only algorithm that the key is for, if its file names one.
            #[must_use]
            pub const fn alg(&self) -> Option<Algorithm> {
                self.facts.alg
            }

            /// Sets the id of the key.
            #[must_use]
            pub fn with_kid(mut self, kid: impl Into<Vec<u8>>) -> Self {
                self.facts.kid = Some(kid.into());
                self
            }

            /// Restricts the key to this algorithm.
            ///
            /// # Errors
            /// [`Error::KeyAlgorithm`] if the algorithm has another KEM.
            pub fn with_alg(mut self, alg: Algorithm) -> Result<Self, Error> {
                self.facts.alg = Some(alg);
                self.check(alg).map(|()| self)
            }

            /// Checks that the key may be used with `alg`.
            pub(crate) fn check(&self, alg: Algorithm) -> Result<(), Error> {
                let other = self.alg().is_some_and(|own| own != alg);
                if other || self.key.kem().id != alg.suite_id().kem {
                    return Err(Error::KeyAlgorithm(alg.name()));
                }
                Ok(())
            }
        }
    };
}

with_facts!(PublicKey);
with_facts!(PrivateKey);

impl PublicKey {
    /// Wraps a key from a file, after a check of its algorithm.
    pub(crate) fn with(key: AnyPublicKey, facts: Facts) -> Result<Self, Error> {
        let key = Self { key, facts };
        key.alg().map_or(Ok(()), |alg| key.check(alg)).map(|()| key)
    }
}

impl PrivateKey {
    /// Wraps a key from a file, after a check of its algorithm.
    pub(crate) fn with(key: AnyPrivateKey, facts: Facts) -> Result<Self, Error> {
        let key = Self { key, facts };
        key.alg().map_or(Ok(()), |alg| key.check(alg)).map(|()| key)
    }
}
