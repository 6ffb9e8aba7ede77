//! ML-KEM (FIPS 203) by libcrux: each parameter set on each instruction set, keys kept expanded.
//!
//! Expanding a key (its matrix, from a seed in it) costs more than half of a decapsulation. libcrux
//! has a module for each pair, all of one shape; the macro below is that shape, and nothing else
//! here knows of the modules.
//!
//! A key is expanded once, for the back end that runs (`backend.rs`).

use alloc::{boxed::Box, vec::Vec};
use core::hint::black_box;

use libcrux_ml_kem::{MlKemCiphertext, MlKemPrivateKey, MlKemPublicKey};

use crate::Backend;

/// The shared secret of ML-KEM, in bytes.
pub(crate) const N_SS: usize = 32;
/// The seed `d || z` of a key pair, in bytes.
pub(crate) const N_SEED: usize = 64;

/// One parameter set on one instruction set.
pub trait Kernel: 'static {
    /// An expanded decapsulation key with its encapsulation key.
    type KeyPair: Default + Send + Sync;
    /// An expanded encapsulation key.
    type PublicKey: Default + Send + Sync;

    /// ML-KEM.KeyGen_internal (algorithm 16).
    fn key_gen(seed: &[u8; N_SEED], out: &mut Self::KeyPair);
    /// The decapsulation key check of section 7.3, then expansion. False if the check fails.
    fn import(dk: &[u8], out: &mut Self::KeyPair) -> bool;
    /// The encapsulation key of a pair.
    fn encapsulation_key(key_pair: &Self::KeyPair) -> Vec<u8>;
    /// The encapsulation key of a pair, expanded: a copy, as expanding its bytes costs more than
    /// half of generating the pair.
    fn public_key(key_pair: &Self::KeyPair) -> Self::PublicKey;
    /// The encapsulation key check of section 7.2, then expansion. False if the check fails.
    fn unpack(ek: &[u8], out: &mut Self::PublicKey) -> bool;
    /// ML-KEM.Encaps_internal (algorithm 17): `(c, K)`.
    fn encaps(ek: &Self::PublicKey, m: &[u8; 32]) -> (Vec<u8>, [u8; N_SS]);
    /// ML-KEM.Decaps_internal (algorithm 18), which rejects implicitly. `None` for a ciphertext of
    /// another length.
    fn decaps(key_pair: &Self::KeyPair, c: &[u8]) -> Option<[u8; N_SS]>;
}

/// A parameter set of FIPS 203, section 8.
pub trait ParameterSet: 'static {
    /// An encapsulation key, in bytes.
    const N_EK: usize;
    /// A ciphertext, in bytes.
    const N_C: usize;
    /// On every target.
    type Portable: Kernel;
    /// With AVX2; the portable one again on machines without it.
    type Avx2: Kernel;
}

/// A decapsulation key, expanded for the back end that was chosen. Wiped on drop.
pub(crate) enum DecapsulationKey<P: ParameterSet> {
    /// For [`Backend::Portable`].
    Portable(Wiped<<P::Portable as Kernel>::KeyPair>),
    /// For [`Backend::Avx2`].
    Avx2(Wiped<<P::Avx2 as Kernel>::KeyPair>),
}

/// An encapsulation key, expanded for the back end that was chosen.
pub(crate) enum EncapsulationKey<P: ParameterSet> {
    /// For [`Backend::Portable`].
    Portable(Box<<P::Portable as Kernel>::PublicKey>),
    /// For [`Backend::Avx2`].
    Avx2(Box<<P::Avx2 as Kernel>::PublicKey>),
}

impl<P: ParameterSet> DecapsulationKey<P> {
    /// The key of a seed.
    pub(crate) fn from_seed(seed: &[u8; N_SEED]) -> Self {
        let mut key = Self::zero();
        match &mut key {
            Self::Portable(key) => P::Portable::key_gen(seed, &mut key.0),
            Self::Avx2(key) => P::Avx2::key_gen(seed, &mut key.0),
        }
        key
    }

