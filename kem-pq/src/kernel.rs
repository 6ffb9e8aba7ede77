//! ML-KEM (FIPS 203) with expanded keys, for each parameter set and instruction set. ML-KEM-768
//! with AVX2 and in WebAssembly comes from `ml-kem-768`, a crate of ours; all else comes from
//! libcrux.
//!
//! Expanding a key (its matrix, from a seed in it) costs more than half of a decapsulation. libcrux
//! has a module per pair of parameter set and instruction set, all alike. Only the macro below
//! refers to these modules.
//!
//! A key is expanded once, for the back end that runs (`backend.rs`).

#[cfg(any(target_arch = "x86_64", target_arch = "wasm32"))]
mod vectors;

use alloc::{boxed::Box, vec::Vec};
use core::hint::black_box;

use libcrux_ml_kem::{MlKemCiphertext, MlKemPrivateKey, MlKemPublicKey};
use pqseal_hpke::Secret;

use crate::Backend;

/// The shared secret of ML-KEM, in bytes.
pub(crate) const N_SS: usize = 32;
/// The seed `d || z` of a key pair, in bytes.
pub(crate) const N_SEED: usize = 64;

/// One parameter set on one instruction set. Results are written where the caller wants them, so
/// that no copy stays behind on the stack.
pub trait Kernel: 'static {
    /// An expanded decapsulation key with its encapsulation key. Wiped on drop.
    type KeyPair: Send + Sync;
    /// An expanded encapsulation key.
    type PublicKey: Send + Sync;

    /// Generates a key pair: ML-KEM.KeyGen_internal (algorithm 16).
    fn key_gen(backend: Backend, seed: &[u8; N_SEED]) -> Self::KeyPair;
    /// Checks a decapsulation key (section 7.3) and expands it. `None` if the check fails.
    fn import(backend: Backend, dk: &[u8]) -> Option<Self::KeyPair>;
    /// Returns the encapsulation key of a pair.
    fn encapsulation_key(key_pair: &Self::KeyPair) -> Vec<u8>;
    /// Returns the encapsulation key of a pair, expanded. Expanding its bytes would cost more than
    /// half of generating the pair.
    fn public_key(key_pair: &Self::KeyPair) -> Self::PublicKey;
    /// Checks an encapsulation key (section 7.2) and expands it. `None` if the check fails.
    fn unpack(backend: Backend, ek: &[u8]) -> Option<Self::PublicKey>;
    /// Encapsulates: ML-KEM.Encaps_internal (algorithm 17). Writes `c`, which is as long as a
    /// ciphertext, and `k`.
    fn encaps(ek: &Self::PublicKey, m: &[u8; 32], c: &mut [u8], k: &mut [u8; N_SS]);
    /// Encapsulates two messages.
    fn encaps_two(
        ek: &Self::PublicKey,
        m: [&[u8; 32]; 2],
        c: [&mut [u8]; 2],
        k: [&mut [u8; N_SS]; 2],
    ) {
        for ((m, c), k) in m.into_iter().zip(c).zip(k) {
            Self::encaps(ek, m, c, k);
        }
    }
    /// Decapsulates, with implicit rejection: ML-KEM.Decaps_internal (algorithm 18). `c` is as long
    /// as a ciphertext.
    fn decaps(key_pair: &Self::KeyPair, c: &[u8], k: &mut [u8; N_SS]);
    /// Decapsulates two ciphertexts.
    fn decaps_two(key_pair: &Self::KeyPair, c: [&[u8]; 2], k: [&mut [u8; N_SS]; 2]) {
        for (c, k) in c.into_iter().zip(k) {
            Self::decaps(key_pair, c, k);
        }
    }
}

/// A parameter set of FIPS 203, section 8.
pub trait ParameterSet: 'static {
    /// An encapsulation key, in bytes.
    const N_EK: usize;
    /// A ciphertext, in bytes.
    const N_C: usize;
    /// The kernel for every target.
    type Portable: Kernel;
    /// The kernel with AVX2; the portable one again on machines without it.
    type Avx2: Kernel;
}

/// A decapsulation key, expanded for the back end that was chosen. Wiped on drop.
pub(crate) enum DecapsulationKey<P: ParameterSet> {
    /// A key for [`Backend::Portable`].
    Portable(<P::Portable as Kernel>::KeyPair),
    /// A key for [`Backend::Avx2`] and the back ends above it.
    Avx2(<P::Avx2 as Kernel>::KeyPair),
}

