//! AVX2 and FMA: four lanes of doubles.

use super::{compiled, lanes::Lanes256, simd};
use crate::{
    comb::{
        choice::{self, Choice, RowChoice},
        digits::Digit,
        point::Affine,
        table::Row,
    },
    division::Fraction,
    field::{
        Doubles51, Radix, Table,
        kernels::{self, Kernels, each_kernel},
    },
    ladder::{
        self, Ladder,
        group::Group,
        parts::{self, Parts, each_part},
    },
    one::{self, OnePoint},
};

const N: usize = 4;

pub(crate) struct Avx2;

each_kernel! {
    compiled impl Kernels for Avx2, "avx2,fma", kernels, Doubles51, Lanes256,
    { const ONE: Table<N> = Table::small(<Doubles51 as Radix<Lanes256, N>>::ONE); }
}
each_part! {
    compiled impl Parts for Avx2, "avx2,fma", parts, Doubles51, Lanes256, {}
}

impl Choice<N> for Avx2 {
    #[inline(always)]
    fn choose(out: &mut Affine<N>, row: &Row, position: usize, digit: &Digit<N>) {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        fn compiled(out: &mut Affine<N>, row: &Row, position: usize, digit: &Digit<N>) {
            choice::choose::<Doubles51, Lanes256, N>(out, row, position, digit);
        }
        simd!(compiled(out, row, position, digit));
    }
}

impl RowChoice for Avx2 {
    #[inline(always)]
    fn choose_row(out: &mut Affine<N>, row: &Row, digit: &Digit<N>) {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        fn compiled(out: &mut Affine<N>, row: &Row, digit: &Digit<N>) {
            choice::choose_row::<Doubles51, Lanes256>(out, row, digit);
        }
        simd!(compiled(out, row, digit));
    }
}

impl Ladder<N> for Avx2 {
    fn ladder<const GROUPS: usize>(
        scalar: &[u8; 32],
        x1: &[Table<N>; GROUPS],
        fractions: &mut [Fraction<N>; GROUPS],
    ) {
        ladder::ladder::<Self, N, GROUPS>(scalar, x1, fractions);
    }
}

impl OnePoint for Avx2 {
    #[inline(always)]
    fn ladder(scalar: &[u8; 32], x1: &Table<N>, last: &mut Table<N>) {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        fn compiled(scalar: &[u8; 32], x1: &Table<N>, last: &mut Table<N>) {
            one::doubles::ladder::<Lanes256>(scalar, x1, last);
        }
        simd!(compiled(scalar, x1, last));
    }
}
