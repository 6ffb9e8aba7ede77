//! Arithmetic modulo p = 2^255 - 19 on two elements at once, in doubles.
//!
//! An element is five limbs of 51 bits, whole numbers of either sign; limb `i` has weight `2^(51
//! i)`. A product of two limbs is split by two fused multiply-adds, each rounded once: the double
//! nearest to `a b + 1.5 * 2^103` is a multiple of 2^51, and `a b` less that multiple is exact in
//! another. The bits of such a double are those of its constant plus the number, so they are added
//! as integers, in columns of 64 bits. The start of a column cancels the constants. WebAssembly
//! always rounds to nearest and never traps, so there is no mode to check.
//!
//! Limits of limbs and columns in absolute value:
//!
//! | name | limit | comes from |
//! |---|---|---|
//! | carried | 2^50 + 2^13 | [`Columns::carried`] |
//! | difference | 2^51 + 2^14 | two carried |
//! | column | 2^58 | [`product`] of a carried and a difference |
//! | columns to carry | 2^59 | sums and differences of two columns |
//!
//! `x25519-batch` splits products in the same way, but this is not its code: with two lanes a
//! ladder step needs five products instead of six, columns are added before they are carried, and
//! constants and loops are arranged for what engines compile well. With the code of `x25519-batch`
//! in two lanes, a ladder took 37 us instead of 29.

use core::hint::black_box;

use crate::arch::{
    f64x2, f64x2_extract_lane, f64x2_relaxed_madd, f64x2_sub, i32x4_dot_i16x8, i64x2, i64x2_add,
    i64x2_shl, i64x2_splat, u64x2_shr, v128, v128_and, v128_or, v128_xor,
};

pub(crate) const LIMBS: usize = 5;
/// The number of bits of a limb.
pub(crate) const BITS: u32 = 51;

/// The limbs of two elements, as doubles.
#[derive(Clone, Copy)]
pub(crate) struct Pair(pub(crate) [v128; LIMBS]);

/// The columns of two elements, as integers modulo 2^64, not yet carried.
#[derive(Clone, Copy)]
pub(crate) struct Columns(pub(crate) [v128; LIMBS]);

/// The constants that, added to a product, leave multiples of 2^51, and of 1.
const HIGH: f64 = 1.5 * (1_u128 << 103) as f64;
const LOW: f64 = 1.5 * (1_u64 << 52) as f64;
/// The constant that makes columns positive: a multiple of 2^51, plus half a limb, so that the rest
/// is rounded to the nearest.
const BIAS: u64 = (BIAS_CARRY << BITS) + (1 << (BITS - 1));
const BIAS_CARRY: u64 = 1 << 10;
/// The number 2^52, from which on doubles are 1 apart.
const ONES: u64 = 1 << 52;
/// Returns the excess in the double of a limb: half a limb, and the bias of the carry into it.
const fn excess(bias: u64) -> v128 {
    let excess = (ONES + (1 << (BITS - 1)) + bias) as f64;
    f64x2(excess, excess)
}

pub(crate) const CARRIED: i128 = (1 << 50) + (1 << 13);
pub(crate) const DIFFERENCE: i128 = 2 * CARRIED;
const COLUMN: i128 = 1 << 58;

/// The bounds that the comments rely on.
const BOUNDS: () = {
    // A product stays within the doubles with the exponent of HIGH, and the rest within those of
    // LOW.
    let product = CARRIED * DIFFERENCE;
    assert!(product < 1 << 102);
    // At most four products and four multiples of 2^51 are folded 19 times, or five of the latter.
    let (low, high) = (1 << 50, (product >> BITS) + 1);
    assert!((1 + 19 * 4) * low + 19 * 5 * high < COLUMN);
    // With the bias, twice a column is positive and has 63 bits; its carry is a positive number of
    // 16 bits.
    assert!(2 * COLUMN < BIAS as i128 && (2 * COLUMN + BIAS as i128) >> BITS < 1 << 15);
    // Without the bias, 19 carries are within the excess of a carried limb over half a limb.
    assert!(19 * (((2 * COLUMN) >> BITS) + 1) < CARRIED - (1 << 50));
};

/// The constants of this arithmetic, from a location whose contents are unknown to the compiler.
/// Otherwise it would turn shifts and additions into a multiplication of 64 bits, which takes
/// engines ten instructions, and engines would rebuild each constant for each use.
pub(crate) struct Constants {
    high: v128,
    high_and_low: v128,
    start: [v128; LIMBS],
    zero: [v128; 2],
    bias: v128,
    mask: v128,
    ones: v128,
    excess_of_first: v128,
    excess: v128,
}

static CONSTANTS: Constants = Constants {
    high: f64x2(HIGH, HIGH),
    high_and_low: f64x2(HIGH + LOW, HIGH + LOW),
    start: [start(0), start(1), start(2), start(3), start(4)],
    zero: [i64x2(0, 0); 2],
    bias: twice(BIAS),
    mask: twice((1 << BITS) - 1),
    ones: twice((ONES as f64).to_bits()),
    excess_of_first: excess(19 * BIAS_CARRY),
    excess: excess(BIAS_CARRY),
};

