#![doc = include_str!("SAFETY.md")]

mod lanes;

use core::arch::asm;

use self::{
    avx2::Avx2,
    avx512::Avx512,
    ifma::Ifma,
    lanes::{Lanes256, Lanes512},
};
use super::{Backend, Implementation};
use crate::{
    field::{self, Doubles51, Radix, Radix51, Table},
    ladder::{self, Kernels, each_kernel},
    one::{self, Climb},
};

cpufeatures::new!(has_avx2, "avx2", "fma");
cpufeatures::new!(has_avx512, "avx512f");
cpufeatures::new!(has_ifma, "avx512f", "avx512ifma");

/// The implementation of a back end, if this machine has its instructions. One point has work for
/// four lanes and no more, so all have the same for it: what has AVX-512 has AVX2 and FMA.
pub(super) fn implementation(backend: Backend) -> Option<Implementation> {
    let has_avx2 = has_avx2::get();
    let many = match backend {
        Backend::Avx2 if has_avx2 => ladder::x25519::<Avx2, _>,
        Backend::Avx512 if has_avx2 && has_avx512::get() => ladder::x25519::<Avx512, _>,
        Backend::Ifma if has_avx2 && has_ifma::get() => ladder::x25519::<Ifma, _>,
        _ => return None,
    };
    Some(Implementation {
        many,
        one: one::x25519::<Avx2>,
    })
}

/// Whether this thread rounds to nearest and traps no exception: the fields RC and IM to PM of
/// MXCSR. Not DAZ and FTZ, which concern subnormal numbers only.
pub(super) fn rounds_to_nearest() -> bool {
    const ROUNDING: u32 = 0b11 << 13;
    const MASKED: u32 = 0b11_1111 << 7;
    // Miri has neither assembly nor modes.
    if cfg!(miri) {
        return true;
    }
    let mut mxcsr = 0_u32;
    // SAFETY: stores four bytes into a u32.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
    mxcsr & (ROUNDING | MASKED) == MASKED
}

/// An intrinsic, or a function of this back end, for which the choice of the back end vouches.
macro_rules! simd {
    ($call:expr) => {{
        // SAFETY: code of this module runs only by way of `function`, after the machine said that
        // it has the instructions. References give the memory that loads and stores need,
        // which may be unaligned.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}
use simd;

/// The kernels of one row, in a module of its own, each compiled for its instructions, and not into
/// its callers: so the ladder stays in the processor's cache of decoded instructions, and the
/// registers are those of one product.
macro_rules! kernels {
    ($(#[$doc:meta])* $module:ident::$name:ident, $features:literal, $radix:ty, $lanes:ty, $n:literal;
     $($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use super::*;

            const N: usize = $n;

            pub(crate) struct $name;

            impl Kernels<N> for $name {
                const ONE: Table<N> = Table::small(<$radix as Radix<$lanes, N>>::ONE);
                $(
                    #[inline(always)]
                    fn $kernel($($argument: $type),*) {
                        #[inline(never)]
                        #[target_feature(enable = $features)]
                        fn compiled($($argument: $type),*) {
                            field::$kernel::<$radix, $lanes, N>($($argument),*);
                        }
                        simd!(compiled($($argument),*));
                    }
                )*
            }
        }
    };
}

each_kernel! {
    kernels
    /// AVX2 and FMA: four lanes.
    avx2::Avx2, "avx2,fma", Doubles51, Lanes256, 4;
}
each_kernel! {
    kernels
    /// AVX-512 F: eight.
    avx512::Avx512, "avx512f", Doubles51, Lanes512, 8;
}
each_kernel! {
    kernels
    /// AVX-512 F and IFMA: eight.
    ifma::Ifma, "avx512f,avx512ifma", Radix51, Lanes512, 8;
}

impl Climb for Avx2 {
    #[inline(always)]
    fn climb(scalar: &[u8; 32], x1: &Table<4>) -> Table<4> {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        fn compiled(scalar: &[u8; 32], x1: &Table<4>) -> Table<4> {
            one::climb::<Lanes256>(scalar, x1)
        }
        simd!(compiled(scalar, x1))
    }
}
