//! Kyber768 of round 3, which X25519Kyber768Draft00 uses instead of ML-KEM.

use pqseal_hpke::{Error, Secret};
use pqseal_kem_pq::kyber::{N_CT, N_PK, N_SEED, N_SS, PublicKey, SecretKey};

use super::{Answer, Half, Sizes, Started, random};

/// Kyber768. The client's share is a public key, the server's is a ciphertext.
#[derive(Debug)]
pub(crate) struct Kyber768;

impl Half for Kyber768 {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: N_PK,
            server: N_CT,
        }
    }

    fn start(&'static self) -> Result<Box<dyn Started>, Error> {
        let seed = random(N_SEED)?;
        let seed = seed.as_ref().try_into().map_err(|_| Error::Rng)?;
        Ok(Box::new(SecretKey::generate(seed)))
    }

    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let public = PublicKey::parse(client)?;
        let m = random(N_SS)?;
        let (share, secret) = public.encaps(m.as_ref().try_into().map_err(|_| Error::Rng)?);
        Ok(Answer {
            share: share.to_vec(),
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
