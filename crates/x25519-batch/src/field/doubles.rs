//! Radix 2^51 in doubles, for processors that multiply and add floating-point numbers with a single
//! rounding (FMA).
//!
//! An element is five limbs, each a whole number in an `f64`, positive or negative. Carried limbs
//! are at most 2^50 + 2^10 in absolute value. The product of two limbs has twice as many bits as a
//! double, and is split exactly. It is added to 1.5 * 2^103, where neighbouring doubles are 2^51
//! apart, which leaves its rounded high part `h` in the low bits of the sum. A second
//! multiplication and addition then gives the rest, at most 2^50 in absolute value, above 1.5 *
//! 2^52, where neighbours are 1 apart. Read as integers, both sums are a constant plus the part, so
//! columns are sums of integers modulo 2^64, which start at minus their constants. See [`BOUNDS`].
//!
//! All these numbers are zero or have an absolute value between 1 and 2^104, except for the
//! constant 2^-51: none is subnormal, infinite or NaN, and processors take the same time for all
//! others.

use core::hint::black_box;

use zeroize::Zeroize;

use super::{A24, BITS, Columns, LIMBS, Limbs, Radix, Table, low_bits};
use crate::lanes::Doubles;

/// Returns the double 2^n.
const fn power_of_2(n: u64) -> f64 {
    f64::from_bits((1023 + n) << 52)
}

/// The constant to which a product is added to round it to multiples of 2^51.
const HIGH: f64 = 1.5 * power_of_2(52 + BITS as u64);
/// The constant to which the rest is added to make it an integer in the low bits.
const LOW: f64 = 1.5 * power_of_2(52);
/// 2^-51.
const DOWN: f64 = 1.0 / power_of_2(BITS as u64);

/// The largest absolute value of a carried limb.
const CARRIED: u64 = (1 << (BITS - 1)) + (1 << 10);
/// The constant added to a column before it is split: half a limb, so that the low part is between
/// -2^50 and 2^50, plus a multiple of 2^51, so that it is positive.
const BIAS: u64 = (1 << (BITS - 1)) + (1 << (BITS + 10));
/// The carry from the bias.
const BIAS_CARRY: f64 = power_of_2(10);

/// The bounds that the comments rely on.
const BOUNDS: () = {
    // One factor is carried; the other is carried too, or the difference of two carried ones, or
    // twice one, or a result of `add_a24`: a carried limb, a low part, and 19 times a high one.
    let factor = CARRIED + (1 << 50) + 19 * (A24 + 1);
    assert!(2 * CARRIED < factor);
    // Then high parts fit into 51 bits and a sign.
    let high = ((CARRIED as u128 * factor as u128) >> BITS) + 1;
    assert!(high < 1 << 51);
    // Column 0 is the largest: a low part, and 19 times four low ones and five high ones. The sum
    // of two of them is below the bias.
    let column = (1 << 50) + 19 * (4 * (1 << 50) + 5 * high);
    assert!(2 * column < BIAS as u128 && BIAS < 1 << 62);
    // The carry of such a sum to limb 1; and the carry to limb 0 of a sum of two columns 4, each of
    // five low parts, four high ones and 19 times a high one.
    let column_4 = 5 * (1 << 50) + (4 + 19) * high;
    assert!(2 * (column >> BITS) + 2 < 1 << 10 && 19 * (2 * (column_4 >> BITS) + 2) < 1 << 10);
    // In `settled` a limb below 2^52, such as the sum of two carried limbs, carries at most 2.
    assert!(2 * CARRIED < 1 << 52 && 19 * 2 < 1 << 10);
};

/// Returns the start of the columns of a product or a square, which cancels the constants in its
/// sums, including those of columns 5 to 9, which are folded 19 times. A square has fewer products.
const fn starts<const N: usize>(square: bool) -> [[u64; N]; LIMBS] {
    let (mut starts, mut i) = ([[0_u64; N]; LIMBS], 0);
    while i < LIMBS {
        let mut j = if square { i } else { 0 };
        while j < LIMBS {
            let parts = [(i + j, LOW), (i + j + 1, HIGH)];
            let mut part = 0;
            while part < parts.len() {
                let (column, constant) = parts[part];
                let times = if column < LIMBS { 1 } else { 19 };
                let start =
                    starts[column % LIMBS][0].wrapping_sub(constant.to_bits().wrapping_mul(times));
                starts[column % LIMBS] = [start; N];
                part += 1;
            }
            j += 1;
        }
        i += 1;
    }
    starts
}

/// The rows of a product, rounded up to a power of two, so that an index modulo it needs no check.
const ROWS: usize = LIMBS.next_power_of_two();

