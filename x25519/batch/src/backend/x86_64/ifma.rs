//! AVX-512 F, VL, DQ and IFMA: four and eight lanes of integers.

use super::{
    kernels,
    lanes::{Lanes256, Lanes512},
    simd,
};
use crate::{
    division::Fraction,
    field::{
        Integers51, Radix, Table,
        kernels::{self, Kernels, each_kernel},
    },
    ladder::{self, Ladder},
    one::{self, OnePoint},
};

pub(crate) struct Ifma;

/// What is compiled for a vector of so many lanes.
macro_rules! vector {
    ($module:ident, $n:literal, $lanes:ty) => {
        mod $module {
            use super::*;

            const N: usize = $n;

            each_kernel! {
                kernels impl Kernels for Ifma, "avx512f,avx512vl,avx512dq,avx512ifma", Integers51, $lanes,
                { const ONE: Table<N> = Table::small(<Integers51 as Radix<$lanes, N>>::ONE); }
            }

            impl Ladder<N> for Ifma {
                #[inline(always)]
                fn ladder<const GROUPS: usize>(
                    scalar: &[u8; 32],
                    x1: &[Table<N>; GROUPS],
                    fractions: &mut [Fraction<N>; GROUPS],
                ) {
                    #[inline(never)]
                    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma")]
                    fn compiled<const GROUPS: usize>(
                        scalar: &[u8; 32],
                        x1: &[Table<N>; GROUPS],
                        fractions: &mut [Fraction<N>; GROUPS],
                    ) {
                        ladder::integers::ladder::<$lanes, N, GROUPS>(scalar, x1, fractions);
                    }
                    simd!(compiled(scalar, x1, fractions));
                }
            }
        }
    };
}
vector!(four, 4, Lanes256);
vector!(eight, 8, Lanes512);

impl OnePoint for Ifma {
    #[inline(always)]
    fn ladder(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>) {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma")]
        fn compiled(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>) {
            one::integers::ladder::<Lanes256>(scalar, x1, last);
        }
        simd!(compiled(scalar, x1, last));
    }
}