const fn twice(word: u64) -> v128 {
    i64x2(word.cast_signed(), word.cast_signed())
}

/// Returns the start of column `k`, which cancels the bits of all constants in column `k`, and 19
/// times those in column `k + 5`.
const fn start(k: usize) -> v128 {
    let mut sum = 0_u64;
    let mut row = 0;
    while row < LIMBS {
        let mut limb = 0;
        while limb < LIMBS {
            let low = row + limb;
            if low % LIMBS == k {
                sum =
                    sum.wrapping_sub(LOW.to_bits().wrapping_mul(if low < LIMBS { 1 } else { 19 }));
            }
            let high = low + 1;
            if high % LIMBS == k {
                sum = sum.wrapping_sub(HIGH.to_bits().wrapping_mul(if high < LIMBS {
                    1
                } else {
                    19
                }));
            }
            limb += 1;
        }
        row += 1;
    }
    twice(sum)
}

impl Constants {
    pub(crate) fn get() -> &'static Self {
        const { BOUNDS };
        black_box(&CONSTANTS)
    }

    /// Computes both products.
    ///
    /// Row by row in a loop that the compiler must not unroll, since an engine would run out of
    /// registers: a row completes the lowest of the columns, which takes the place of its limb. As
    /// a call, not inlined, it would take a quarter longer.
    #[inline(always)]
    pub(crate) fn product(&self, f: &Pair, g: &Pair) -> Columns {
        let Self {
            high: to_high,
            high_and_low,
            ..
        } = *self;
        let (mut low, g) = (f.0, g.0);
        let mut columns = self.start;
        for place in black_box(&mut low[..]) {
            let f = *place;
            let split = |g| {
                let high = f64x2_relaxed_madd(f, g, to_high);
                (
                    high,
                    f64x2_relaxed_madd(f, g, f64x2_sub(high_and_low, high)),
                )
            };
            let (mut high, low) = split(g[0]);
            *place = i64x2_add(columns[0], low);
            for i in 1..LIMBS {
                let (next, low) = split(g[i]);
                columns[i - 1] = i64x2_add(i64x2_add(columns[i], high), low);
                high = next;
            }
            columns[LIMBS - 1] = high;
        }
        Columns(array(|i| i64x2_add(low[i], self.times_19(columns[i]))))
    }

    /// Multiplies by 19 = 1 + 2 + 16.
    #[inline(always)]
    fn times_19(&self, x: v128) -> v128 {
        let [x_2, x_16] = self.zero.map(|zero| v128_xor(x, zero));
        i64x2_add(i64x2_add(x, i64x2_shl(x_2, 1)), i64x2_shl(x_16, 4))
    }

    /// Adds each column's carry to the next limb, all at once, and 19 times the last one to the
    /// first.
    #[inline(always)]
    pub(crate) fn carried(&self, columns: &Columns) -> Pair {
        let biased = columns.0.map(|column| i64x2_add(column, self.bias));
        let carries = biased.map(|column| u64x2_shr(column, BITS));
        Pair(array(|i| {
            let limb = v128_or(v128_and(biased[i], self.mask), self.ones);
            // The carry fits into its lowest 16 bits.
            let first = || {
                (
                    i32x4_dot_i16x8(carries[LIMBS - 1], i64x2_splat(19)),
                    self.excess_of_first,
                )
            };
            let (carry, excess) = if i == 0 {
                first()
            } else {
                (carries[i - 1], self.excess)
            };
            f64x2_sub(i64x2_add(limb, carry), excess)
        }))
    }
}

/// Does the same as [`core::array::from_fn`], which is not always inlined.
#[inline(always)]
pub(crate) fn array(limb: impl Fn(usize) -> v128) -> [v128; LIMBS] {
    [limb(0), limb(1), limb(2), limb(3), limb(4)]
}

impl Pair {
    /// Makes a pair from limbs from -1 to 2^51.
    pub(crate) fn of(k: &Constants, [a, b]: [&[i64; LIMBS]; 2]) -> Self {
        k.carried(&Columns(array(|i| i64x2(a[i], b[i]))))
    }

    /// Returns the second element.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "limbs are whole numbers of 52 bits"
    )]
    pub(crate) fn second(&self) -> [i64; LIMBS] {
        self.0.map(|limb| f64x2_extract_lane::<1>(limb) as i64)
    }

    /// Applies an operation to the vectors of both.
    #[inline(always)]
    pub(crate) fn zip(&self, other: &Self, operation: impl Fn(v128, v128) -> v128) -> Self {
        Self(array(|i| operation(self.0[i], other.0[i])))
    }
}

impl Columns {
    /// Applies an operation to the vectors of both.
    #[inline(always)]
    pub(crate) fn zip(&self, other: &Self, operation: impl Fn(v128, v128) -> v128) -> Self {
        Self(array(|i| operation(self.0[i], other.0[i])))
    }
}