    /// A key that is not a seed, if it passes its check.
    pub(crate) fn import(dk: &[u8]) -> Option<Self> {
        let mut key = Self::zero();
        let valid = match &mut key {
            Self::Portable(key) => P::Portable::import(dk, &mut key.0),
            Self::Avx2(key) => P::Avx2::import(dk, &mut key.0),
        };
        valid.then_some(key)
    }

    /// Its encapsulation key.
    pub(crate) fn encapsulation_key(&self) -> Vec<u8> {
        match self {
            Self::Portable(key) => P::Portable::encapsulation_key(&key.0),
            Self::Avx2(key) => P::Avx2::encapsulation_key(&key.0),
        }
    }

    /// Its encapsulation key, expanded.
    pub(crate) fn public_key(&self) -> EncapsulationKey<P> {
        match self {
            Self::Portable(key) => {
                EncapsulationKey::Portable(Box::new(P::Portable::public_key(&key.0)))
            }
            Self::Avx2(key) => EncapsulationKey::Avx2(Box::new(P::Avx2::public_key(&key.0))),
        }
    }

    /// See [`Kernel::decaps`].
    pub(crate) fn decaps(&self, c: &[u8]) -> Option<[u8; N_SS]> {
        match self {
            Self::Portable(key) => P::Portable::decaps(&key.0, c),
            Self::Avx2(key) => P::Avx2::decaps(&key.0, c),
        }
    }

    /// Filled in place, so that no copy of the key stays behind on the stack.
    fn zero() -> Self {
        match Backend::chosen() {
            Backend::Portable | Backend::Simd128 => Self::Portable(Wiped::default()),
            _ => Self::Avx2(Wiped::default()),
        }
    }
}

impl<P: ParameterSet> EncapsulationKey<P> {
    /// The key of these bytes, if it passes its check.
    pub(crate) fn unpack(ek: &[u8]) -> Option<Self> {
        let mut key = match Backend::chosen() {
            Backend::Portable | Backend::Simd128 => Self::Portable(Box::default()),
            _ => Self::Avx2(Box::default()),
        };
        let valid = match &mut key {
            Self::Portable(key) => P::Portable::unpack(ek, key),
            Self::Avx2(key) => P::Avx2::unpack(ek, key),
        };
        valid.then_some(key)
    }

    /// See [`Kernel::encaps`].
    pub(crate) fn encaps(&self, m: &[u8; 32]) -> (Vec<u8>, [u8; N_SS]) {
        match self {
            Self::Portable(key) => P::Portable::encaps(key, m),
            Self::Avx2(key) => P::Avx2::encaps(key, m),
        }
    }
}

/// A value of libcrux, whose types do not wipe themselves: overwritten on drop, in a way that the
/// compiler must keep.
#[derive(Default)]
pub(crate) struct Wiped<T: Default>(pub(crate) Box<T>);

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
            type KeyPair = libcrux_ml_kem::$set::$isa::unpacked::$key_pair;
            type PublicKey = libcrux_ml_kem::$set::$isa::unpacked::$public_key;

            fn key_gen(seed: &[u8; N_SEED], out: &mut Self::KeyPair) {
                libcrux_ml_kem::$set::$isa::unpacked::generate_key_pair_mut(*seed, out);
            }

            fn import(dk: &[u8], out: &mut Self::KeyPair) -> bool {
                let Ok(dk) = MlKemPrivateKey::<$dk>::try_from(dk) else {
                    return false;
                };
                let dk = Wiped(Box::new(dk));
                let valid = libcrux_ml_kem::$set::$isa::validate_private_key_only(&dk.0);
                if valid {
                    libcrux_ml_kem::$set::$isa::unpacked::key_pair_from_private_mut(&dk.0, out);
                }
                valid
            }

            fn encapsulation_key(key_pair: &Self::KeyPair) -> Vec<u8> {
                libcrux_ml_kem::$set::$isa::unpacked::key_pair_serialized_public_key(key_pair)
                    .as_ref()
                    .to_vec()
            }

            fn public_key(key_pair: &Self::KeyPair) -> Self::PublicKey {
                key_pair.public_key().clone()
            }

            fn unpack(ek: &[u8], out: &mut Self::PublicKey) -> bool {
                let Ok(ek) = MlKemPublicKey::<$ek>::try_from(ek) else {
                    return false;
                };
                let valid = libcrux_ml_kem::$set::$isa::validate_public_key(&ek);
                if valid {
                    libcrux_ml_kem::$set::$isa::unpacked::unpacked_public_key(&ek, out);
                }
                valid
            }

            fn encaps(ek: &Self::PublicKey, m: &[u8; 32]) -> (Vec<u8>, [u8; N_SS]) {
                let (c, shared_secret) = libcrux_ml_kem::$set::$isa::unpacked::encapsulate(ek, *m);
                (c.as_ref().to_vec(), shared_secret)
            }

            fn decaps(key_pair: &Self::KeyPair, c: &[u8]) -> Option<[u8; N_SS]> {
                let c = MlKemCiphertext::<$c>::try_from(c).ok()?;
                Some(libcrux_ml_kem::$set::$isa::unpacked::decapsulate(
                    key_pair, &c,
                ))
            }
        }
    };
}

