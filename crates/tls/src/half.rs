//! The halves of a hybrid: agreement on a secret with one share from each side.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(any(test, not(feature = "aws-lc")))]
mod kem;

use std::{fmt, marker::PhantomData};

use getrandom::{SysRng, rand_core::TryRng};
use pqseal_hpke::{Error, Secret, dhkem::Group};
use pqseal_kem_pq::kyber::{self, N_CT, N_PK, N_SEED, N_SS};
#[cfg(feature = "bike")]
use pqseal_kem_pq::{
    Backend,
    bike::{self, params},
};

#[cfg(feature = "aws-lc")]
pub(crate) use aws_lc::{ML_KEM_512, ML_KEM_768, ML_KEM_1024};
#[cfg(not(feature = "aws-lc"))]
pub(crate) use kem::{ML_KEM_512, ML_KEM_768, ML_KEM_1024};

/// A key agreement with one share from each side. The client starts, the server answers, and the
/// client finishes. For a KEM these are KeyGen, Encaps and Decaps; for Diffie-Hellman they are
/// symmetric.
pub(crate) trait Half: fmt::Debug + Send + Sync {
    /// Returns the lengths of the shares.
    fn sizes(&self) -> Sizes;

    /// Returns the code point of this half as a separate group, if a client may offer it beside the
    /// hybrid with the same share. Only Diffie-Hellman has one.
    fn alone(&self) -> Option<u16> {
        None
    }

    /// Generates a client's ephemeral key.
    fn start(&'static self) -> Result<Box<dyn EphemeralKey>, Error>;

    /// Returns a server's answer to the client's share.
    fn answer(&self, client: &[u8]) -> Result<Answer, Error>;
}

/// A client's ephemeral key. Wiped on drop.
pub(crate) trait EphemeralKey: Send + Sync {
    /// Returns the share that the client sends.
    fn share(&self) -> &[u8];

    /// Returns the secret, from the server's share.
    fn finish(&self, server: &[u8]) -> Result<Secret, Error>;
}

/// The share that a server sends, and the secret.
pub(crate) struct Answer {
    pub(crate) share: Vec<u8>,
    pub(crate) secret: Secret,
}

/// The lengths of the shares, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) client: usize,
    pub(crate) server: usize,
}

/// Diffie-Hellman in `G`, a group of `hpke`, which is also a TLS group with this code point. A share
/// is a public key, which is uncompressed for the P-curves (RFC 8446, section 4.2.8.2).
pub(crate) struct Dh<G> {
    id: u16,
    group: PhantomData<fn() -> G>,
}

impl<G> Dh<G> {
    pub(crate) const fn new(id: u16) -> Self {
        Self {
            id,
            group: PhantomData,
        }
    }
}

impl<G: Group> Half for Dh<G> {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: G::N_PK,
            server: G::N_PK,
        }
    }

    fn alone(&self) -> Option<u16> {
        Some(self.id)
    }

    fn start(&'static self) -> Result<Box<dyn EphemeralKey>, Error> {
        Ok(Box::new(DhKey::<G>::generate()?))
    }

    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let key = DhKey::<G>::generate()?;
        Ok(Answer {
            secret: key.finish(client)?,
            share: key.share().to_vec(),
        })
    }
}

impl<G> fmt::Debug for Dh<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dh({:#06x})", self.id)
    }
}

struct DhKey<G: Group> {
    /// The scalar, boxed so that its bytes are not copied when the key moves.
    scalar: Box<G::Scalar>,
    share: G::PointBytes,
}

impl<G: Group> DhKey<G> {
    fn generate() -> Result<Self, Error> {
        let scalar = Box::new(G::generate(&mut SysRng)?);
        let share = G::public_bytes(&scalar);
        Ok(Self { scalar, share })
    }
}

impl<G: Group> EphemeralKey for DhKey<G> {
    fn share(&self) -> &[u8] {
        self.share.as_ref()
    }

    /// Computes the secret. Refuses points off the curve and an all-zero result.
    fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        let dh = G::dh(&self.scalar, &G::point(server)?)?;
        Ok(Secret::from_bytes(dh.as_ref()))
    }
}

/// Kyber768 of round 3, which X25519Kyber768Draft00 uses instead of ML-KEM. The client's share is a
/// public key, the server's is a ciphertext.
#[derive(Debug)]
pub(crate) struct Kyber768;

