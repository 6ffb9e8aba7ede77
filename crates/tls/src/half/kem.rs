//! ML-KEM by `kem-pq`, without the feature `aws-lc`. For HPKE nothing is added to it, so the shared
//! secret is the raw one.

use pqseal_hpke::{Error, Kem, Secret};
use pqseal_kem_pq::{MlKem512, MlKem768, MlKem1024};

use super::{Answer, EphemeralKey, Half, Sizes, random};

pub(crate) static ML_KEM_512: Raw<MlKem512> = Raw(MlKem512);
pub(crate) static ML_KEM_768: Raw<MlKem768> = Raw(MlKem768);
pub(crate) static ML_KEM_1024: Raw<MlKem1024> = Raw(MlKem1024);

/// The raw KEM `K`. The client's share is an encapsulation key, the server's is a ciphertext.
#[derive(Debug)]
pub(crate) struct Raw<K>(pub(crate) K);

impl<K: Kem + Send + Sync + 'static> Half for Raw<K> {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: self.0.info().n_pk,
            server: self.0.info().n_enc,
        }
    }

    /// Generates a private key, which is a seed: any bytes of the right length.
    fn start(&'static self) -> Result<Box<dyn EphemeralKey>, Error> {
        let private = self
            .0
            .deserialize_private_key(random(self.0.info().n_sk)?.as_ref())?;
        let public = self.0.public_key(&private)?;
        Ok(Box::new(RawKey {
            kem: &self.0,
            private,
            public,
        }))
    }

    /// Encapsulates to the client's key. Refuses a key that fails the modulus check (FIPS 203,
    /// section 7.2).
    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let public = self.0.deserialize_public_key(client)?;
        let randomness = random(self.0.info().n_random)?;
        let (secret, enc) = self.0.encap(&public, randomness.as_ref())?;
        Ok(Answer {
            share: enc.as_ref().to_vec(),
            secret: Secret::from_bytes(secret.as_ref()),
        })
    }
}

struct RawKey<K: Kem + 'static> {
    kem: &'static K,
    private: K::PrivateKey,
    public: K::PublicKey,
}

impl<K: Kem + Send + Sync> EphemeralKey for RawKey<K> {
    fn share(&self) -> &[u8] {
        self.public.as_ref()
    }

    /// Decapsulates. An altered ciphertext gives another secret (implicit rejection), so the peer's
    /// next record does not decrypt.
    fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        let secret = self.kem.decap(server, &self.private)?;
        Ok(Secret::from_bytes(secret.as_ref()))
    }
}
