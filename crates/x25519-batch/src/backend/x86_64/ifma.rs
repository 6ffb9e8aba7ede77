//! AVX-512 F, VL, DQ and IFMA: four and eight lanes of integers.
//!
//! Four lanes are compiled twice, with two ways to multiply by 19, which is on the critical path of
//! a product. Intel's processors take 15 cycles for `vpmullq`, and three for shifts and additions.
//! AMD's Zen 4 takes three for `vpmullq`, and is slower with shifts, since their units are busy.

use super::{
    compiled,
    lanes::{Lanes256, Lanes256ByShifts, Lanes512},
    simd,
};
use crate::{
    comb::{
        self,
        choice::{self, Choice, RowChoice},
        digits::Digit,
        point::Affine,
        table::{Row, Table as Multiples},
    },
    division::Fraction,
    field::{
        Integers51, Radix, Table,
        kernels::{self, Kernels, each_kernel},
    },
    ladder::{self, Ladder, parts::Inlined},
    one::{self, OnePoint},
};

/// The back end with four lanes.
pub(crate) struct Four;

/// The back end with four lanes, for processors with a slow `vpmullq`.
pub(crate) struct FourByShifts;

/// The back end with eight lanes.
pub(crate) struct Eight;

/// Computes [`comb::x25519`] with vectors of eight, and a remainder of at most four in a vector of
/// four.
pub(super) fn multiples<F: Kernels<4> + Choice<4>>(
    multiples: &Multiples,
    scalars: &[[u8; 32]],
    out: &mut [[u8; 32]],
) {
    let left_over = scalars.len() % 8;
    let in_eights = scalars.len() - if left_over <= 4 { left_over } else { 0 };
    let (eights, four) = scalars.split_at(in_eights);
    let (out_of_eights, out_of_four) = out.split_at_mut(in_eights);
    comb::x25519::<Eight, 8>(multiples, eights, out_of_eights);
    comb::x25519::<F, 4>(multiples, four, out_of_four);
}

/// Implements the traits for a vector with this number of lanes.
macro_rules! vector {
    ($module:ident, $name:ident, $n:literal, $lanes:ty) => {
        mod $module {
            use super::*;

            const N: usize = $n;

            each_kernel! {
                compiled impl Kernels for $name, "avx512f,avx512vl,avx512dq,avx512ifma", kernels, Integers51, $lanes,
                { const ONE: Table<N> = Table::small(<Integers51 as Radix<$lanes, N>>::ONE); }
            }

            impl Choice<N> for $name {
                #[inline(always)]
                fn choose(out: &mut Affine<N>, row: &Row, position: usize, digit: &Digit<N>) {
                    #[inline(never)]
                    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma")]
                    fn compiled(out: &mut Affine<N>, row: &Row, position: usize, digit: &Digit<N>) {
                        choice::choose::<Integers51, $lanes, N>(out, row, position, digit);
                    }
                    simd!(compiled(out, row, position, digit));
                }
            }

            impl Ladder<N> for $name {
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
                        ladder::ladder::<Inlined<Integers51, $lanes>, N, GROUPS>(scalar, x1, fractions);
                    }
                    simd!(compiled(scalar, x1, fractions));
                }
            }
        }
    };
}
vector!(four, Four, 4, Lanes256);
vector!(four_by_shifts, FourByShifts, 4, Lanes256ByShifts);
vector!(eight, Eight, 8, Lanes512);

/// Implements the traits for one point, and for one scalar.
macro_rules! one_point {
    ($name:ident, $lanes:ty) => {
        impl OnePoint for $name {
            #[inline(always)]
            fn ladder(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>) {
                #[inline(never)]
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma")]
                fn compiled(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>) {
                    one::integers::ladder::<$lanes>(scalar, x1, last);
                }
                simd!(compiled(scalar, x1, last));
            }
        }

        impl RowChoice for $name {
            #[inline(always)]
            fn choose_row(out: &mut Affine<4>, row: &Row, digit: &Digit<4>) {
                #[inline(never)]
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma")]
                fn compiled(out: &mut Affine<4>, row: &Row, digit: &Digit<4>) {
                    choice::choose_row::<Integers51, $lanes>(out, row, digit);
                }
                simd!(compiled(out, row, digit));
            }
        }
    };
}
one_point!(Four, Lanes256);
one_point!(FourByShifts, Lanes256ByShifts);
