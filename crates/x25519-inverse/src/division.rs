//! Division steps, 30 at a time.
//!
//! A step maps (f, g) with f odd to (f, g / 2), (f, (g + f) / 2) or (g, (g - f) / 2), depending on
//! delta and the lowest bit of g, until f is the greatest common divisor, 1 or -1, and g is 0. 590
//! steps suffice below 2^256 if delta starts from one half (Wuille, in libsecp256k1's documentation
//! of the method). The effect of 30 steps depends only on the lowest 30 bits and on delta, and is a
//! matrix of numbers up to 2^30; the same matrices map (0, 1) to (d, e) with f = d z and g = e z
//! modulo p.

use zeroize::Zeroizing;

use crate::{
    encoding::{BEYOND, read, write},
    word::Word,
};

/// The number of steps in a batch, and of bits in a limb.
pub(crate) const STEPS: usize = 30;
pub(crate) const BATCHES: usize = 20;
/// The initial value of zeta: -delta - 1/2.
pub(crate) const ZETA: i64 = -1;
pub(crate) const LIMBS: usize = 9;
const MASK: i64 = (1 << STEPS) - 1;

/// Limbs from 0 to 2^30 - 1, except that the last has the sign.
pub(crate) type Limbs<W> = [W; LIMBS];

/// A matrix with rows [u, v] and [q, r].
pub(crate) type Matrix<W> = [[W; 2]; 2];

/// p without carries: -19 + 2^15 * 2^240.
pub(crate) const P_LOW: i64 = -19;
pub(crate) const P_HIGH: i64 = 1 << 15;

/// 1 / 19 modulo 2^30.
const NINETEENTH: i64 = {
    let mut inverse = 19_i64;
    let mut bits = 3;
    while bits < STEPS {
        inverse = (inverse * ((2 - 19 * inverse) & MASK)) & MASK;
        bits *= 2;
    }
    inverse
};

/// The largest absolute value of the last limbs of d and e: they start within p of zero, and a
/// batch adds p at most, since the numbers of a row sum to at most 2^30.
pub(crate) const LAST_LIMB: i64 = (BATCHES as i64 + 1) * P_HIGH;

const BOUNDS: () = {
    assert!(BATCHES * STEPS >= 590);
    assert!((NINETEENTH * 19) & MASK == 1);
    // The last limbs of d and e exceed their bits by no more than `write` accepts.
    assert!(LAST_LIMB <= P_HIGH << BEYOND);
};

/// Computes `1 / z` modulo p of a number below p, or 0 if it is 0: 32 bytes, least first.
pub fn inverse(z: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    const { BOUNDS };
    let mut pairs = Zeroizing::new([[[0; LIMBS]; 2]; 2]);
    let [[f, g], [_, e]] = &mut *pairs;
    *f = [MASK; LIMBS];
    (f[0], f[LIMBS - 1]) = (MASK + 1 + P_LOW, P_HIGH - 1);
    read(g, z, STEPS);
    e[0] = 1;
    let mut zeta = ZETA;
    for _ in 0..BATCHES {
        let [f_and_g, d_and_e] = &mut *pairs;
        let matrix = steps(&mut zeta, f_and_g[0][0], f_and_g[1][0]);
        // The lowest 30 bits of both sums are zero, so the division is exact. This comes first,
        // since the next steps depend on it and not on d and e.
        multiply(matrix, f_and_g, [0; 2]);
        multiply(matrix, d_and_e, multiples_of_p(matrix, d_and_e));
    }
    // f = d z is 1 or -1, so 1 / z is d or -d.
    let [[f, _], [d, _]] = &mut *pairs;
    let sign = f[LIMBS - 1] >> 63;
    d.iter_mut().for_each(|limb| *limb = (*limb ^ sign) - sign);
    let mut bytes = Zeroizing::new([0; 32]);
    write(&mut bytes, d, STEPS);
    bytes
}

/// Computes the matrix of a batch: f becomes (u f + v g) / 2^30, and g becomes (q f + r g) / 2^30.
/// Zeta is -delta - 1/2.
pub(crate) fn steps(zeta: &mut i64, f: i64, g: i64) -> Matrix<i64> {
    let mut batch = Batch {
        zeta: *zeta,
        f,
        g,
        first: 1,
        second: 1 << 32,
    };
    for _ in 0..STEPS {
        batch = batch.step();
    }
    *zeta = batch.zeta;
    [batch.first, batch.second].map(numbers)
}

/// The state of a batch: zeta, the lowest bits of f and g, and the rows. Both numbers of a row are
/// in one word, the second multiplied by 2^32.
#[derive(Clone, Copy)]
pub(crate) struct Batch<W> {
    pub(crate) zeta: W,
    pub(crate) f: W,
    pub(crate) g: W,
    pub(crate) first: W,
    pub(crate) second: W,
}

impl<W: Word> Batch<W> {
    #[inline(always)]
    pub(crate) fn step(self) -> Self {
        let Self {
            zeta,
            f,
            g,
            first,
            second,
        } = self;
        // All ones if delta > 0, which is zeta < 0.
        let positive = zeta >> 63;
        let odd = -(g & W::from(1));
        // g + f, or g - f if delta > 0: (x ^ -1) + 1 = -x. Nothing if g is even.
        let g = g + (((f ^ positive) - positive) & odd);
        let second = second + (((first ^ positive) - positive) & odd);
        // If delta > 0 and g is odd, f becomes the former g = f + (g - f), and delta becomes 1 -
        // delta; otherwise delta becomes 1 + delta. So zeta = -delta - 1/2 becomes -zeta - 2 or
        // zeta - 1.
        let exchange = positive & odd;
        Self {
            zeta: (zeta ^ exchange) - W::from(1),
            f: f + (g & exchange),
            g: g >> 1,
            first: (first + (second & exchange)) << 1,
            second,
        }
    }
}

/// Splits a row into its two numbers, which are from -2^31 to 2^31 - 1.
pub(crate) fn numbers<W: Word>(row: W) -> [W; 2] {
    let half = W::from(1 << 31);
    let low = ((row + half) & W::from((1 << 32) - 1)) - half;
    [low, (row - low) >> 32]
}

/// Returns the multiples of p that make the lowest 30 bits of each row's sum zero.
pub(crate) fn multiples_of_p<W: Word>(matrix: Matrix<W>, [a, b]: &[Limbs<W>; 2]) -> [W; 2] {
    let mask = W::from(MASK);
    matrix.map(|[u, v]| (((u * a[0] + v * b[0]) & mask) * W::from(NINETEENTH)) & mask)
}

/// Replaces the pair (a, b) by the matrix times it, each row plus its multiple of p and divided by
/// 2^30: `(u a + v b + multiple p) / 2^30`, which is an integer.
pub(crate) fn multiply<W: Word>(matrix: Matrix<W>, [a, b]: &mut [Limbs<W>; 2], multiples: [W; 2]) {
    let mut sums = multiples.map(|multiple| multiple * W::from(P_LOW));
    for i in 0..LIMBS {
        for (sum, [u, v]) in sums.iter_mut().zip(matrix) {
            *sum = *sum + u * a[i] + v * b[i];
        }
        if i == LIMBS - 1 {
            for (sum, multiple) in sums.iter_mut().zip(multiples) {
                *sum = *sum + multiple * W::from(P_HIGH);
            }
        }
        if i > 0 {
            [a[i - 1], b[i - 1]] = sums.map(|sum| sum & W::from(MASK));
        }
        sums = sums.map(|sum| sum >> STEPS);
    }
    [a[LIMBS - 1], b[LIMBS - 1]] = sums;
}
