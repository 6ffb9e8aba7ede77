//! COSE (RFC 9052) with HPKE: draft-ietf-cose-hpke-27, and the post-quantum algorithms of
//! draft-ietf-jose-hpke-pq-pqt-01.
//!
//! | | Integrated Encryption (`HPKE-n`) | Key Encryption (`HPKE-n-KE`) |
//! |---|---|---|
//! | message | COSE_Encrypt0 | COSE_Encrypt, a recipient structure for each recipient |
//! | HPKE encrypts | the plaintext | a content encryption key (CEK) |
//! | content encryption | none | AES-128-GCM, AES-256-GCM, ChaCha20-Poly1305 |
//! | encapsulated key | the header parameter `ek` | `ek` of the recipient |
//! | HPKE info | [`Recipient::info`], by default empty | Recipient_structure with [`Recipient::info`] in it |
//! | HPKE aad | Enc_structure | [`Recipient::hpke_aad`], by default empty |
//!
//! The numbers of algorithms and header parameters are those that the drafts assume: `ek` is -4,
//! `psk_id` is -5, for algorithms see [`Algorithm::cose`](crate::Algorithm::cose).
//!
//! ```
//! use getrandom::SysRng;
//! use pqseal_formats::{PrivateKey, algorithm, cose::{Opener, Recipient, Sealer}};
//!
//! let alg = algorithm("HPKE-9-KE").expect("an algorithm of the table");
//! let (private, _) = alg.suite()?.generate_key_pair(&mut SysRng)?;
//! let private = PrivateKey::new(private).with_kid("2026-11");
//!
//! let public = private.public_key()?;
//! let message = Sealer::new(Recipient::new(alg, &public)?).seal(b"firmware", &mut SysRng)?;
//!
//! let opened = Opener::new(&[alg]).key(&private).open(&message)?;
//! assert_eq!(*opened.plaintext, b"firmware");
//! # Ok::<(), pqseal_formats::Error>(())
//! ```

mod cbor;
mod content;
mod message;
mod open;
mod seal;

use ciborium::Value;

use cbor::encode;
pub use cbor::{MAX_ITEMS, MAX_LABELS, detect};
pub use content::ContentAlgorithm;
pub use message::Structure;
pub use open::{Inspected, Opened, Opener, Options, inspect};
pub use seal::{Recipient, Sealer};

/// Labels of header parameters (RFC 9052, table 3, and the draft).
mod label {
    pub(super) const ALG: i64 = 1;
    pub(super) const CRIT: i64 = 2;
    pub(super) const KID: i64 = 4;
    pub(super) const IV: i64 = 5;
    pub(super) const EK: i64 = -4;
    pub(super) const PSK_ID: i64 = -5;
}

/// Encodes the authenticated data of a layer (RFC 9052, section 5.3).
fn enc_structure(context: &str, protected: &[u8], external_aad: &[u8]) -> Vec<u8> {
    encode(&Value::Array(vec![
        context.into(),
        protected.into(),
        external_aad.into(),
    ]))
}

/// Encodes the info of Key Encryption (section 3.3.1 of the draft), in deterministic CBOR.
fn recipient_structure(next_layer_alg: i64, protected: &[u8], extra: &[u8]) -> Vec<u8> {
    encode(&Value::Array(vec![
        "HPKE Recipient".into(),
        next_layer_alg.into(),
        protected.into(),
        extra.into(),
    ]))
}
