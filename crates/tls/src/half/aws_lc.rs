//! ML-KEM by AWS-LC, with the feature `aws-lc`. `kem-pq` expands keys for many uses. A key here is
//! used once, for which AWS-LC is faster.

use aws_lc_rs::kem::{self, Algorithm, DecapsulationKey, EncapsulationKey};
use pqseal_hpke::{Error, Secret};
use pqseal_kem_pq::ml_kem::{ParameterSet, Set512, Set768, Set1024};

use super::{Answer, EphemeralKey, Half, Sizes};

pub(crate) static ML_KEM_512: AwsLc = AwsLc::new::<Set512>(&kem::ML_KEM_512);
pub(crate) static ML_KEM_768: AwsLc = AwsLc::new::<Set768>(&kem::ML_KEM_768);
pub(crate) static ML_KEM_1024: AwsLc = AwsLc::new::<Set1024>(&kem::ML_KEM_1024);

/// ML-KEM with one parameter set. The client's share is an encapsulation key, the server's is a
/// ciphertext.
#[derive(Debug)]
pub(crate) struct AwsLc {
    algorithm: &'static Algorithm,
    sizes: Sizes,
}

impl AwsLc {
    const fn new<P: ParameterSet>(algorithm: &'static Algorithm) -> Self {
        let sizes = Sizes {
            client: P::N_EK,
            server: P::N_C,
        };
        Self { algorithm, sizes }
    }
}

impl Half for AwsLc {
    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn start(&'static self) -> Result<Box<dyn EphemeralKey>, Error> {
        let private = DecapsulationKey::generate(self.algorithm).map_err(|_| Error::Rng)?;
        let public = private.encapsulation_key().map_err(|_| Error::Rng)?;
        let share = public
            .key_bytes()
            .map_err(|_| Error::Rng)?
            .as_ref()
            .to_vec();
        Ok(Box::new(AwsLcKey { private, share }))
    }

    /// Encapsulates to the client's key. AWS-LC refuses a key that fails the modulus check (FIPS
    /// 203, section 7.2).
    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let public =
            EncapsulationKey::new(self.algorithm, client).map_err(|_| Error::Deserialize)?;
        let (share, secret) = public.encapsulate().map_err(|_| Error::Deserialize)?;
        Ok(Answer {
            share: share.as_ref().to_vec(),
            secret: Secret::from_bytes(secret.as_ref()),
        })
    }
}

/// An ephemeral key. AWS-LC wipes the private key when it frees it.
struct AwsLcKey {
    private: DecapsulationKey,
    share: Vec<u8>,
}

impl EphemeralKey for AwsLcKey {
    fn share(&self) -> &[u8] {
        &self.share
    }

    /// Decapsulates. An altered ciphertext gives another secret (implicit rejection), so the peer's
    /// next record does not decrypt.
    fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        let secret = self.private.decapsulate(server.into());
        Ok(Secret::from_bytes(
            secret.map_err(|_| Error::Deserialize)?.as_ref(),
        ))
    }
}
