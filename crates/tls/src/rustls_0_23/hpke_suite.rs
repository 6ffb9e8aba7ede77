//! The implementation of rustls' `Hpke` for [`EchSuite`].

use std::sync::Arc;

use getrandom::SysRng;
use pqseal_hpke::{AnyAead, DynKdf, Mode, RecipientContext, SenderContext, Suite};
use rustls::{
    Error, OtherError,
    crypto::hpke::{
        EncapsulatedSecret, Hpke, HpkeOpener, HpkePrivateKey, HpkePublicKey, HpkeSealer, HpkeSuite,
    },
};

/// An HPKE suite for Encrypted Client Hello, which implements rustls' `Hpke`.
#[derive(Clone, Copy, Debug)]
pub struct EchSuite(pub(crate) Suite);

#[derive(Debug)]
struct Sealer(SenderContext<DynKdf, AnyAead>);

#[derive(Debug)]
struct Opener(RecipientContext<DynKdf, AnyAead>);

impl EchSuite {
    /// Returns the suite.
    pub const fn suite(&self) -> &Suite {
        &self.0
    }
}

impl Hpke for EchSuite {
    fn seal(
        &self,
        info: &[u8],
        aad: &[u8],
        plaintext: &[u8],
        public: &HpkePublicKey,
    ) -> Result<(EncapsulatedSecret, Vec<u8>), Error> {
        let (enc, mut sealer) = self.setup_sealer(info, public)?;
        Ok((enc, sealer.seal(aad, plaintext)?))
    }

    fn setup_sealer(
        &self,
        info: &[u8],
        public: &HpkePublicKey,
    ) -> Result<(EncapsulatedSecret, Box<dyn HpkeSealer + 'static>), Error> {
        let public = self.0.kem().deserialize_public_key(&public.0);
        let (enc, context) = self
            .0
            .setup_s(&public.map_err(error)?, info, Mode::Base, &mut SysRng)
            .map_err(error)?;
        Ok((EncapsulatedSecret(enc), Box::new(Sealer(context))))
    }

    fn open(
        &self,
        enc: &EncapsulatedSecret,
        info: &[u8],
        aad: &[u8],
        ciphertext: &[u8],
        private: &HpkePrivateKey,
    ) -> Result<Vec<u8>, Error> {
        self.setup_opener(enc, info, private)?.open(aad, ciphertext)
    }

    fn setup_opener(
        &self,
        enc: &EncapsulatedSecret,
        info: &[u8],
        private: &HpkePrivateKey,
    ) -> Result<Box<dyn HpkeOpener + 'static>, Error> {
        let private = self.0.kem().deserialize_private_key(private.secret_bytes());
        let context = self
            .0
            .setup_r(&enc.0, &private.map_err(error)?, info, Mode::Base);
        Ok(Box::new(Opener(context.map_err(error)?)))
    }

    fn generate_key_pair(&self) -> Result<(HpkePublicKey, HpkePrivateKey), Error> {
        let (private, public) = self.0.generate_key_pair(&mut SysRng).map_err(error)?;
        let private = self.0.kem().serialize_private_key(&private);
        // rustls wipes its copy on drop.
        let private = private.map_err(error)?.as_ref().to_vec();
        Ok((
            HpkePublicKey(public.as_ref().to_vec()),
            HpkePrivateKey::from(private),
        ))
    }

    /// Returns the ids. The types of the two inner fields are private to rustls, so they
    /// are set one by one.
    fn suite(&self) -> HpkeSuite {
        let id = self.0.id();
        let mut suite = HpkeSuite {
            kem: id.kem.into(),
            sym: Default::default(),
        };
        (suite.sym.kdf_id, suite.sym.aead_id) = (id.kdf.into(), id.aead.into());
        suite
    }
}

impl HpkeSealer for Sealer {
    fn seal(&mut self, aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.seal(aad, plaintext).map_err(error)
    }
}

impl HpkeOpener for Opener {
    fn open(&mut self, aad: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.open(aad, ciphertext).map_err(error)
    }
}

fn error(error: pqseal_hpke::Error) -> Error {
    Error::Other(OtherError(Arc::new(error)))
}
