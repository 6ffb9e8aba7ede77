//! Post-quantum KEMs for HPKE (draft-ietf-hpke-pq): ML-KEM, its hybrids with a classical curve, and
//! X25519Kyber768Draft00.
//!
//! | KEM | id | public key | encapsulated key | private key | status |
//! |---|---|---|---|---|---|
//! | X25519Kyber768Draft00 | 0x0030 | 1,216 | 1,120 | 2,432 | expired draft: to open old data |
//! | ML-KEM-512 | 0x0040 | 800 | 768 | 64 | draft |
//! | ML-KEM-768 | 0x0041 | 1,184 | 1,088 | 64 | draft |
//! | ML-KEM-1024 | 0x0042 | 1,568 | 1,568 | 64 | draft |
//! | MLKEM768-P256 | 0x0050 | 1,249 | 1,153 | 32 | draft |
//! | MLKEM1024-P384 | 0x0051 | 1,665 | 1,665 | 32 | draft |
//! | MLKEM768-X25519 (X-Wing) | 0x647a | 1,216 | 1,120 | 32 | draft |
//!
//! BIKE (feature `bike`, off by default) is experimental and has a registry of its own,
//! `BIKE_KEMS`.
//!
//! Sizes are in bytes. Private keys are seeds, except that of X25519Kyber768Draft00. None of these
//! KEMs has auth modes.
//!
//! ```
//! use pqseal_kem_pq::MlKem768X25519;
//! use pqseal_kem_pq::hpke::{ChaCha20Poly1305, HkdfSha256, Mode, Suite, SysRng};
//!
//! let suite = Suite::new(&MlKem768X25519, &HkdfSha256, &ChaCha20Poly1305);
//! let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
//! let (enc, ct) = suite.seal(&pk, b"", Mode::Base, b"", b"message", &mut SysRng)?;
//! assert_eq!(suite.open(&enc, &sk, b"", Mode::Base, b"", &ct)?, b"message");
//! # Ok::<(), pqseal_kem_pq::hpke::Error>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | seal and open with a hybrid | [`MlKem768X25519`](const@MlKem768X25519), as above |
//! | choose KEMs by their ids | [`KEMS`] with [`hpke::Suite::from_id`] |
//! | read an ML-KEM key without its seed | [`ml_kem::MlKem::import_expanded`] |
//! | derive keys as another library does | [`hybrid::Hybrid::derive_key_pair_unlabeled`], [`ml_kem::MlKem::derive_key_pair_verbatim`] |
//! | test a new key pair (FIPS 140-3) | [`pairwise_consistency`] |
//! | know or choose the back end | [`Backend`] |
//! | read and write keys as PEM, DER or JWK | crate `pqseal-keys` |

#![no_std]
// Unsafe code is in `bike::backend::x86_64` and `bike::backend::wasm` only.
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod backend;
#[cfg(feature = "bike")]
pub mod bike;
pub mod hybrid;
mod kernel;
pub mod kyber;
pub mod ml_kem;
pub mod xyber;

pub use backend::Backend;
#[doc(inline)]
pub use hybrid::MlKem768X25519;
#[cfg(feature = "all-kems")]
#[doc(inline)]
pub use hybrid::{MlKem768P256, MlKem1024P384};
#[doc(inline)]
pub use ml_kem::{MlKem512, MlKem768, MlKem1024};
pub use pqseal_backend_choice::Unavailable;
pub use pqseal_hpke as hpke;
#[doc(inline)]
pub use xyber::X25519Kyber768Draft00;

use pqseal_hpke::{DynKem, Erased, Error, Kem};

/// The KEMs of this crate. Without the feature `all-kems`, which is on by default, only
/// MLKEM768-X25519.
pub static KEMS: &[&DynKem] = &[
    &Erased(MlKem768X25519),
    #[cfg(feature = "all-kems")]
    &Erased(MlKem768P256),
    #[cfg(feature = "all-kems")]
    &Erased(MlKem1024P384),
    #[cfg(feature = "all-kems")]
    &Erased(MlKem512),
    #[cfg(feature = "all-kems")]
    &Erased(MlKem768),
    #[cfg(feature = "all-kems")]
    &Erased(MlKem1024),
    #[cfg(feature = "all-kems")]
    &Erased(X25519Kyber768Draft00),
];

/// The BIKE KEMs, which are experimental. The registry is separate, for a caller that asks for it
/// and whose [`pqseal_hpke::Policy`] allows it.
#[cfg(feature = "bike")]
pub static BIKE_KEMS: &[&DynKem] = &[
    &Erased(bike::X25519BikeL1),
    &Erased(bike::X25519BikeL3),
    &Erased(bike::X25519BikeL5),
    &Erased(bike::BikeL1),
    &Erased(bike::BikeL3),
    &Erased(bike::BikeL5),
];

/// The revision of the draft that these KEMs follow.
const DRAFT: pqseal_hpke::Status = pqseal_hpke::Status::Draft("draft-ietf-hpke-pq-05");

/// The pairwise consistency test: checks that a private key opens what its public key sealed.
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

/// The examples of the README, which are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
