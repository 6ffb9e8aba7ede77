#![doc = include_str!("SAFETY.md")]

pub(crate) mod avx2;
pub(crate) mod ifma;
mod lanes;
mod vendor;

use core::arch::asm;

use self::{
    avx2::Avx2,
    ifma::{Eight, Four, FourByShifts},
};
use super::{Backend, Comb, Implementation, Vector};
use crate::{
    batch,
    comb::{
        self,
        choice::{Choice, RowChoice},
    },
    field::kernels::Kernels,
    ladder::Ladder,
    one::{self, OnePoint},
};

cpufeatures::new!(has_avx2, "avx2", "fma");
cpufeatures::new!(has_ifma, "avx512f", "avx512vl", "avx512dq", "avx512ifma");

/// Returns the implementation of a back end, if this machine has its instructions.
pub(super) fn implementation(backend: Backend) -> Option<Implementation> {
    match backend {
        Backend::Avx2 if has_avx2::get() => Some(AVX2),
        Backend::Ifma if has_ifma::get() => Some(if vendor::is_intel() {
            ifma::<FourByShifts>()
        } else {
            ifma::<Four>()
        }),
        _ => None,
    }
}

/// Reports whether this thread rounds to nearest and traps no exception, by the fields RC and IM to
/// PM of MXCSR. DAZ and FTZ only concern subnormal numbers.
pub(super) fn rounds_to_nearest() -> bool {
    const ROUNDING: u32 = 0b11 << 13;
    const MASKED: u32 = 0b11_1111 << 7;
    // Miri supports neither assembly nor rounding modes.
    if cfg!(miri) {
        return true;
    }
    let mut mxcsr = 0_u32;
    // SAFETY: stores four bytes into a u32.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
    mxcsr & (ROUNDING | MASKED) == MASKED
}

/// The AVX2 back end. Two points are faster one by one than in a vector of four.
const AVX2: Implementation = Implementation {
    vectors: &[Vector {
        lanes: 4,
        least: 3,
        many: batch::x25519::<Avx2, 4>,
    }],
    one: one::x25519::<Avx2>,
    comb: Some(Comb {
        table: comb::table::table::<Avx2>,
        x25519: comb::x25519::<Avx2, 4>,
        one_scalar: comb::one_scalar::x25519::<Avx2>,
        agree: one::agree::<Avx2>,
    }),
};

/// Returns the IFMA back end. A vector of four takes half as long as one of eight, and as long as
/// one point.
const fn ifma<F: Kernels<4> + Choice<4> + RowChoice + Ladder<4> + OnePoint>() -> Implementation {
    Implementation {
        vectors: &[
            Vector {
                lanes: 8,
                least: 5,
                many: batch::x25519::<Eight, 8>,
            },
            Vector {
                lanes: 4,
                least: 2,
                many: batch::x25519_of_one_vector::<F, 4>,
            },
        ],
        one: one::x25519::<F>,
        comb: Some(Comb {
            table: comb::table::table::<F>,
            x25519: ifma::multiples::<F>,
            one_scalar: comb::one_scalar::x25519::<F>,
            agree: one::agree::<F>,
        }),
    }
}

/// Calls an intrinsic, or a function of this back end. The choice of the back end makes it safe.
macro_rules! simd {
    ($call:expr) => {{
        // SAFETY: code of this module runs only by way of `implementation`, after the machine said
        // that it has the instructions. References give the memory that loads and stores need,
        // which may be unaligned.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}
use simd;

/// Implements a back end's trait with functions of a module, each compiled for its instructions,
/// and not inlined into its callers. So a ladder stays in the processor's cache of decoded
/// instructions, and the registers hold only one product or two. `N` is a constant where this is
/// used.
macro_rules! compiled {
    (impl $trait:ident for $name:ident, $features:literal, $module:ident, $radix:ty, $lanes:ty, { $($constant:item)* }
     $($function:ident($($argument:ident: $type:ty),*);)*) => {
        impl $trait<N> for $name {
            $($constant)*
            $(
                #[inline(always)]
                fn $function($($argument: $type),*) {
                    #[inline(never)]
                    #[target_feature(enable = $features)]
                    fn compiled($($argument: $type),*) {
                        $crate::field::kernels::align_frame();
                        $module::$function::<$radix, $lanes, N>($($argument),*);
                    }
                    simd!(compiled($($argument),*));
                }
            )*
        }
    };
}
use compiled;
