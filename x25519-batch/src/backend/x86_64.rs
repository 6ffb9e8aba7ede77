#![doc = include_str!("SAFETY.md")]

mod lanes;

use self::{
    avx2::Avx2,
    avx512::Avx512,
    lanes::{Lanes256, Lanes512},
};
use super::{Backend, Function};
use crate::{
    field::{self, Element},
    ladder::{self, Kernels, each_kernel},
};

cpufeatures::new!(has_avx2, "avx2");
cpufeatures::new!(has_avx512, "avx512f");

/// The implementation of a back end, if this machine has its instructions.
pub(super) fn function(backend: Backend) -> Option<Function> {
    match backend {
        Backend::Avx2 if has_avx2::get() => Some(ladder::x25519::<Avx2, 4>),
        Backend::Avx512 if has_avx512::get() => Some(ladder::x25519::<Avx512, 8>),
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

/// The kernels of one row, each compiled for its instructions, and not into its callers: so the ladder stays in the processor's cache of
/// decoded instructions, and the registers are those of one product.
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $features:literal, $lanes:ty; $($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl Kernels<N> for $name {
            $(
                #[inline(always)]
                fn $kernel($($argument: $type),*) {
                    #[inline(never)]
                    #[target_feature(enable = $features)]
                    fn compiled($($argument: $type),*) {
                        field::$kernel::<$lanes, N>($($argument),*);
                    }
                    simd!(compiled($($argument),*));
                }
            )*
        }
    };
}

/// Four lanes.
pub(crate) mod avx2 {
    use super::*;

    const N: usize = 4;
    each_kernel! {
        kernels
        /// AVX2.
        Avx2, "avx2", Lanes256;
    }
}

/// Eight lanes.
pub(crate) mod avx512 {
    use super::*;

    const N: usize = 8;
    each_kernel! {
        kernels
        /// AVX-512 F.
        Avx512, "avx512f", Lanes512;
    }
}
