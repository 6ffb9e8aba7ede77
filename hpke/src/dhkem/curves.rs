//! The curves, each from the library that the features and the target choose.
//!
//! Another library is added behind [`super::XFunction`], [`super::Group`] or the traits of the
//! crate `aead`, in one small file each, as AWS-LC is (feature `aws-lc`). [`super::DhKem::on`],
//! `Cipher::on` and `Hkdf::on` return an algorithm on a named library under any features, so
//! that tests compare the libraries (`tests/it/accelerated.rs`).

#[cfg(any(feature = "x25519", feature = "x448"))]
use super::montgomery::Montgomery;

/// The library's type of Curve25519.
#[cfg(feature = "x25519")]
mod curve25519 {
    #[cfg(feature = "aws-lc")]
    pub(super) use super::super::aws_lc::Curve25519;
    #[cfg(not(any(feature = "aws-lc", target_arch = "wasm32")))]
    pub(super) use super::super::dalek::Dalek as Curve25519;
    #[cfg(all(target_arch = "wasm32", not(feature = "aws-lc")))]
    pub(super) use super::super::simd128::Simd128 as Curve25519;
}

/// The library's types of the P-curves.
#[cfg(feature = "nist")]
mod nist {
    #[cfg(feature = "aws-lc")]
    pub(super) use super::super::aws_lc::{Curve, P256, P384, P521};
    #[cfg(not(feature = "aws-lc"))]
    pub(super) use {
        super::super::nist::Nist as Curve, p256::NistP256 as P256, p384::NistP384 as P384,
        p521::NistP521 as P521,
    };
}

/// Curve25519.
#[cfg(feature = "x25519")]
pub type X25519 = Montgomery<curve25519::Curve25519, 32>;
/// Curve448.
#[cfg(feature = "x448")]
pub type X448 = Montgomery<super::RustCrypto, 56>;
/// NIST P-256.
#[cfg(feature = "nist")]
pub type P256 = nist::Curve<nist::P256>;
/// NIST P-384.
#[cfg(feature = "nist")]
pub type P384 = nist::Curve<nist::P384>;
/// NIST P-521.
#[cfg(feature = "nist")]
pub type P521 = nist::Curve<nist::P521>;