/// Memory for the finished columns.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Rows<const N: usize>([[u64; N]; ROWS]);

impl<const N: usize> Rows<N> {
    pub(crate) const ZERO: Self = Self([[0; N]; ROWS]);
}

impl<const N: usize> Zeroize for Rows<N> {
    fn zeroize(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

pub(crate) struct Starts<const N: usize>;

impl<const N: usize> Starts<N> {
    pub(crate) const PRODUCT: Table<N> = Table(starts(false));
    pub(crate) const SQUARE: Table<N> = Table(starts(true));
}

pub(crate) struct Doubles51;

impl<L: Doubles<N>, const N: usize> Radix<L, N> for Doubles51 {
    const ONE: u64 = 1_f64.to_bits();

    #[inline(always)]
    fn from_integers(f: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => {
            h[I] = f[I].add(double(power_of_2(52))).minus(double(power_of_2(52)));
        });
        settled(h)
    }

    /// Adds p.
    #[inline(always)]
    fn to_integers(f: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => {
            let p = power_of_2(BITS as u64) - if I == 0 { 19.0 } else { 1.0 };
            h[I] = low_bits(f[I].plus(double(power_of_2(52) + p)), 52);
        });
        h
    }

    #[inline(always)]
    fn sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => { h[I] = f[I].plus(g[I]); });
        settled(h)
    }

    #[inline(always)]
    fn difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => { h[I] = f[I].minus(g[I]); });
        settled(h)
    }

    #[inline(always)]
    fn product(f: &Table<N>, g: Limbs<L>) -> Limbs<L> {
        let mut done = Rows::ZERO;
        carried(product(f, g, &mut done))
    }

    #[inline(always)]
    fn squared(f: Limbs<L>) -> Limbs<L> {
        carried(square(f))
    }

    #[inline(always)]
    fn add_a24(f: Limbs<L>, e: Limbs<L>) -> Limbs<L> {
        let (mut h, mut minus_highs) = (f, f);
        each_limb!(I => {
            let high = double::<L, N>(HIGH).mul_add(e[I], integer(A24));
            minus_highs[I] = double::<L, N>(HIGH).minus(high);
            h[I] = f[I].plus(minus_highs[I].mul_add(e[I], integer(A24)));
        });
        up(h, minus_highs, -DOWN)
    }
}

impl<L: Doubles<N>, const N: usize> Columns<L, N> for Doubles51 {
    #[inline(always)]
    fn product_columns(f: &Table<N>, g: Limbs<L>) -> Limbs<L> {
        let mut done = Rows::ZERO;
        product(f, g, &mut done)
    }

    #[inline(always)]
    fn square_columns(f: Limbs<L>) -> Limbs<L> {
        square(f)
    }

    #[inline(always)]
    fn carried(columns: Limbs<L>) -> Limbs<L> {
        carried(columns)
    }

    #[inline(always)]
    fn carried_difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => { h[I] = f[I].sub(g[I]); });
        carried(h)
    }
}

#[inline(always)]
pub(crate) fn double<L: Doubles<N>, const N: usize>(number: f64) -> L {
    L::splat(number.to_bits())
}

#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "of 17 bits")]
fn integer<L: Doubles<N>, const N: usize>(number: u64) -> L {
    double(number as f64)
}

/// Splits a product into its low and high part, as bits of doubles: `LOW` and `HIGH` plus the
/// parts.
#[inline(always)]
fn parts<L: Doubles<N>, const N: usize>(f: L, g: L) -> (L, L) {
    let high = double::<L, N>(HIGH).mul_add(f, g);
    let low = double::<L, N>(HIGH + LOW).minus(high).mul_add(f, g);
    (low, high)
}

/// Computes the columns of `f g` by schoolbook multiplication, row by row. `done` is scratch
/// memory.
///
/// The rows are a loop with an end unknown to the compiler, which otherwise would unroll it. Six
/// columns, the five limbs of `g` and one of `f` fit into 16 registers; with 25 products at once
/// more would be live, and spilled. The first row is separate because its limb need not have
/// reached memory.
#[inline(always)]
pub(crate) fn product<L: Doubles<N>, const N: usize>(
    f: &Table<N>,
    g: Limbs<L>,
    done: &mut Rows<N>,
) -> Limbs<L> {
    const { BOUNDS };
    let mut columns = super::load(&Starts::<N>::PRODUCT);
    add_row(&mut columns, L::load(&f.0[0]), g, &mut done.0[0]);
    for (i, limb) in black_box(&f.0[1..]).iter().enumerate() {
        add_row(&mut columns, L::load(limb), g, &mut done.0[(1 + i) % ROWS]);
    }
    let mut low = columns;
    each_limb!(I => { low[I] = L::load(&done.0[I]); });
    reduced(low, columns)
}

