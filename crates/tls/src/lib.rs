//! Post-quantum key exchange for TLS 1.3 and QUIC in rustls 0.23, and Encrypted Client Hello.
//!
//! ```
//! # #[cfg(feature = "aws-lc")]
//! # {
//! use pqseal_tls::{Policy, provider};
//! use rustls::NamedGroup;
//!
//! let provider = provider(&Policy::standard());
//! assert_eq!(provider.kx_groups[0].name(), NamedGroup::X25519MLKEM768);
//! provider.install_default().expect("no other provider is installed");
//! # }
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | use the groups in rustls | `provider`, or [`provider_on`] another provider |
//! | refuse classical groups | [`post_quantum_only`] |
//! | choose the groups and their order | [`groups`], [`kx_groups`] |
//! | hide the server's name | [`ech`] |
//! | see which groups a server accepts | `probe` |
//!
//! | group | code point | client's share | server's share | status |
//! |---|---|---|---|---|
//! | X25519MLKEM768 | 0x11EC | 1,216 | 1,120 | RFC 10024 |
//! | SecP256r1MLKEM768 | 0x11EB | 1,249 | 1,153 | RFC 10024 |
//! | SecP384r1MLKEM1024 | 0x11ED | 1,665 | 1,665 | RFC 10024 |
//! | MLKEM1024 | 0x0202 | 1,568 | 1,568 | draft |
//! | MLKEM768 | 0x0201 | 1,184 | 1,088 | draft |
//! | MLKEM512 | 0x0200 | 800 | 768 | draft |
//! | X25519Kyber768Draft00 | 0x6399 | 1,216 | 1,120 | expired draft |
//! | x25519_bikel1, p256_bikel1, bikel1 | 0xFE12, 0xFE11, 0xFE10 | 1,573, 1,606, 1,541 | 1,605, 1,638, 1,573 | experimental |
//! | x448_bikel3, p384_bikel3, bikel3 | 0xFE15, 0xFE14, 0xFE13 | 3,139, 3,180, 3,083 | 3,171, 3,212, 3,115 | experimental |
//! | p521_bikel5, bikel5 | 0xFE17, 0xFE16 | 5,255, 5,122 | 5,287, 5,154 | experimental |
//!
//! Sizes are in bytes. [`Policy::standard`] allows the first three and the classical groups of the
//! underlying provider, [`Policy::draft`] also ML-KEM without a curve, and `with_experimental` also
//! X25519Kyber768Draft00 and BIKE (feature `bike`). [`post_quantum_only`] denies the classical
//! groups. SIKE is broken and not supported.
//!
//! The feature `aws-lc` adds `provider`; [`provider_on`] accepts any provider of rustls. Key
//! exchange with these groups requires TLS 1.3 and is not offered in TLS 1.2.
//!
//! - A client's order decides which group a rustls server chooses. A server that must not negotiate
//!   classical groups must leave them out.
//! - Shares of a wrong length, ML-KEM keys that fail the modulus check, points off their curve and
//!   an all-zero X25519 result end the handshake with the alert `illegal_parameter`.
//! - `probe` (feature `aws-lc`) determines which groups a server accepts.
//! - [`ech::SUITES`] hides the server's name with any HPKE suite, including X-Wing.

#![forbid(unsafe_code)]

pub mod ech;
mod group;
pub mod groups;
mod half;
#[cfg(feature = "aws-lc")]
pub mod probe;
mod rustls_0_23;

pub use group::HybridGroup;
pub use groups::CLASSICAL;
pub use pqseal_hpke::{Component, Policy, Status, Unsupported};
#[cfg(feature = "aws-lc")]
pub use rustls_0_23::provider;
pub use rustls_0_23::{kx_groups, post_quantum_only, provider_on};
