//! Version 3: RFC 9180, today's production format.

use hpke::{AnyPrivateKey, AnyPublicKey, Mode, Recipient, Sender, rand_core::TryCryptoRng};

use super::{Frame, SUITE, Version};
use crate::Error;

/// A public key ready to seal many blobs, each under its own encapsulated key.
#[derive(Debug)]
pub struct Sealer(Sender<'static>);

impl Sealer {
    /// Binds an X25519 public key.
    ///
    /// # Errors
    /// [`Error::WrongKem`] for a key of another KEM.
    pub fn new(key: &AnyPublicKey) -> Result<Self, Error> {
        if key.kem().id != SUITE.id().kem {
            return Err(Error::WrongKem(Version::V3));
        }
        Ok(Self(Sender::new(SUITE, key.clone(), b"", Mode::Base)?))
    }

    /// For hundreds of blobs: [`hpke::Sender::precompute`]. They stay the same.
    #[must_use]
    pub fn precompute(self) -> Self {
        Self(self.0.precompute())
    }

    /// A blob that only the holder of the private key opens; 57 bytes longer than `plaintext`.
    ///
    /// # Errors
    /// [`hpke::Error::Rng`], and [`hpke::Error::Validation`] for a low-order public key.
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>, Error> {
        let (enc, ct) = self.0.seal(b"", plaintext, rng).map_err(Error::Hpke)?;
        Ok(Frame {
            version: Version::V3,
            enc: &enc,
            ct: &ct,
        }
        .write())
    }
}

pub(super) fn recipient(key: &AnyPrivateKey) -> Result<Recipient, Error> {
    Ok(Recipient::new(SUITE, key.clone(), b"", Mode::Base)?)
}
