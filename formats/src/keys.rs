//! Keys, and what their files say of their use: an id (`kid`) and an algorithm (`alg`).

use hpke::{AnyPrivateKey, AnyPublicKey};

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

/// What is known of a key's use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) kid: Option<Vec<u8>>,
    pub(crate) alg: Option<Algorithm>,
}

impl PublicKey {
    /// A key for any algorithm of its KEM, without an id.
    #[must_use]
    pub fn new(key: AnyPublicKey) -> Self {
        let facts = Facts::default();
        Self { key, facts }
    }

    /// The HPKE key.
    #[must_use]
    pub const fn key(&self) -> &AnyPublicKey {
        &self.key
    }

    /// The HPKE key, without what is known of its use.
    #[must_use]
    pub fn into_key(self) -> AnyPublicKey {
        self.key
    }
}

impl PrivateKey {
    /// A key for any algorithm of its KEM, without an id.
    #[must_use]
    pub fn new(key: AnyPrivateKey) -> Self {
        let facts = Facts::default();
        Self { key, facts }
    }

    /// The HPKE key.
    #[must_use]
    pub const fn key(&self) -> &AnyPrivateKey {
        &self.key
    }

    /// The HPKE key, without what is known of its use.
    #[must_use]
    pub fn into_key(self) -> AnyPrivateKey {
        self.key
    }

    /// The public key, with the same id and algorithm.
    ///
    /// # Errors
    /// [`Error::Key`].
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        let (key, facts) = (envelope::keys::public_key(&self.key)?, self.facts.clone());
        Ok(PublicKey { key, facts })
    }
}

impl PrivateKey {
    /// Whether a message that names `kid`, or no key, may be for this one.
    pub(crate) fn may_be(&self, kid: Option<&[u8]>) -> bool {
        kid.is_none() || self.kid().is_none() || self.kid() == kid
    }
}

/// What both kinds of keys have in common.
macro_rules! with_facts {
    ($type:ty) => {
        impl $type {
            /// The id by which messages name the key: UTF-8 in JOSE, any bytes in COSE.
            #[must_use]
            pub fn kid(&self) -> Option<&[u8]> {
                self.facts.kid.as_deref()
            }

            /// The one algorithm that the key is for, if its file says so.
            #[must_use]
            pub const fn alg(&self) -> Option<Algorithm> {
                self.facts.alg
            }

            /// The key with this id.
            #[must_use]
            pub fn with_kid(mut self, kid: impl Into<Vec<u8>>) -> Self {
                self.facts.kid = Some(kid.into());
                self
            }

            /// The key for this algorithm only.
            ///
            /// # Errors
            /// [`Error::KeyAlgorithm`] if the algorithm has another KEM.
            pub fn with_alg(mut self, alg: Algorithm) -> Result<Self, Error> {
                self.facts.alg = Some(alg);
                self.check(alg).map(|()| self)
            }

            /// Whether the key may be used with `alg`.
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
    /// A key that was read, once its algorithm is seen to fit.
    pub(crate) fn with(key: AnyPublicKey, facts: Facts) -> Result<Self, Error> {
        let key = Self { key, facts };
        key.alg().map_or(Ok(()), |alg| key.check(alg)).map(|()| key)
    }
}

impl PrivateKey {
    /// A key that was read, once its algorithm is seen to fit.
    pub(crate) fn with(key: AnyPrivateKey, facts: Facts) -> Result<Self, Error> {
        let key = Self { key, facts };
        key.alg().map_or(Ok(()), |alg| key.check(alg)).map(|()| key)
    }
}
