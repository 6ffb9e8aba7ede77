//! The curves, each from the library that the features and the target choose.
//!
//! Another library is added behind [`super::XFunction`], [`super::Group`] or the traits of the
//! crate `aead`, in one small file each, as AWS-LC is (feature `aws-lc`). [`super::DhKem::on`],
//! `Cipher::on` and `Hkdf::on` return an algorithm on a named library under any features, so
//! that tests compare the libraries (`tests/it/accelerated.rs`).

use super::montgomery::Montgomery;
#[cfg(feature = "x448")]
use super::montgomery::RustCrypto;

/// The libraries' types.
mod chosen {
    #[cfg(feature = "aws-lc")]
    pub(super) use super::super::aws_lc::{Curve, Curve25519, P256, P384, P521};
    #[cfg(not(any(feature = "aws-lc", target_arch = "wasm32")))]
    pub(super) use super::super::montgomery::Dalek as Curve25519;
    #[cfg(all(target_arch = "wasm32", not(feature = "aws-lc")))]
    pub(super) use super::super::simd128::Simd128 as Curve25519;
    #[cfg(not(feature = "aws-lc"))]
    pub(super) use {
        super::super::nist::Nist as Curve, p256::NistP256 as P256, p384::NistP384 as P384,
        p521::NistP521 as P521,
    };
}

/// Curve25519.
pub type X25519 = Montgomery<chosen::Curve25519, 32>;
/// Curve448.
#[cfg(feature = "x448")]
pub type X448 = Montgomery<RustCrypto, 56>;
/// NIST P-256.
pub type P256 = chosen::Curve<chosen::P256>;
/// NIST P-384.
pub type P384 = chosen::Curve<chosen::P384>;
/// NIST P-521.
pub type P521 = chosen::Curve<chosen::P521>;
