//! The pairwise consistency test: it checks that a private key opens what its public key sealed.

use pqseal_hpke::{Error, Kem};

/// Encapsulates to `pk` with `randomness` (n_random bytes) and decapsulates with `sk`. Use it after
/// key generation if a standard requires it (FIPS 140-3) or memory cannot be trusted. It costs as
/// much as one message.
///
/// # Errors
/// [`Error::Decap`] if the secrets differ, and what [`Kem::encap`] and [`Kem::decap`] give.
///
/// # Examples
/// ```
/// use pqseal_hpke::Kem;
/// use pqseal_kem_pq::{MlKem768X25519, pairwise_consistency};
///
/// let (sk, pk) = MlKem768X25519.derive_key_pair(&[7; 32])?;
/// let mut randomness = vec![0; MlKem768X25519.info().n_random];
/// getrandom::fill(&mut randomness).expect("the operating system has random bytes");
/// pairwise_consistency(&MlKem768X25519, &sk, &pk, &randomness)?;
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
pub fn pairwise_consistency<K: Kem + ?Sized>(
    kem: &K,
    sk: &K::PrivateKey,
    pk: &K::PublicKey,
    randomness: &[u8],
) -> Result<(), Error> {
    let (sent, enc) = kem.encap(pk, randomness)?;
    let received = kem.decap(enc.as_ref(), sk)?;
    if sent == received {
        Ok(())
    } else {
        Err(Error::Decap)
    }
}