/// An encapsulation key, expanded for the back end that was chosen.
pub(crate) enum EncapsulationKey<P: ParameterSet> {
    /// A key for [`Backend::Portable`].
    Portable(<P::Portable as Kernel>::PublicKey),
    /// A key for [`Backend::Avx2`] and the back ends above it.
    Avx2(<P::Avx2 as Kernel>::PublicKey),
}

/// Returns how many of these messages are taken two at a time: only x86-64 gains by it, and the
/// page's module stays small.
const fn in_pairs(messages: usize) -> usize {
    if cfg!(target_arch = "x86_64") {
        messages & !1
    } else {
        0
    }
}

/// Returns the back end of a new key, if it has vectors.
fn with_vectors() -> Option<Backend> {
    match Backend::chosen() {
        Backend::Portable | Backend::Simd128 => None,
        backend => Some(backend),
    }
}

impl<P: ParameterSet> DecapsulationKey<P> {
    /// Expands the key of a seed.
    pub(crate) fn from_seed(seed: &[u8; N_SEED]) -> Self {
        match with_vectors() {
            None => Self::Portable(P::Portable::key_gen(Backend::Portable, seed)),
            Some(backend) => Self::Avx2(P::Avx2::key_gen(backend, seed)),
        }
    }

    /// Imports an expanded key, if it passes its check.
    pub(crate) fn import(dk: &[u8]) -> Option<Self> {
        match with_vectors() {
            None => P::Portable::import(Backend::Portable, dk).map(Self::Portable),
            Some(backend) => P::Avx2::import(backend, dk).map(Self::Avx2),
        }
    }

    /// Returns its encapsulation key.
    pub(crate) fn encapsulation_key(&self) -> Vec<u8> {
        match self {
            Self::Portable(key) => P::Portable::encapsulation_key(key),
            Self::Avx2(key) => P::Avx2::encapsulation_key(key),
        }
    }

    /// Returns its encapsulation key, expanded.
    pub(crate) fn public_key(&self) -> EncapsulationKey<P> {
        match self {
            Self::Portable(key) => EncapsulationKey::Portable(P::Portable::public_key(key)),
            Self::Avx2(key) => EncapsulationKey::Avx2(P::Avx2::public_key(key)),
        }
    }

    /// Decapsulates. See [`Kernel::decaps`].
    pub(crate) fn decaps(&self, c: &[u8], k: &mut [u8; N_SS]) {
        match self {
            Self::Portable(key) => P::Portable::decaps(key, c, k),
            Self::Avx2(key) => P::Avx2::decaps(key, c, k),
        }
    }

    /// Decapsulates all ciphertexts, two at a time. `k` has as many secrets.
    pub(crate) fn decaps_all(&self, c: &[&[u8]], k: &mut [[u8; N_SS]]) {
        let (pairs, last) = c.split_at(in_pairs(c.len()));
        let (pairs_out, last_out) = k.split_at_mut(pairs.len());
        let pairs_out = pairs_out.as_chunks_mut().0;
        for (c, k) in pairs.as_chunks().0.iter().zip(pairs_out) {
            let k = k.each_mut();
            match self {
                Self::Portable(key) => P::Portable::decaps_two(key, *c, k),
                Self::Avx2(key) => P::Avx2::decaps_two(key, *c, k),
            }
        }
        for (c, k) in last.iter().zip(last_out) {
            self.decaps(c, k);
        }
    }
}

impl<P: ParameterSet> EncapsulationKey<P> {
    /// Expands the key of these bytes, if it passes its check.
    pub(crate) fn unpack(ek: &[u8]) -> Option<Self> {
        match with_vectors() {
            None => P::Portable::unpack(Backend::Portable, ek).map(Self::Portable),
            Some(backend) => P::Avx2::unpack(backend, ek).map(Self::Avx2),
        }
    }

    /// Encapsulates. See [`Kernel::encaps`].
    pub(crate) fn encaps(&self, m: &[u8; 32], c: &mut [u8], k: &mut [u8; N_SS]) {
        match self {
            Self::Portable(key) => P::Portable::encaps(key, m, c, k),
            Self::Avx2(key) => P::Avx2::encaps(key, m, c, k),
        }
    }

