//! The halves of a hybrid: agreement on a secret with one share from each side.

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod bike_level;
mod dh;
#[cfg(any(test, not(feature = "aws-lc")))]
mod kem;
mod kyber;

use std::fmt;

use getrandom::{SysRng, rand_core::TryRng};
use pqseal_hpke::{Error, Secret};

#[cfg(feature = "aws-lc")]
pub(crate) use aws_lc::{ML_KEM_512, ML_KEM_768, ML_KEM_1024};
#[cfg(feature = "bike")]
pub(crate) use bike_level::BikeLevel;
pub(crate) use dh::Dh;
#[cfg(not(feature = "aws-lc"))]
pub(crate) use kem::{ML_KEM_512, ML_KEM_768, ML_KEM_1024};
pub(crate) use kyber::Kyber768;

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
    fn start(&'static self) -> Result<Box<dyn Started>, Error>;

    /// Returns a server's answer to the client's share.
    fn answer(&self, client: &[u8]) -> Result<Answer, Error>;
}

/// A client's ephemeral key. Wiped on drop.
pub(crate) trait Started: Send + Sync {
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
    fn rejects_every_altered_byte(key: &dyn Started, share: &mut [u8], secret: &Secret) {
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
