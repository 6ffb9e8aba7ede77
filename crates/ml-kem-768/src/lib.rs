//! ML-KEM-768 (FIPS 203), vectorized within each message, in constant time.
//!
//! The four polynomials of a message, v and the three of u, are the four words of each quarter of a
//! vector of sixteen, so one message fills AVX2's vectors, or two of WebAssembly. Hashing fills the
//! lanes of a Keccak permutation, four or two, as far as possible: the one for implicit rejection
//! runs next to those for the noise.
//!
//! ```
//! use ml_kem_768::{Backend, MlKem768};
//!
//! // The best of this machine, if it has one: otherwise another library has to do it.
//! let best = Backend::ALL.iter().rev().find_map(|backend| MlKem768::new(*backend));
//! if let Some(ml_kem) = best {
//!     let key = ml_kem.key_gen(&[7; 64]);
//!     let (mut ciphertext, mut sent, mut received) = ([0; 1088], [0; 32], [0; 32]);
//!     key.encapsulation_key().encaps(&[8; 32], &mut ciphertext, &mut sent);
//!     key.decaps(&ciphertext, &mut received);
//!     assert_eq!(sent, received);
//! }
//! ```
//!
//! **Constant time.** No branch and no address depends on a seed, a private key, a message, a
//! shared secret, or on whether a ciphertext is rejected. Public keys and ciphertexts are not
//! secret: the matrix A is sampled in a time that depends on it.
//!
//! **Wiping.** Private keys are wiped on drop. An operation wipes its working memory, except what
//! it unpacks from a ciphertext, and the stack below it, where the compiler spills registers.
//! Results are written where the caller wants them, so that no copy stays behind. In WebAssembly
//! that is the module's memory: the engine's own stack, where it spills vectors, cannot be reached.

#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code)]
#![cfg_attr(
    not(any(test, target_arch = "x86_64", target_arch = "wasm32")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "only back ends use it"
    )
)]

extern crate alloc;

mod backend;
mod coding;
mod hash;
pub mod keccak;
mod kem;
mod kernels;
mod product;
#[cfg(test)]
mod proofs;
mod tables;
#[cfg(test)]
mod tests;
mod transform;
mod vector;
mod wipe;
mod words;

use alloc::{boxed::Box, sync::Arc};
use core::fmt;

pub use backend::Backend;
use backend::Implementation;
use kem::{Public, Secret};

/// The seed `d || z` of a key pair, in bytes.
pub const N_SEED: usize = 64;
/// A decapsulation key in the expanded form of FIPS 203, in bytes.
pub const N_DK: usize = 2400;
/// An encapsulation key, in bytes.
pub const N_EK: usize = 1184;
/// A ciphertext, in bytes.
pub const N_C: usize = 1088;
/// A shared secret, in bytes.
pub const N_SS: usize = 32;

/// ML-KEM-768 on one back end.
#[derive(Clone, Copy)]
pub struct MlKem768(&'static Implementation);

/// A decapsulation key with its encapsulation key, both expanded.
pub struct DecapsulationKey {
    public: EncapsulationKey,
    /// Boxed, since a move leaves a copy of the bytes behind.
    secret: Box<Secret>,
}

/// An encapsulation key, expanded. Clones share it.
#[derive(Clone)]
pub struct EncapsulationKey {
    ml_kem: MlKem768,
    public: Arc<Public>,
}

impl MlKem768 {
    /// Returns ML-KEM-768 on this back end, if the machine has its instructions.
    pub fn new(backend: Backend) -> Option<Self> {
        backend.implementation().map(Self)
    }

    /// Generates the key of a seed: ML-KEM.KeyGen_internal (algorithm 16).
    pub fn key_gen(self, seed: &[u8; N_SEED]) -> DecapsulationKey {
        let (mut public, mut secret) = (Arc::new(Public::new()), Box::new(Secret::new()));
        (self.0.key_gen)(&self.0.keccak, seed, only(&mut public), &mut secret);
        self.key(public, secret)
    }

    /// Imports a key in the expanded form of FIPS 203, if it passes the check of section 7.3, and
    /// its encapsulation key that of section 7.2.
    pub fn import(self, dk: &[u8; N_DK]) -> Option<DecapsulationKey> {
        let (mut public, mut secret) = (Arc::new(Public::new()), Box::new(Secret::new()));
        let valid = (self.0.import)(&self.0.keccak, dk, only(&mut public), &mut secret);
        valid.then(|| self.key(public, secret))
    }

    /// Reads an encapsulation key, if it passes the check of section 7.2.
    pub fn unpack(self, ek: &[u8; N_EK]) -> Option<EncapsulationKey> {
        let mut public = Arc::new(Public::new());
        let valid = (self.0.unpack)(&self.0.keccak, ek, only(&mut public));
        let ml_kem = self;
        valid.then_some(EncapsulationKey { ml_kem, public })
    }

    fn key(self, public: Arc<Public>, secret: Box<Secret>) -> DecapsulationKey {
        let ml_kem = self;
        let public = EncapsulationKey { ml_kem, public };
        DecapsulationKey { public, secret }
    }
}

/// Returns the contents of a new pointer, to fill its 13 kB in place.
fn only(public: &mut Arc<Public>) -> &mut Public {
    Arc::get_mut(public).expect("not shared yet")
}

impl DecapsulationKey {
    /// Returns its encapsulation key.
    pub const fn encapsulation_key(&self) -> &EncapsulationKey {
        &self.public
    }

    /// Decapsulates a ciphertext: ML-KEM.Decaps_internal (algorithm 18). One that was not made by
    /// [`EncapsulationKey::encaps`] gives another secret (implicit rejection).
    pub fn decaps(&self, c: &[u8; N_C], k: &mut [u8; N_SS]) {
        let (implementation, public) = self.public.parts();
        (implementation.decaps)(&implementation.keccak, public, &self.secret, c, k);
    }

    /// Decapsulates two ciphertexts, which takes a third less time than one after the other on
    /// x86-64.
    pub fn decaps_two(&self, c: [&[u8; N_C]; 2], k: [&mut [u8; N_SS]; 2]) {
        let (implementation, public) = self.public.parts();
        (implementation.decaps_two)(&implementation.keccak, public, &self.secret, c, k);
    }
}

impl EncapsulationKey {
    /// Returns its bytes.
    pub fn bytes(&self) -> &[u8; N_EK] {
        &self.public.bytes
    }

    /// Encapsulates with 32 random bytes: ML-KEM.Encaps_internal (algorithm 17). Writes a
    /// ciphertext and its secret.
    pub fn encaps(&self, m: &[u8; 32], c: &mut [u8; N_C], k: &mut [u8; N_SS]) {
        let (implementation, public) = self.parts();
        (implementation.encaps)(&implementation.keccak, public, m, c, k);
    }

    /// Encapsulates twice, each time with 32 random bytes of its own.
    pub fn encaps_two(&self, m: [&[u8; 32]; 2], c: [&mut [u8; N_C]; 2], k: [&mut [u8; N_SS]; 2]) {
        let (implementation, public) = self.parts();
        (implementation.encaps_two)(&implementation.keccak, public, m, c, k);
    }

    fn parts(&self) -> (&'static Implementation, &Public) {
        (self.ml_kem.0, &self.public)
    }
}

impl fmt::Debug for MlKem768 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MlKem768")
    }
}

impl fmt::Debug for DecapsulationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DecapsulationKey(..)")
    }
}

impl fmt::Debug for EncapsulationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncapsulationKey(..)")
    }
}

/// The examples of the README, which are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
