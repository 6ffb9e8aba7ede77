//! ML-KEM-768 with AVX2 and in WebAssembly, from `ml-kem-768`. Keys remember the back end that they
//! were made on.

use alloc::vec::Vec;

use ml_kem_768::{MlKem768, N_C};

use super::{Kernel, N_SEED, N_SS};
use crate::Backend;

/// ML-KEM-768, vectorized.
pub struct Vectors768;

/// Chooses the back end of `ml-kem-768`: Keccak uses AVX-512 if available, all else AVX2.
/// WebAssembly has one.
fn ml_kem(backend: Backend) -> MlKem768 {
    let vectors = match backend {
        Backend::Portable | Backend::Simd128 => ml_kem_768::Backend::Simd128,
        Backend::Avx2 | Backend::Vpclmul256 => ml_kem_768::Backend::Avx2,
        Backend::Avx512 | Backend::Vpclmul => ml_kem_768::Backend::Avx512,
    };
    MlKem768::new(vectors).expect("a back end in use is available")
}

fn ciphertext(c: &[u8]) -> &[u8; N_C] {
    c.try_into().expect("as long as a ciphertext")
}

fn ciphertext_mut(c: &mut [u8]) -> &mut [u8; N_C] {
    c.try_into().expect("as long as a ciphertext")
}

impl Kernel for Vectors768 {
    type KeyPair = ml_kem_768::DecapsulationKey;
    type PublicKey = ml_kem_768::EncapsulationKey;

    fn key_gen(backend: Backend, seed: &[u8; N_SEED]) -> Self::KeyPair {
        ml_kem(backend).key_gen(seed)
    }

    fn import(backend: Backend, dk: &[u8]) -> Option<Self::KeyPair> {
        ml_kem(backend).import(dk.try_into().ok()?)
    }

    fn encapsulation_key(key_pair: &Self::KeyPair) -> Vec<u8> {
        key_pair.encapsulation_key().bytes().to_vec()
    }

    fn public_key(key_pair: &Self::KeyPair) -> Self::PublicKey {
        key_pair.encapsulation_key().clone()
    }

    fn unpack(backend: Backend, ek: &[u8]) -> Option<Self::PublicKey> {
        ml_kem(backend).unpack(ek.try_into().ok()?)
    }

    fn encaps(ek: &Self::PublicKey, m: &[u8; 32], c: &mut [u8], k: &mut [u8; N_SS]) {
        ek.encaps(m, ciphertext_mut(c), k);
    }

    fn encaps_two(
        ek: &Self::PublicKey,
        m: [&[u8; 32]; 2],
        c: [&mut [u8]; 2],
        k: [&mut [u8; N_SS]; 2],
    ) {
        ek.encaps_two(m, c.map(ciphertext_mut), k);
    }

    fn decaps(key_pair: &Self::KeyPair, c: &[u8], k: &mut [u8; N_SS]) {
        key_pair.decaps(ciphertext(c), k);
    }

    fn decaps_two(key_pair: &Self::KeyPair, c: [&[u8]; 2], k: [&mut [u8; N_SS]; 2]) {
        key_pair.decaps_two(c.map(ciphertext), k);
    }
}
