//! The DHKEMs of RFC 9180, section 7.1: one entry per curve, as a type and as a value.

use super::DhKem;
#[cfg(feature = "x448")]
use super::X448;
#[cfg(feature = "x25519")]
use super::X25519;
#[cfg(feature = "nist")]
use super::{P256, P384, P521};
#[cfg(any(feature = "nist", feature = "x25519"))]
use crate::HkdfSha256;
#[cfg(feature = "nist")]
use crate::HkdfSha384;
#[cfg(any(feature = "nist", feature = "x448"))]
use crate::HkdfSha512;

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
