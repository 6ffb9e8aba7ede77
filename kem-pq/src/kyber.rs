//! Kyber768 of round 3, as used by X25519Kyber768Draft00 in HPKE and in TLS. It is not ML-KEM:
//! neither opens the other's ciphertexts.

use alloc::{boxed::Box, sync::Arc};
use core::fmt;

use libcrux_ml_kem::{MlKemPrivateKey, MlKemPublicKey, kyber768};
use pqseal_hpke::{Error, Secret};

use crate::kernel::Wiped;

/// A seed of a key pair, in bytes.
pub const N_SEED: usize = 64;
/// A public key, in bytes.
pub const N_PK: usize = 1184;
/// A private key, in bytes.
pub const N_SK: usize = 2400;
/// A ciphertext, in bytes.
pub const N_CT: usize = 1088;
/// The randomness that a sender draws, and a shared secret, in bytes.
pub const N_SS: usize = 32;

/// A private key with its public key. Wiped on drop.
pub struct SecretKey {
    key: Wiped<MlKemPrivateKey<N_SK>>,
    public: PublicKey,
}

/// A public key.
#[derive(Clone)]
pub struct PublicKey(Arc<MlKemPublicKey<N_PK>>);

impl SecretKey {
    /// Generates the key pair of a seed.
    pub fn generate(seed: &[u8; N_SEED]) -> Self {
        let (key, public) = kyber768::generate_key_pair(*seed).into_parts();
        Self {
            key: Wiped(Box::new(key)),
            public: PublicKey(Arc::new(public)),
        }
    }

    /// Reads a private key of [`N_SK`] bytes. It contains its public key, and a hash of it that is
    /// checked (FIPS 203, section 7.3, has the same format).
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length, or if the check fails.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let key = MlKemPrivateKey::try_from(bytes).map_err(|_| Error::Deserialize)?;
        let key = Wiped(Box::new(key));
        if !libcrux_ml_kem::mlkem768::portable::validate_private_key_only(&key.0) {
            return Err(Error::Deserialize);
        }
        // dk = dk_pke (384 k = 1152 bytes) || ek || H(ek) || z.
        let public = PublicKey::parse(&bytes[N_SK - 64 - N_PK..N_SK - 64])?;
        Ok(Self { key, public })
    }

    /// Returns its [`N_SK`] bytes.
    pub fn bytes(&self) -> &[u8] {
        self.key.0.as_ref().as_ref()
    }

    /// Returns its public key.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the shared secret of a ciphertext. An altered one gives another secret.
    ///
    /// # Errors
    /// [`Error::Deserialize`] if it does not have [`N_CT`] bytes.
    pub fn decaps(&self, ciphertext: &[u8]) -> Result<Secret<[u8; N_SS]>, Error> {
        let ciphertext = ciphertext.try_into().map_err(|_| Error::Deserialize)?;
        Ok(Secret::new(kyber768::decapsulate(&self.key.0, &ciphertext)))
    }
}

impl PublicKey {
    /// Reads a public key of [`N_PK`] bytes whose coefficients are reduced. Round 3 did not require
    /// that check; every honest key passes it.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length, or if the check fails.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let key = bytes.try_into().map_err(|_| Error::Deserialize)?;
        if kyber768::validate_public_key(&key) {
            Ok(Self(Arc::new(key)))
        } else {
            Err(Error::Deserialize)
        }
    }

    /// Returns a ciphertext of [`N_CT`] bytes and its shared secret, from randomness.
    pub fn encaps(&self, randomness: &[u8; N_SS]) -> ([u8; N_CT], Secret<[u8; N_SS]>) {
        let (ciphertext, secret) = kyber768::encapsulate(&self.0, *randomness);
        let mut bytes = [0; N_CT];
        bytes.copy_from_slice(ciphertext.as_ref());
        (bytes, Secret::new(secret))
    }
}

impl AsRef<[u8]> for PublicKey {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref().as_ref()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({N_PK} bytes)")
    }
}
