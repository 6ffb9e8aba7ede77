//! Hybrid Public Key Encryption: all of RFC 9180, and the suites of its successor draft.
//!
//! Anyone with the public key can seal; only the holder of the private key can open. With the KEM
//! of `pqseal-kem-pq`, a quantum computer cannot open either:
//!
//! ```
//! use pqseal_hpke::{ChaCha20Poly1305, HkdfSha256, Mode, Suite, SysRng};
//! use pqseal_kem_pq::MlKem768X25519; // or pqseal_hpke::X25519HkdfSha256
//!
//! let suite = Suite::new(&MlKem768X25519, &HkdfSha256, &ChaCha20Poly1305);
//! let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
//! let (enc, ct) = suite.seal(&pk, b"info", Mode::Base, b"aad", b"message", &mut SysRng)?;
//! assert_eq!(suite.open(&enc, &sk, b"info", Mode::Base, b"aad", &ct)?, b"message");
//! # Ok::<(), pqseal_hpke::Error>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | seal and open one message | [`Suite::seal`], [`Suite::open`] |
//! | seal many messages under one encapsulated key | [`Suite::setup_s`], [`Suite::setup_r`] |
//! | seal or open many messages with one key | [`Sender`], [`Recipient`] |
//! | choose algorithms by their ids | [`Suite::from_id`] with [`KEMS`] and a [`Policy`] |
//! | authenticate the sender, or use a psk | [`Mode`] |
//! | export secrets, or answer a message | [`SenderContext::export`], [`ResponseSecret`] |
//! | read and write keys as bytes | [`Suite::public_key`], [`Kem::serialize_private_key`] |
//! | read and write keys as PEM, DER or JWK | crate `pqseal-keys` |
//! | keep a private key in hardware | [`manual::hardware`] |
//! | build without `std`, or for browsers | [`manual::no_std`] |
//! | port a program from the crate `hpke` | [`manual::from_crate_hpke`] |
//! | implement a KEM | [`Kem`] |
//!
//! [`manual`] has one page per use. A suite fixed at compile time and one chosen at run time share
//! one implementation. The library is `pqseal_hpke`; a program without another HPKE crate can give
//! it a short name (`use pqseal_hpke as hpke`).
//!
//! Names are those of RFC 9180. `no_std` with `alloc`, no unsafe code.
//!
//! Cargo features, on by default: `x25519`, `nist` (P-256, P-384, P-521), `hkdf`, `one-stage`
//! (SHAKE, TurboSHAKE), `aes-gcm` and `chacha20poly1305` are the algorithms; `getrandom` adds
//! [`SysRng`]. Off: `x448`, and `aws-lc`, which needs `std` and a C compiler and replaces the
//! portable curves and ciphers by AWS-LC, for speed, with the same bytes and errors. An id whose
//! feature is off is [`Unsupported`], with the feature's name. [`LIBRARIES`] lists the libraries of
//! a build.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod aead;
mod bound;
mod context;
pub mod dhkem;
mod erased;
mod error;
mod info;
pub mod kdf;
mod kem;
pub mod labeled;
#[cfg(doctest)]
mod mistakes;
mod mode;
mod policy;
mod response;
mod schedule;
mod secret;
mod suite;
pub mod twice;

/// AWS-LC (C and assembly) behind the traits of the portable libraries, which it replaces with the
/// feature `aws-lc`.
///
/// Bytes and errors are the same with and without it. HKDF is not included: on processors with SHA
/// instructions the contexts of AWS-LC's HMAC cost more than the hash. Neither are X448 and the
/// one-stage KDFs, which AWS-LC lacks or does not expose.
///
/// AES-GCM comes from AWS-LC for all sizes: a choice by size would need a key for each library.
#[cfg(feature = "aws-lc")]
#[doc(hidden)]
pub mod aws_lc {
    pub use crate::{
        aead::aws_lc::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Cipher},
        dhkem::aws_lc::{
            Curve, Curve25519, Curve25519Scalar, NistPoint, NistScalar, P256, P384, P521,
        },
    };
}

/// The manual: one page per use. Every example runs as a test.
pub mod manual {
    #[doc = include_str!("manual/seal_once.md")]
    pub mod seal_once {}

    #[doc = include_str!("manual/long_lived.md")]
    pub mod long_lived {}

    #[doc = include_str!("manual/psk.md")]
    pub mod psk {}

    #[doc = include_str!("manual/export.md")]
    pub mod export {}

    #[doc = include_str!("manual/agility.md")]
    pub mod agility {}

    #[doc = include_str!("manual/hardware.md")]
    pub mod hardware {}

