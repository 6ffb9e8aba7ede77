//! The back ends, and the table of functions that each has. The caller chooses one.

use crate::{
    N_C, N_DK, N_EK, N_SEED, N_SS,
    keccak::Keccak,
    kem::{self, Public, Secret},
    kernels::Kernels,
};

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "vector instructions; the module says what it must keep to"
)]
pub(crate) mod x86_64;

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, reason = "loads and stores of vectors")]
pub(crate) mod wasm32;

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// x86-64 with AVX2, BMI1 and BMI2.
    Avx2,
    /// The same, with Keccak on AVX-512 F and VL.
    Avx512,
    /// WebAssembly with vectors of 128 bits.
    Simd128,
}

impl Backend {
    /// Every back end, the best of a machine after its others.
    pub const ALL: &'static [Self] = &[Self::Avx2, Self::Avx512, Self::Simd128];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Simd128 => "simd128",
        }
    }

    /// Reports whether this machine can run it.
    pub fn is_available(self) -> bool {
        self.implementation().is_some()
    }

    /// Returns its Keccak, if this machine can run it.
    pub fn keccak(self) -> Option<&'static Keccak> {
        Some(&self.implementation()?.keccak)
    }

    pub(crate) fn implementation(self) -> Option<&'static Implementation> {
        #[cfg(target_arch = "x86_64")]
        return x86_64::implementation(self);
        #[cfg(target_arch = "wasm32")]
        return matches!(self, Self::Simd128).then_some(&wasm32::SIMD128);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "wasm32")))]
        None
    }
}

/// The functions of one back end.
pub(crate) struct Implementation {
    pub(crate) keccak: Keccak,
    pub(crate) key_gen: KeyGen,
    pub(crate) import: Import,
    pub(crate) unpack: Unpack,
    pub(crate) encaps: Encaps,
    pub(crate) encaps_two: EncapsTwo,
    pub(crate) decaps: Decaps,
    pub(crate) decaps_two: DecapsTwo,
}

type KeyGen = fn(&Keccak, &[u8; N_SEED], &mut Public, &mut Secret);
type Import = fn(&Keccak, &[u8; N_DK], &mut Public, &mut Secret) -> bool;
type Unpack = fn(&Keccak, &[u8; N_EK], &mut Public) -> bool;
/// `(keccak, public, m, c, shared secret)`.
type Encaps = fn(&Keccak, &Public, &[u8; 32], &mut [u8; N_C], &mut [u8; N_SS]);
type EncapsTwo = fn(&Keccak, &Public, [&[u8; 32]; 2], [&mut [u8; N_C]; 2], [&mut [u8; N_SS]; 2]);
/// `(keccak, public, secret, c, shared secret)`.
type Decaps = fn(&Keccak, &Public, &Secret, &[u8; N_C], &mut [u8; N_SS]);
type DecapsTwo = fn(&Keccak, &Public, &Secret, [&[u8; N_C]; 2], [&mut [u8; N_SS]; 2]);

impl Implementation {
    pub(crate) const fn of<K: Kernels>(keccak: Keccak) -> Self {
        Self {
            keccak,
            key_gen: kem::key_gen::<K>,
            import: kem::import::<K>,
            unpack: kem::unpack::<K>,
            encaps: kem::encaps::<K>,
            encaps_two: kem::encaps_two::<K>,
            decaps: kem::decaps::<K>,
            decaps_two: kem::decaps_two::<K>,
        }
    }
}