/// Adds `f g` to five columns. The first is then finished and stored; the next five are returned.
/// The last has only the last high part.
#[inline(always)]
fn add_row<L: Doubles<N>, const N: usize>(
    columns: &mut Limbs<L>,
    f: L,
    g: Limbs<L>,
    done: &mut [u64; N],
) {
    let (low, mut high) = parts(f, g[0]);
    columns[0].add(low).store(done);
    each_limb!(J => {
        if J > 0 {
            let (low, next) = parts(f, g[J]);
            columns[J - 1] = columns[J].add(high).add(low);
            high = next;
        }
    });
    columns[LIMBS - 1] = high;
}

/// Computes the columns of `f^2`: each product of two different limbs once and doubled.
#[inline(always)]
fn square<L: Doubles<N>, const N: usize>(f: Limbs<L>) -> Limbs<L> {
    let [a, b, c, d, e] = super::load(&Starts::<N>::SQUARE);
    let zero = L::splat(0);
    let mut columns = [a, b, c, d, e, zero, zero, zero, zero, zero];
    each_limb!(I => {
        let twice = f[I].plus(f[I]);
        each_limb!(J => {
            if J >= I {
                let (low, high) = parts(if J == I { f[I] } else { twice }, f[J]);
                columns[I + J] = columns[I + J].add(low);
                columns[I + J + 1] = columns[I + J + 1].add(high);
            }
        });
    });
    let [a, b, c, d, e, beyond @ ..] = columns;
    reduced([a, b, c, d, e], beyond)
}

/// Folds columns 5 to 9, 19 times: 3 times and 16 times, by a shift with a count unknown to the
/// compiler. It would otherwise use a multiplication of 64 bits, which processors with AVX2 do not
/// have.
#[inline(always)]
fn reduced<L: Doubles<N>, const N: usize>(columns: Limbs<L>, beyond: Limbs<L>) -> Limbs<L> {
    let (mut h, four) = (columns, black_box(4));
    each_limb!(I => {
        let three_times = beyond[I].add(beyond[I]).add(beyond[I]);
        h[I] = columns[I].add(three_times).add(beyond[I].shift_left(four));
    });
    h
}

/// Carries columns, or the sum or the difference of two, to limbs: one round, all at once.
#[inline(always)]
pub(crate) fn carried<L: Doubles<N>, const N: usize>(columns: Limbs<L>) -> Limbs<L> {
    const EXPONENT: f64 = power_of_2(52);
    let (mut low, mut carries) = (columns, columns);
    each_limb!(I => {
        let column = columns[I].add(L::splat(BIAS));
        carries[I] = column.shift_right::<BITS>();
        low[I] = low_bits(column, BITS).add(double(EXPONENT));
    });
    let bias = EXPONENT + power_of_2(BITS as u64 - 1);
    let mut h = low;
    h[0] = low[0]
        .add(carries[4].mul(L::splat(19)))
        .minus(double(bias + 19.0 * BIAS_CARRY));
    each_limb!(I => {
        if I > 0 {
            h[I] = low[I].add(carries[I - 1]).minus(double(bias + BIAS_CARRY));
        }
    });
    h
}

/// Carries limbs of up to 2^52 in absolute value, by rounding them to multiples of 2^51.
///
/// The rest of a limb is at most 2^50 in absolute value because the sum with [`HIGH`] is rounded to
/// nearest. With another rounding mode it is up to 2^51, and the bounds above do not hold. The same
/// applies to the high part of a product in [`parts`]. The back end ensures the mode
/// ([`Backend::in_this_thread`](crate::Backend::in_this_thread)).
#[inline(always)]
fn settled<L: Doubles<N>, const N: usize>(f: Limbs<L>) -> Limbs<L> {
    let (mut h, mut highs) = (f, f);
    each_limb!(I => {
        highs[I] = f[I].plus(double(HIGH)).minus(double(HIGH));
        h[I] = f[I].minus(highs[I]);
    });
    up(h, highs, DOWN)
}

/// Adds `highs`, multiples of 2^51, to the next limbs. `down` is [`DOWN`], or its negative if
/// `highs` are negated.
#[inline(always)]
fn up<L: Doubles<N>, const N: usize>(f: Limbs<L>, highs: Limbs<L>, down: f64) -> Limbs<L> {
    let mut h = f;
    h[0] = f[0].mul_add(highs[4], double(19.0 * down));
    each_limb!(I => {
        if I > 0 {
            h[I] = f[I].mul_add(highs[I - 1], double(down));
        }
    });
    h
}