    #[doc = include_str!("manual/no_std.md")]
    pub mod no_std {}

    #[doc = include_str!("manual/from_crate_hpke.md")]
    pub mod from_crate_hpke {}
}

/// A seal for the traits that only this crate implements, so that they can get methods without a
/// major release.
mod sealed {
    /// A supertrait that no other crate can name.
    pub trait Sealed {}
}

#[cfg(feature = "chacha20poly1305")]
#[doc(inline)]
pub use aead::ChaCha20Poly1305;
#[doc(inline)]
pub use aead::{AEADS, Aead, AnyAead, ExportOnly, Nonce, Sealing, Tag, aead_by_id};
#[cfg(feature = "aes-gcm")]
#[doc(inline)]
pub use aead::{Aes128Gcm, Aes256Gcm};
pub use bound::{EncAndCt, Message, Recipient, Sealed, Sender};
pub use context::{RecipientContext, SenderContext};
#[cfg(feature = "x448")]
#[doc(inline)]
pub use dhkem::X448HkdfSha512;
#[cfg(feature = "x25519")]
#[doc(inline)]
pub use dhkem::X25519HkdfSha256;
#[cfg(feature = "nist")]
#[doc(inline)]
pub use dhkem::{P256HkdfSha256, P384HkdfSha384, P521HkdfSha512};
pub use erased::{AnyPrivateKey, AnyPublicKey, Decapsulator, DynKem, Erased};
pub use error::Error;
/// The random number generator of the operating system, for every function here that takes one.
#[cfg(feature = "getrandom")]
pub use getrandom::SysRng;
pub use info::{
    AeadInfo, Component, KdfInfo, KemInfo, Status, SuiteId, Unsupported, UnsupportedReason,
};
#[doc(inline)]
pub use kdf::{DynKdf, KDFS, Kdf, TwoStage, kdf_by_id};
#[cfg(feature = "hkdf")]
#[doc(inline)]
pub use kdf::{HkdfSha256, HkdfSha384, HkdfSha512};
#[cfg(feature = "shake")]
#[doc(inline)]
pub use kdf::{OneStage, Shake128, Shake256};
#[cfg(feature = "one-stage")]
#[doc(inline)]
pub use kdf::{TurboShake128, TurboShake256};
pub use kem::{Kem, encap_one_by_one};
#[doc(inline)]
pub use labeled::{HPKE_V1, Labels};
pub use mode::{Mode, Psk};
pub use policy::{Kems, ParseError, Policy};
pub use rand_core;
pub use response::{Response, ResponseKey, ResponseSecret};
pub use secret::{Secret, SharedSecret, SharedSecrets, Short, wipe};
pub use suite::Suite;
/// The SIMD implementation of X25519, with the choice of its back end.
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
pub use x25519_batch;

/// The KEMs of RFC 9180, section 7.1: X25519 with the feature `x25519`, X448 with `x448`, the
/// P-curves with `nist`.
pub static KEMS: &[&DynKem] = &[
    #[cfg(feature = "nist")]
    &Erased(P256HkdfSha256),
    #[cfg(feature = "nist")]
    &Erased(P384HkdfSha384),
    #[cfg(feature = "nist")]
    &Erased(P521HkdfSha512),
    #[cfg(feature = "x25519")]
    &Erased(X25519HkdfSha256),
    #[cfg(feature = "x448")]
    &Erased(X448HkdfSha512),
];

/// The libraries of this build, for support: primitives, each with the library that computes them.
pub const LIBRARIES: &[(&str, &str)] = &[
    ("X25519", X25519_LIBRARY),
    (
        "P-256, P-384, P-521",
        if cfg!(feature = "aws-lc") {
            "AWS-LC"
        } else {
            "RustCrypto"
        },
    ),
    (
        "AES-GCM, ChaCha20-Poly1305",
        if cfg!(feature = "aws-lc") {
            "AWS-LC"
        } else {
            "RustCrypto"
        },
    ),
    (
        if cfg!(feature = "x448") {
            "X448, HKDF, SHAKE, TurboSHAKE"
        } else {
            "HKDF, SHAKE, TurboSHAKE"
        },
        "RustCrypto",
    ),
];

/// With AVX2 x25519-batch multiplies; without it, curve25519-dalek does for a precomputed key.
const X25519_LIBRARY: &str = match (cfg!(feature = "aws-lc"), cfg!(target_arch = "wasm32")) {
    (true, _) => "AWS-LC, curve25519-dalek, x25519-batch",
    (false, false) => "curve25519-dalek, x25519-batch",
    (false, true) => "x25519-simd128",
};

/// The README, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
