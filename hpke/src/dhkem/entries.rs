//! The DHKEMs of RFC 9180, section 7.1: one entry per curve, as a type and as a value. Each curve
//! is from the library that the features and the target choose.
//!
//! Another library is added behind [`super::XFunction`], [`super::Group`] or the traits of the
//! crate `aead`, in one small place each, as AWS-LC is (feature `aws-lc`). [`DhKem::on`],
//! `Cipher::on` and `Hkdf::on` return an algorithm on a named library under any features, so
//! that tests compare the libraries (`tests/it/accelerated.rs`).

#[cfg(all(feature = "nist", not(feature = "aws-lc")))]
use p256::NistP256;
#[cfg(all(feature = "nist", not(feature = "aws-lc")))]
use p384::NistP384;
#[cfg(all(feature = "nist", not(feature = "aws-lc")))]
use p521::NistP521;

use super::DhKem;
#[cfg(all(feature = "x25519", feature = "aws-lc"))]
use super::aws_lc::Curve25519;
#[cfg(all(feature = "nist", feature = "aws-lc"))]
use super::aws_lc::{Curve, P256 as NistP256, P384 as NistP384, P521 as NistP521};
#[cfg(all(
    feature = "x25519",
    not(any(feature = "aws-lc", target_arch = "wasm32"))
))]
use super::libraries::Dalek as Curve25519;
#[cfg(feature = "x448")]
use super::libraries::RustCrypto;
#[cfg(all(feature = "x25519", target_arch = "wasm32", not(feature = "aws-lc")))]
use super::libraries::Simd128 as Curve25519;
#[cfg(any(feature = "x25519", feature = "x448"))]
use super::montgomery::Montgomery;
#[cfg(all(feature = "nist", not(feature = "aws-lc")))]
use super::nist::Nist as Curve;
#[cfg(any(feature = "nist", feature = "x25519"))]
use crate::HkdfSha256;
#[cfg(feature = "nist")]
use crate::HkdfSha384;
#[cfg(any(feature = "nist", feature = "x448"))]
use crate::HkdfSha512;

/// Curve25519.
#[cfg(feature = "x25519")]
pub type X25519 = Montgomery<Curve25519, 32>;
/// Curve448.
#[cfg(feature = "x448")]
pub type X448 = Montgomery<RustCrypto, 56>;
/// NIST P-256.
#[cfg(feature = "nist")]
pub type P256 = Curve<NistP256>;
/// NIST P-384.
#[cfg(feature = "nist")]
pub type P384 = Curve<NistP384>;
/// NIST P-521.
#[cfg(feature = "nist")]
pub type P521 = Curve<NistP521>;

/// DHKEM(P-256, HKDF-SHA256), id 0x0010: Nsecret 32, Nenc 65, Npk 65, Nsk 32 bytes.
#[cfg(feature = "nist")]
pub type P256HkdfSha256 = DhKem<P256, HkdfSha256>;
/// DHKEM(P-384, HKDF-SHA384), id 0x0011: Nsecret 48, Nenc 97, Npk 97, Nsk 48 bytes.
#[cfg(feature = "nist")]
pub type P384HkdfSha384 = DhKem<P384, HkdfSha384>;
/// DHKEM(P-521, HKDF-SHA512), id 0x0012: Nsecret 64, Nenc 133, Npk 133, Nsk 66 bytes.
#[cfg(feature = "nist")]
pub type P521HkdfSha512 = DhKem<P521, HkdfSha512>;
/// DHKEM(X25519, HKDF-SHA256), id 0x0020: all sizes 32 bytes.
#[cfg(feature = "x25519")]
pub type X25519HkdfSha256 = DhKem<X25519, HkdfSha256>;
/// DHKEM(X448, HKDF-SHA512), id 0x0021: Nsecret 64, Nenc 56, Npk 56, Nsk 56 bytes.
#[cfg(feature = "x448")]
pub type X448HkdfSha512 = DhKem<X448, HkdfSha512>;

/// DHKEM(P-256, HKDF-SHA256) as a value.
#[allow(
    non_upper_case_globals,
    reason = "an entry reads like a unit struct: one name for its type and its value"
)]
#[cfg(feature = "nist")]
pub const P256HkdfSha256: P256HkdfSha256 =
    DhKem::entry(0x0010, "DHKEM(P-256, HKDF-SHA256)", "p256", 32, HkdfSha256);
/// DHKEM(P-384, HKDF-SHA384) as a value.
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
#[cfg(feature = "nist")]
pub const P384HkdfSha384: P384HkdfSha384 =
    DhKem::entry(0x0011, "DHKEM(P-384, HKDF-SHA384)", "p384", 48, HkdfSha384);
/// DHKEM(P-521, HKDF-SHA512) as a value.
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
#[cfg(feature = "nist")]
pub const P521HkdfSha512: P521HkdfSha512 =
    DhKem::entry(0x0012, "DHKEM(P-521, HKDF-SHA512)", "p521", 64, HkdfSha512);
/// DHKEM(X25519, HKDF-SHA256) as a value.
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
#[cfg(feature = "x25519")]
pub const X25519HkdfSha256: X25519HkdfSha256 = DhKem::entry(
    0x0020,
    "DHKEM(X25519, HKDF-SHA256)",
    "x25519",
    32,
    HkdfSha256,
);
/// DHKEM(X448, HKDF-SHA512) as a value.
#[cfg(feature = "x448")]
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
pub const X448HkdfSha512: X448HkdfSha512 =
    DhKem::entry(0x0021, "DHKEM(X448, HKDF-SHA512)", "x448", 64, HkdfSha512);