    /// Encapsulates all messages, two at a time. `c` and `k` are as long as `m`.
    pub(crate) fn encaps_all(&self, m: &[&[u8; 32]], c: &mut [Vec<u8>], k: &mut [[u8; N_SS]]) {
        let (pairs, last) = m.split_at(in_pairs(m.len()));
        let (pairs_c, last_c) = c.split_at_mut(pairs.len());
        let (pairs_k, last_k) = k.split_at_mut(pairs.len());
        let (pairs_c, pairs_k) = (pairs_c.as_chunks_mut().0, pairs_k.as_chunks_mut().0);
        for ((m, c), k) in pairs.as_chunks().0.iter().zip(pairs_c).zip(pairs_k) {
            let (c, k) = (c.each_mut().map(Vec::as_mut_slice), k.each_mut());
            match self {
                Self::Portable(key) => P::Portable::encaps_two(key, *m, c, k),
                Self::Avx2(key) => P::Avx2::encaps_two(key, *m, c, k),
            }
        }
        for ((m, c), k) in last.iter().zip(last_c).zip(last_k) {
            self.encaps(m, c, k);
        }
    }
}

/// A value of libcrux, whose types do not wipe themselves. It is overwritten on drop in a way that
/// the compiler must keep.
#[derive(Default)]
pub struct Wiped<T: Default>(pub(crate) Box<T>);

impl<T: Default> Drop for Wiped<T> {
    fn drop(&mut self) {
        *self.0 = T::default();
        black_box(&*self.0);
    }
}

macro_rules! kernel {
    ($name:ident = $set:ident :: $isa:ident, $key_pair:ident, $public_key:ident, dk $dk:literal, ek $ek:literal, c $c:literal) => {
        /// One parameter set on one instruction set.
        pub struct $name;

        impl Kernel for $name {
            type KeyPair = Wiped<libcrux_ml_kem::$set::$isa::unpacked::$key_pair>;
            type PublicKey = Box<libcrux_ml_kem::$set::$isa::unpacked::$public_key>;

            /// Generates a key in place, so that no copy of it stays behind on the stack.
            fn key_gen(_: Backend, seed: &[u8; N_SEED]) -> Self::KeyPair {
                let mut key = Self::KeyPair::default();
                libcrux_ml_kem::$set::$isa::unpacked::generate_key_pair_mut(*seed, &mut key.0);
                key
            }

            fn import(_: Backend, dk: &[u8]) -> Option<Self::KeyPair> {
                let dk = MlKemPrivateKey::<$dk>::try_from(dk).ok()?;
                let dk = Wiped(Box::new(dk));
                if !libcrux_ml_kem::$set::$isa::validate_private_key_only(&dk.0) {
                    return None;
                }
                let mut key = Self::KeyPair::default();
                libcrux_ml_kem::$set::$isa::unpacked::key_pair_from_private_mut(&dk.0, &mut key.0);
                Some(key)
            }

            fn encapsulation_key(key_pair: &Self::KeyPair) -> Vec<u8> {
                libcrux_ml_kem::$set::$isa::unpacked::key_pair_serialized_public_key(&key_pair.0)
                    .as_ref()
                    .to_vec()
            }

            fn public_key(key_pair: &Self::KeyPair) -> Self::PublicKey {
                Box::new(key_pair.0.public_key().clone())
            }

            fn unpack(_: Backend, ek: &[u8]) -> Option<Self::PublicKey> {
                let ek = MlKemPublicKey::<$ek>::try_from(ek).ok()?;
                if !libcrux_ml_kem::$set::$isa::validate_public_key(&ek) {
                    return None;
                }
                let mut key = Self::PublicKey::default();
                libcrux_ml_kem::$set::$isa::unpacked::unpacked_public_key(&ek, &mut key);
                Some(key)
            }

            fn encaps(ek: &Self::PublicKey, m: &[u8; 32], c: &mut [u8], k: &mut [u8; N_SS]) {
                let (ciphertext, shared_secret) =
                    libcrux_ml_kem::$set::$isa::unpacked::encapsulate(ek, *m);
                c.copy_from_slice(ciphertext.as_ref());
                k.copy_from_slice(Secret::new(shared_secret).as_ref());
            }

            fn decaps(key_pair: &Self::KeyPair, c: &[u8], k: &mut [u8; N_SS]) {
                let c = MlKemCiphertext::<$c>::try_from(c).expect("as long as a ciphertext");
                let shared_secret =
                    libcrux_ml_kem::$set::$isa::unpacked::decapsulate(&key_pair.0, &c);
                k.copy_from_slice(Secret::new(shared_secret).as_ref());
            }
        }
    };
}

