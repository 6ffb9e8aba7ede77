//! Mistakes that the types prevent. Each example that must not compile stands after the one that
//! does.
//!
//! A context cannot be cloned, since its clone would use each nonce again:
//!
//! ```
//! use pqseal_hpke::{AnyAead, DynKdf, RecipientContext, SenderContext};
//!
//! fn is_debug<T: core::fmt::Debug>() {}
//! is_debug::<SenderContext<DynKdf, AnyAead>>();
//! is_debug::<RecipientContext<DynKdf, AnyAead>>();
//! ```
//!
//! ```compile_fail,E0277
//! use pqseal_hpke::{AnyAead, DynKdf, SenderContext};
//!
//! fn is_clone<T: Clone>() {}
//! is_clone::<SenderContext<DynKdf, AnyAead>>();
//! ```
//!
//! ```compile_fail,E0277
//! use pqseal_hpke::{AnyAead, DynKdf, RecipientContext};
//!
//! fn is_clone<T: Clone>() {}
//! is_clone::<RecipientContext<DynKdf, AnyAead>>();
//! ```
//!
//! A sender seals, and a recipient opens:
//!
//! ```
//! use pqseal_hpke::{AnyAead, DynKdf, RecipientContext, SenderContext};
//!
//! fn seals(context: &mut SenderContext<DynKdf, AnyAead>) {
//!     let _ = context.seal(b"aad", b"message");
//! }
//! fn opens(context: &mut RecipientContext<DynKdf, AnyAead>) {
//!     let _ = context.open(b"aad", b"message");
//! }
//! ```
//!
//! ```compile_fail,E0599
//! use pqseal_hpke::{AnyAead, DynKdf, SenderContext};
//!
//! fn opens(context: &mut SenderContext<DynKdf, AnyAead>) {
//!     let _ = context.open(b"aad", b"message");
//! }
//! ```
//!
//! ```compile_fail,E0599
//! use pqseal_hpke::{AnyAead, DynKdf, RecipientContext};
//!
//! fn seals(context: &mut RecipientContext<DynKdf, AnyAead>) {
//!     let _ = context.seal(b"aad", b"message");
//! }
//! ```
//!
//! An export-only suite neither seals nor opens:
//!
//! ```
//! use pqseal_hpke::{
//!     Aes128Gcm, HkdfSha256, Kem, Mode, RecipientContext, SenderContext, Suite, X25519HkdfSha256,
//! };
//!
//! fn seals(context: &mut SenderContext<HkdfSha256, Aes128Gcm>) {
//!     let _ = context.seal(b"aad", b"message");
//! }
//! fn opens(context: &mut RecipientContext<HkdfSha256, Aes128Gcm>) {
//!     let _ = context.open(b"aad", b"message");
//! }
//! fn opens_one(
//!     suite: Suite<X25519HkdfSha256, HkdfSha256, Aes128Gcm>,
//!     sk: <X25519HkdfSha256 as Kem>::PrivateKey,
//! ) {
//!     let _ = suite.open(b"enc", &sk, b"info", Mode::Base, b"aad", b"message");
//! }
//! ```
//!
//! ```compile_fail,E0599
//! use pqseal_hpke::{ExportOnly, HkdfSha256, SenderContext};
//!
//! fn seals(context: &mut SenderContext<HkdfSha256, ExportOnly>) {
//!     let _ = context.seal(b"aad", b"message");
//! }
//! ```
//!
//! ```compile_fail,E0599
//! use pqseal_hpke::{ExportOnly, HkdfSha256, RecipientContext};
//!
//! fn opens(context: &mut RecipientContext<HkdfSha256, ExportOnly>) {
//!     let _ = context.open(b"aad", b"message");
//! }
//! ```
//!
//! ```compile_fail,E0599
//! use pqseal_hpke::{ExportOnly, HkdfSha256, Kem, Mode, Suite, X25519HkdfSha256};
//!
//! fn opens_one(
//!     suite: Suite<X25519HkdfSha256, HkdfSha256, ExportOnly>,
//!     sk: <X25519HkdfSha256 as Kem>::PrivateKey,
//! ) {
//!     let _ = suite.open(b"enc", &sk, b"info", Mode::Base, b"aad", b"message");
//! }
//! ```
//!
//! A key belongs to its KEM:
//!
//! ```
//! use pqseal_hpke::{Aes128Gcm, HkdfSha256, Kem, Mode, Suite, X25519HkdfSha256};
//!
//! fn opens(
//!     suite: Suite<X25519HkdfSha256, HkdfSha256, Aes128Gcm>,
//!     sk: <X25519HkdfSha256 as Kem>::PrivateKey,
//! ) {
//!     let _ = suite.setup_r(b"enc", &sk, b"info", Mode::Base);
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use pqseal_hpke::{Aes128Gcm, HkdfSha256, Kem, Mode, P256HkdfSha256, Suite, X25519HkdfSha256};
//!
//! fn opens(
//!     suite: Suite<X25519HkdfSha256, HkdfSha256, Aes128Gcm>,
//!     sk: <P256HkdfSha256 as Kem>::PrivateKey,
//! ) {
//!     let _ = suite.setup_r(b"enc", &sk, b"info", Mode::Base);
//! }
//! ```