macro_rules! parameter_set {
    ($(#[$doc:meta])* $name:ident: $set:ident, $portable:ident, $avx2:ident, $key_pair:ident, $public_key:ident, dk $dk:literal, ek $ek:literal, c $c:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        kernel!($portable = $set::portable, $key_pair, $public_key, dk $dk, ek $ek, c $c);
        #[cfg(target_arch = "x86_64")]
        kernel!($avx2 = $set::avx2, $key_pair, $public_key, dk $dk, ek $ek, c $c);
        #[cfg(not(target_arch = "x86_64"))]
        type $avx2 = $portable;

        impl ParameterSet for $name {
            type Portable = $portable;
            type Avx2 = $avx2;
            const N_EK: usize = $ek;
            const N_C: usize = $c;
        }
    };
}

parameter_set! {
    /// ML-KEM-512: k = 2.
    Set512: mlkem512, Portable512, Avx2With512, MlKem512KeyPairUnpacked, MlKem512PublicKeyUnpacked, dk 1632, ek 800, c 768
}
parameter_set! {
    /// ML-KEM-768: k = 3.
    Set768: mlkem768, Portable768, Avx2With768, MlKem768KeyPairUnpacked, MlKem768PublicKeyUnpacked, dk 2400, ek 1184, c 1088
}
parameter_set! {
    /// ML-KEM-1024: k = 4.
    Set1024: mlkem1024, Portable1024, Avx2With1024, MlKem1024KeyPairUnpacked, MlKem1024PublicKeyUnpacked, dk 3168, ek 1568, c 1568
}

#[cfg(test)]
mod tests {
    use shake::{ExtendableOutput, Shake256, Update, XofReader};

    use super::*;

    /// Each byte of a ciphertext altered, and each bit of its last 64 bytes, which an
    /// implementation with vectors may leave out of its comparison. Both back ends, whichever is
    /// chosen.
    #[test]
    fn every_altered_byte_is_rejected_on_both_back_ends() {
        fn check<P: ParameterSet>() {
            rejects::<P::Portable>(P::N_C);
            if Backend::Avx2.is_available() {
                rejects::<P::Avx2>(P::N_C);
            }
        }
        check::<Set512>();
        check::<Set768>();
        check::<Set1024>();
    }

    /// The secret of a rejection is SHAKE256(z || c).
    fn rejects<K: Kernel>(n_c: usize) {
        let seed = [7; N_SEED];
        let mut key_pair = Box::<K::KeyPair>::default();
        K::key_gen(&seed, &mut key_pair);
        let (mut c, secret) = K::encaps(&K::public_key(&key_pair), &[8; 32]);
        assert_eq!((K::decaps(&key_pair, &c), c.len()), (Some(secret), n_c));
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
            let found = K::decaps(&key_pair, &c);
            assert_eq!(found, Some(expected), "byte {at} of {n_c}, bit {bit}");
            c[at] ^= 1 << bit;
        }
    }
}
