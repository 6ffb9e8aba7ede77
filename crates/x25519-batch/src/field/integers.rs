//! Radix 2^51 in integers, for processors that multiply 52 bits by 52 and add the low or the high
//! 52 bits of the product to a sum (AVX-512 IFMA).
//!
//! An element is five limbs. A product gives *columns*, sums of halves of products, which are not
//! carried: [`columns`]. Sums and differences are computed on columns, which then are carried only
//! once. This is why a ladder has its own formulas for this radix. *Carried* limbs are below 2^51 +
//! 2^16, so they fit into the 52 bits that a product takes. To compute a difference, a multiple of
//! p is added to `f`, so that no column falls below zero. See [`BOUNDS`].

pub(crate) mod columns;

use self::columns::{COLUMN, product, product_of_many, square, square_of_many};
use super::{A24, BITS, Columns, Limbs, Radix, Table, load, low_bits, sum};
use crate::lanes::MulAdd52;

/// The upper bound of carried limbs (exclusive).
const CARRIED: u64 = (1 << BITS) + (1 << 16);

/// The multiple of p added to a difference of columns: 2^10 p. For a difference of carried limbs it
/// is 2 p.
pub(crate) const ABOVE_COLUMNS: u32 = 10;
const ABOVE_CARRIED: u32 = 1;

/// Returns limb `i` of 2^`times` p.
pub(crate) const fn multiple_of_p(i: usize, times: u32) -> u64 {
    ((1 << BITS) - if i == 0 { 19 } else { 1 }) << times
}

/// The bounds that the comments rely on. The smallest limb of a multiple of p is limb 0.
const BOUNDS: () = {
    assert!(CARRIED < 1 << 52);
    // Differences do not fall below zero: of carried limbs, of columns, and of the columns of one
    // square, another and a product (`one/integers.rs`).
    assert!(CARRIED <= multiple_of_p(0, ABOVE_CARRIED));
    assert!(COLUMN <= multiple_of_p(0, ABOVE_COLUMNS) as u128);
    assert!(2 * COLUMN <= multiple_of_p(0, ABOVE_COLUMNS + 1) as u128);
    // The largest columns are thus two of these plus that multiple of p: they carry less than 2^12.
    let largest = 2 * COLUMN + multiple_of_p(1, ABOVE_COLUMNS + 1) as u128;
    assert!(largest < 1 << 63 && largest >> BITS < 1 << 12);
    // Limb 0 gets 19 times the carry of column 4, which in a product is five low halves, four high
    // ones, which count twice, and 19 times one of these.
    let column_4 = 2 * ((5 + 2 * 4 + 19 * 2) << 52) + multiple_of_p(1, ABOVE_COLUMNS + 1) as u128;
    assert!(19 * (column_4 >> BITS) < 1 << 16);
    // `plus_multiple` adds a low half and twice a high one, below the factor, or 38 times that.
    assert!(COLUMN + (1 << 52) + 38 * (4 * A24 as u128 + 2) < (1 << 52) * 269);
};

/// Elements in integers.
pub(crate) struct Integers51;

impl<L: MulAdd52<N>, const N: usize> Radix<L, N> for Integers51 {
    const ONE: u64 = 1;

    #[inline(always)]
    fn from_integers(f: Limbs<L>) -> Limbs<L> {
        f
    }

    #[inline(always)]
    fn to_integers(f: Limbs<L>) -> Limbs<L> {
        f
    }

    #[inline(always)]
    fn sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        carried(sum(f, g))
    }

    #[inline(always)]
    fn difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        carried(difference::<ABOVE_CARRIED, L, N>(f, g))
    }

    #[inline(always)]
    fn product(f: &Table<N>, g: Limbs<L>) -> Limbs<L> {
        carried(product(load(f), g))
    }

    #[inline(always)]
    fn squared(f: Limbs<L>) -> Limbs<L> {
        carried(square(f, [L::splat(0); 5]))
    }

    #[inline(always)]
    fn add_a24(f: Limbs<L>, e: Limbs<L>) -> Limbs<L> {
        carried(plus_multiple(f, e, A24))
    }
}

impl<L: MulAdd52<N>, const N: usize> Columns<L, N> for Integers51 {
    #[inline(always)]
    fn product_columns(f: &Table<N>, g: Limbs<L>) -> Limbs<L> {
        product_of_many(load(f), g)
    }

    #[inline(always)]
    fn square_columns(f: Limbs<L>) -> Limbs<L> {
        square_of_many(f)
    }

    #[inline(always)]
    fn carried(columns: Limbs<L>) -> Limbs<L> {
        carried(columns)
    }

    #[inline(always)]
    fn carried_difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        carried(difference::<ABOVE_COLUMNS, L, N>(f, g))
    }
}

/// Carries columns to limbs: one round, all at once. Limb 0 is computed last.
#[inline(always)]
pub(crate) fn carried<L: MulAdd52<N>, const N: usize>(columns: Limbs<L>) -> Limbs<L> {
    const { BOUNDS };
    let (mut limbs, mut carries) = (columns, columns);
    unrolled!(I in [4 3 2 1 0] {
        carries[I] = columns[I].shift_right::<BITS>();
        limbs[I] = low_bits(columns[I], BITS);
    });
    limbs[0] = limbs[0].add_low(carries[4], L::splat(19));
    unrolled!(I in [1 2 3 4] { limbs[I] = limbs[I].add(carries[I - 1]); });
    limbs
}

/// Computes `f - g + 2^TIMES p`, not carried.
#[inline(always)]
pub(crate) fn difference<const TIMES: u32, L: MulAdd52<N>, const N: usize>(
    f: Limbs<L>,
    g: Limbs<L>,
) -> Limbs<L> {
    let mut h = f;
    each_limb!(I => {
        h[I] = f[I].add(L::splat(const { multiple_of_p(I, TIMES) }).sub(g[I]));
    });
    h
}

/// Computes `f + factor e`, not carried, of columns, carried limbs and a factor of less than 20
/// bits.
#[inline(always)]
pub(crate) fn plus_multiple<L: MulAdd52<N>, const N: usize>(
    f: Limbs<L>,
    e: Limbs<L>,
    factor: u64,
) -> Limbs<L> {
    let (mut h, mut high) = (f, [L::splat(0); 5]);
    each_limb!(I => {
        h[I] = h[I].add_low(e[I], L::splat(factor));
        high[I] = high[I].add_high(e[I], L::splat(factor));
    });
    h[0] = h[0].add_low(high[4], L::splat(2 * 19));
    unrolled!(I in [1 2 3 4] { h[I] = h[I].add(high[I - 1].add(high[I - 1])); });
    h
}
