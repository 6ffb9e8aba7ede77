//! Encrypted files in the age format for JavaScript, the entry `pqseal/files` of the npm package:
//! [`Encryptor`] and [`Decryptor`], which take a file piece by piece, [`inspect`], and keys, also
//! those under a passphrase in PEM ([`decrypt_pem`]). The streams around them are JavaScript, in
//! `streams/`.
//!
//! Thin over `pqseal-age`: what is here translates values and errors. It is a WebAssembly module of
//! its own, so that programs without files do not load it. The comments on exported items are the
//! documentation that JavaScript users read, in `core.d.ts`.
//!
//! No function panics on input: a panic would leave the wasm module unusable for the rest of the
//! page's life.

#![deny(unsafe_code)]

mod decrypt;
mod encrypt;
mod error;
mod inspect;
mod keys;
mod pem;
mod text;
mod types;

pub use decrypt::{Decryptor, decrypt};
pub use encrypt::{Encryptor, encrypt};
pub use inspect::{faults, inspect};
pub use keys::{generate_hybrid_identity, generate_x25519_identity, identity_to_recipient};
pub use pem::decrypt_pem;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[wasm_bindgen::prelude::wasm_bindgen(start, private)]
fn start() {
    pqseal_wasm_shared::use_relaxed_simd();
}
