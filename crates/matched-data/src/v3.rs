//! Version 3: RFC 9180, today's production format.

use pqseal_hpke::{
    AnyPrivateKey, AnyPublicKey, Message, Mode, Policy, Recipient, Sender, Suite,
    rand_core::TryCryptoRng,
};

use pqseal_keys::KEMS;

use crate::{Error, Version};
use crate::{Frame, version::SUITE};

#[derive(Debug)]
pub(super) struct Sealer(Sender<'static>);

impl Sealer {
    pub(super) fn new(key: &AnyPublicKey, policy: &Policy) -> Result<Self, Error> {
        if key.kem().id != SUITE.id().kem {
            return Err(Error::WrongKem(Version::V3));
        }
        let suite = Suite::from_id(KEMS, SUITE.id(), policy).map_err(Error::Hpke)?;
        Ok(Self(Sender::new(suite, key.clone(), b"", Mode::Base)?))
    }

    pub(super) fn precompute(self) -> Self {
        Self(self.0.precompute())
    }

    pub(super) fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>, Error> {
        let (enc, ct) = self.0.seal(b"", plaintext, rng).map_err(Error::Hpke)?;
        Ok(write(&enc, &ct))
    }

    pub(super) fn seal_batch<R: TryCryptoRng + ?Sized>(
        &self,
        messages: &[Message<'_>],
        rng: &mut R,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let sealed = self.0.seal_batch(messages, rng).map_err(Error::Hpke)?;
        Ok(sealed.iter().map(|(enc, ct)| write(enc, ct)).collect())
    }
}

fn write(enc: &[u8], ct: &[u8]) -> Vec<u8> {
    let version = Version::V3;
    Frame { version, enc, ct }.write()
}

pub(super) fn recipient(key: &AnyPrivateKey) -> Result<Recipient, Error> {
    Ok(Recipient::new(SUITE, key.clone(), b"", Mode::Base)?)
}
