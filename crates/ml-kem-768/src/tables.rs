//! Constants: the roots of unity, with what [`Vector::product`](crate::vector::Vector::product)
//! needs of each, in the order of both transforms.

use crate::words::Words;

/// The modulus.
pub(crate) const Q: i16 = 3329;
/// The inverse of q modulo 2^16.
pub(crate) const Q_INVERSE: i16 = -3327;
/// The modulus in 32 bits.
const Q32: i32 = Q as i32;

/// A constant z and its quotient round(2^15 z / q), for each word.
pub(crate) type Factor = [Words; 2];

pub(crate) const fn power(mut base: i32, mut exponent: u32) -> i32 {
    let mut result = 1;
    base %= Q32;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % Q32;
        }
        base = base * base % Q32;
        exponent >>= 1;
    }
    result
}

/// Returns the constant, from -q/2 to q/2, and its quotient.
#[allow(clippy::cast_possible_truncation, reason = "both are below 2^15")]
pub(crate) const fn factor(z: i32) -> [i16; 2] {
    let z = z.rem_euclid(Q32);
    let z = if z > Q32 / 2 { z - Q32 } else { z };
    [z as i16, ((z << 16) + Q32).div_euclid(2 * Q32) as i16]
}

/// Returns zeta^BitRev7(i), zeta = 17 (FIPS 203, section 4.3).
pub(crate) const fn zeta(i: u32) -> i32 {
    power(17, i.reverse_bits() >> 25)
}

const fn inverse(z: i32) -> i32 {
    power(z, Q as u32 - 2)
}

/// The roots of one transform, or their inverses.
pub(crate) struct Roots {
    /// Roots of the first four layers.
    pub(crate) whole: [[i16; 2]; 16],
    /// Roots of the layers of distance 8, 4 and 2, one per quad, for each fourth of the vectors.
    pub(crate) eight: [Factor; 4],
    pub(crate) four: [[Factor; 2]; 4],
    pub(crate) two: [[Factor; 4]; 4],
}

const fn root(i: usize, inverted: bool) -> [i16; 2] {
    #[allow(clippy::cast_possible_truncation, reason = "below 128")]
    let z = zeta(i as u32);
    factor(if inverted { inverse(z) } else { z })
}

/// Returns root `at + step k` for quad k.
const fn quads(at: usize, step: usize, inverted: bool) -> Factor {
    let mut factor = [Words::ZERO; 2];
    let mut i = 0;
    while i < 16 {
        let [z, quotient] = root(at + step * (i / 4), inverted);
        factor[0].0[i] = z;
        factor[1].0[i] = quotient;
        i += 1;
    }
    factor
}

const fn roots(inverted: bool) -> Roots {
    const NONE: Factor = [Words::ZERO; 2];
    let mut roots = Roots {
        whole: [[0; 2]; 16],
        eight: [NONE; 4],
        four: [[NONE; 2]; 4],
        two: [[NONE; 4]; 4],
    };
    let mut i = 0;
    while i < 16 {
        roots.whole[i] = root(i, inverted);
        i += 1;
    }
    let mut t = 0;
    while t < 4 {
        roots.eight[t] = quads(16 + 4 * t, 1, inverted);
        roots.four[t] = [
            quads(32 + 8 * t, 2, inverted),
            quads(33 + 8 * t, 2, inverted),
        ];
        let mut r = 0;
        while r < 4 {
            roots.two[t][r] = quads(64 + 16 * t + r, 4, inverted);
            r += 1;
        }
        t += 1;
    }
    roots
}

pub(crate) static ROOTS: Roots = roots(false);
pub(crate) static INVERSES: Roots = roots(true);

/// The scale of a key's polynomials: 2^16 for Montgomery's reduction, and 1/128 for the inverse
/// transform, which does not divide.
const SCALE: i32 = (1 << 16) % Q32 * inverse(128) % Q32;
/// [`SCALE`] with its quotient, for every word.
pub(crate) const SCALE_FACTOR: [i16; 2] = factor(SCALE);
/// The factor that cancels the 1/128.
pub(crate) const TIMES_128: [i16; 2] = factor(128);

/// [`SCALE`] for each pair of coefficients, and its product with the root of the pair,
/// zeta^(2 BitRev7(i) + 1). Then the quotients.
pub(crate) static SCALES: [[i16; 256]; 2] = {
    let mut table = [[0; 256]; 2];
    let mut i = 0_u32;
    while i < 128 {
        let root = power(17, 2 * (i.reverse_bits() >> 25) + 1);
        let scaled = factor(SCALE * root % Q32);
        let at = 2 * i as usize;
        table[0][at] = SCALE_FACTOR[0];
        table[0][at + 1] = scaled[0];
        table[1][at] = SCALE_FACTOR[1];
        table[1][at + 1] = scaled[1];
        i += 1;
    }
    table
};