macro_rules! parameter_set {
    ($(#[$doc:meta])* $name:ident: $portable:ident, $avx2:ident, ek $ek:literal, c $c:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl ParameterSet for $name {
            type Portable = $portable;
            type Avx2 = $avx2;
            const N_EK: usize = $ek;
            const N_C: usize = $c;
        }
    };
}

#[cfg(target_arch = "x86_64")]
use vectors::Vectors768;
// Every engine of WebAssembly that runs the code for X25519 and BIKE has vectors, so libcrux's is
// not linked.
#[cfg(target_arch = "wasm32")]
use vectors::{Vectors768, Vectors768 as Portable768};

kernel!(Portable512 = mlkem512::portable, MlKem512KeyPairUnpacked, MlKem512PublicKeyUnpacked, dk 1632, ek 800, c 768);
#[cfg(not(target_arch = "wasm32"))]
kernel!(Portable768 = mlkem768::portable, MlKem768KeyPairUnpacked, MlKem768PublicKeyUnpacked, dk 2400, ek 1184, c 1088);
kernel!(Portable1024 = mlkem1024::portable, MlKem1024KeyPairUnpacked, MlKem1024PublicKeyUnpacked, dk 3168, ek 1568, c 1568);
#[cfg(target_arch = "x86_64")]
kernel!(Avx2With512 = mlkem512::avx2, MlKem512KeyPairUnpacked, MlKem512PublicKeyUnpacked, dk 1632, ek 800, c 768);
#[cfg(target_arch = "x86_64")]
kernel!(Avx2With1024 = mlkem1024::avx2, MlKem1024KeyPairUnpacked, MlKem1024PublicKeyUnpacked, dk 3168, ek 1568, c 1568);
#[cfg(not(any(target_arch = "x86_64", target_arch = "wasm32")))]
use Portable768 as Vectors768;
#[cfg(not(target_arch = "x86_64"))]
use {Portable512 as Avx2With512, Portable1024 as Avx2With1024};

parameter_set! {
    /// ML-KEM-512: k = 2.
    Set512: Portable512, Avx2With512, ek 800, c 768
}
parameter_set! {
    /// ML-KEM-768: k = 3.
    Set768: Portable768, Vectors768, ek 1184, c 1088
}
parameter_set! {
    /// ML-KEM-1024: k = 4.
    Set1024: Portable1024, Avx2With1024, ek 1568, c 1568
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use shake::{ExtendableOutput, Shake256, Update, XofReader};

    use super::*;

    /// Alters each byte of a ciphertext, and each bit of its last 64 bytes, which a vectorized
    /// implementation may leave out of its comparison. Runs on all back ends, whichever is chosen.
    #[test]
    fn every_altered_byte_is_rejected_on_all_back_ends() {
        fn check<P: ParameterSet>() {
            rejects::<P::Portable>(Backend::Portable, P::N_C);
            for backend in [Backend::Avx2, Backend::Avx512] {
                if backend.is_available() {
                    rejects::<P::Avx2>(backend, P::N_C);
                }
            }
        }
        check::<Set512>();
        check::<Set768>();
        check::<Set1024>();
    }

    /// Checks that the secret of a rejection is SHAKE256(z || c).
    fn rejects<K: Kernel>(backend: Backend, n_c: usize) {
        let seed = [7; N_SEED];
        let key_pair = K::key_gen(backend, &seed);
        let (mut c, mut secret, mut found) = (vec![0; n_c], [0; N_SS], [0; N_SS]);
        K::encaps(&K::public_key(&key_pair), &[8; 32], &mut c, &mut secret);
        K::decaps(&key_pair, &c, &mut found);
        assert_eq!(found, secret);
        for (at, bit) in (0..n_c).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            if at < n_c - 64 && at % 8 != bit {
                continue;
            }
            c[at] ^= 1 << bit;
            let mut expected = [0; N_SS];
            Shake256::default()
                .chain(&seed[32..])
                .chain(&c)
                .finalize_xof()
                .read(&mut expected);
            K::decaps(&key_pair, &c, &mut found);
            assert_eq!(found, expected, "byte {at} of {n_c}, bit {bit}");
            c[at] ^= 1 << bit;
        }
    }
}
