#![doc = include_str!("SAFETY.md")]

mod lanes;

use self::{
    avx2::Avx2,
    avx512::Avx512,
    ifma::Ifma,
    lanes::{Lanes256, Lanes512},
};
use super::{Backend, Function};
use crate::{
    field::{self, Radix25, Radix51, Table},
    ladder::{self, Kernels, each_kernel},
};

cpufeatures::new!(has_avx2, "avx2");
cpufeatures::new!(has_avx512, "avx512f");
cpufeatures::new!(has_ifma, "avx512f", "avx512ifma");

/// The implementation of a back end, if this machine has its instructions.
pub(super) fn function(backend: Backend) -> Option<Function> {
    match backend {
        Backend::Avx2 if has_avx2::get() => Some(ladder::x25519::<Avx2, _, _>),
        Backend::Avx512 if has_avx512::get() => Some(ladder::x25519::<Avx512, _, _>),
        Backend::Ifma if has_ifma::get() => Some(ladder::x25519::<Ifma, _, _>),
        _ => None,
    }
}

/// An intrinsic, or a function of this back end, for which the choice of the back end vouches.
macro_rules! simd {
    ($call:expr) => {{
        // SAFETY: code of this module runs only by way of `function`, after the machine said that it has the instructions. References
        // give the memory that loads and stores need, which may be unaligned.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}
use simd;

/// The kernels of one row, in a module of its own, each compiled for its instructions, and not into its callers: so the ladder stays in the
/// processor's cache of decoded instructions, and the registers are those of one product.
macro_rules! kernels {
    ($(#[$doc:meta])* $module:ident::$name:ident, $features:literal, $radix:ty, $lanes:ty, $n:literal, $m:literal;
     $($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use super::*;

            const N: usize = $n;
            const M: usize = $m;

            pub(crate) struct $name;

            impl Kernels<N, M> for $name {
                $(
                    #[inline(always)]
                    fn $kernel($($argument: $type),*) {
                        #[inline(never)]
                        #[target_feature(enable = $features)]
                        fn compiled($($argument: $type),*) {
                            field::$kernel::<$radix, $lanes, N, M>($($argument),*);
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
    /// AVX2: four lanes.
    avx2::Avx2, "avx2", Radix25, Lanes256, 4, 10;
}
each_kernel! {
    kernels
    /// AVX-512 F: eight.
    avx512::Avx512, "avx512f", Radix25, Lanes512, 8, 10;
}
each_kernel! {
    kernels
    /// AVX-512 F and IFMA: eight, of five limbs.
    ifma::Ifma, "avx512f,avx512ifma", Radix51, Lanes512, 8, 5;
}