impl Half for Kyber768 {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: N_PK,
            server: N_CT,
        }
    }

    fn start(&'static self) -> Result<Box<dyn EphemeralKey>, Error> {
        let seed = random(N_SEED)?;
        let seed = seed.as_ref().try_into().map_err(|_| Error::Rng)?;
        Ok(Box::new(kyber::SecretKey::generate(seed)))
    }

    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let public = kyber::PublicKey::parse(client)?;
        let m = random(N_SS)?;
        let (share, secret) = public.encaps(m.as_ref().try_into().map_err(|_| Error::Rng)?);
        Ok(Answer {
            share: share.to_vec(),
            secret: Secret::from_bytes(secret.as_ref()),
        })
    }
}

impl EphemeralKey for kyber::SecretKey {
    fn share(&self) -> &[u8] {
        self.public().as_ref()
    }

    fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        Ok(Secret::from_bytes(self.decaps(server)?.as_ref()))
    }
}

/// BIKE (specification v5.1) with these parameters, without the additions for HPKE. The client's
/// share is h, the server's is c0 and c1.
///
/// Its shared secret does not bind the public key, but TLS hashes both shares into its transcript.
/// A key is used once, so decoding failures reveal nothing about a later key.
#[cfg(feature = "bike")]
#[derive(Debug)]
pub(crate) struct BikeLevel(pub(crate) &'static bike::Params);

#[cfg(feature = "bike")]
impl Half for BikeLevel {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: self.0.n_pk(),
            server: self.0.n_ct(),
        }
    }

    fn start(&'static self) -> Result<Box<dyn EphemeralKey>, Error> {
        let seed = random(params::N_SEED)?;
        let seed = seed.as_ref().try_into().map_err(|_| Error::Rng)?;
        Ok(Box::new(bike::SecretKey::generate(
            self.0,
            Backend::chosen(),
            seed,
        )))
    }

    fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let public = bike::PublicKey::parse(self.0, Backend::chosen(), client)?;
        let m = random(params::N_SS)?;
        let (share, secret) = public.encaps(m.as_ref().try_into().map_err(|_| Error::Rng)?);
        Ok(Answer {
            share,
            secret: Secret::from_bytes(secret.as_ref()),
        })
    }
}

#[cfg(feature = "bike")]
impl EphemeralKey for bike::SecretKey {
    fn share(&self) -> &[u8] {
        self.public().as_ref()
    }

    fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        Ok(Secret::from_bytes(self.decaps(server)?.as_ref()))
    }
}

/// Returns `len` random bytes from the operating system.
fn random(len: usize) -> Result<Secret, Error> {
    let mut bytes = Secret::new(vec![0; len]);
    SysRng
        .try_fill_bytes(bytes.as_mut())
        .map_err(|_| Error::Rng)?;
    Ok(bytes)
}

#[cfg(all(test, feature = "aws-lc"))]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The ML-KEM of `kem-pq` and that of AWS-LC agree, with either as client.
    #[test]
    fn both_ml_kems_agree() {
        let sets: [(&'static dyn Half, &'static dyn Half); 3] = [
            (&kem::ML_KEM_512, &aws_lc::ML_KEM_512),
            (&kem::ML_KEM_768, &aws_lc::ML_KEM_768),
            (&kem::ML_KEM_1024, &aws_lc::ML_KEM_1024),
        ];
        for (ours, theirs) in sets {
            assert_eq!(ours.sizes(), theirs.sizes());
            for (client, server) in [(ours, theirs), (theirs, ours)] {
                let key = client.start().unwrap();
                let mut answer = server.answer(key.share()).unwrap();
                let secret = key.finish(&answer.share).unwrap();
                assert_eq!(secret.as_ref(), answer.secret.as_ref());
                rejects_every_altered_byte(&*key, &mut answer.share, &secret);
                // The modulus check of FIPS 203, section 7.2.
                let beyond = vec![0xff; server.sizes().client];
                assert_eq!(server.answer(&beyond).err(), Some(Error::Deserialize));
            }
        }
    }
    /// Checks implicit rejection for each altered byte, and each bit of the last 64 bytes, as
    /// `pqseal-kem-pq` does for its back ends. No two ciphertexts give the same secret.
    fn rejects_every_altered_byte(key: &dyn EphemeralKey, share: &mut [u8], secret: &Secret) {
        let mut seen = BTreeSet::from([secret.as_ref().to_vec()]);
        for (at, bit) in (0..share.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            if at < share.len() - 64 && at % 8 != bit {
                continue;
            }
            share[at] ^= 1 << bit;
            let rejected = key.finish(share).unwrap();
            assert!(
                seen.insert(rejected.as_ref().to_vec()),
                "byte {at}, bit {bit}"
            );
            share[at] ^= 1 << bit;
        }
    }
}
