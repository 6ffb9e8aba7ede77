//! BIKE (specification v5.1) without the additions for HPKE.
//!
//! Its shared secret does not bind the public key, but TLS hashes both shares into its transcript.
//! A key is used once, so decoding failures reveal nothing about a later key.

#![cfg(feature = "bike")]

use pqseal_hpke::{Error, Secret};
use pqseal_kem_pq::{
    Backend,
    bike::{Params, PublicKey, SecretKey, params},
};

use super::{Answer, Half, Sizes, Started, random};

/// BIKE with these parameters. The client's share is h, the server's is c0 and c1.
#[derive(Debug)]
pub(crate) struct BikeLevel(pub(crate) &'static Params);

impl Half for BikeLevel {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: self.0.n_pk(),
            server: self.0.n_ct(),
        }
    }

    fn start(&'static self) -> Result<Box<dyn Started>, Error> {
        let seed = random(params::N_SEED)?;
        let seed = seed.as_ref().try_into().map_err(|_| Error::Rng)?;
        Ok(Box::new(SecretKey::generate(
            self.0,
            Backend::chosen(),
            seed,
        )))
    }

    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let public = PublicKey::parse(self.0, Backend::chosen(), client)?;
        let m = random(params::N_SS)?;
        let (share, secret) = public.encaps(m.as_ref().try_into().map_err(|_| Error::Rng)?);
        Ok(Answer {
            share,
            secret: Secret::from_bytes(secret.as_ref()),
        })
    }
}

impl Started for SecretKey {
    fn share(&self) -> &[u8] {
        self.public().as_ref()
    }

    fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        Ok(Secret::from_bytes(self.decaps(server)?.as_ref()))
    }
}
