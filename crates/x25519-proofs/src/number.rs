//! Integers modulo p = 2^255 - 19.

use crate::dyadic::Dyadic;

/// An integer modulo p = 2^255 - 19, slow and simple, for references.
// Below 2^256, so not always reduced.
#[derive(Clone, Copy, Debug)]
pub struct Number(Words);

/// Words from the lowest to the highest.
type Words = [u64; 4];

const P: Words = [u64::MAX - 18, u64::MAX, u64::MAX, u64::MAX >> 1];

impl Number {
    pub(crate) const ZERO: Self = Self([0; 4]);
    pub(crate) const ONE: Self = Self([1, 0, 0, 0]);
    const MINUS_ONE: Self = Self([P[0] - 1, P[1], P[2], P[3]]);
    /// 1 / 2 = (p + 1) / 2 = 2^254 - 9.
    pub(crate) const HALF: Self = Self([u64::MAX - 8, u64::MAX, u64::MAX, u64::MAX >> 2]);

    pub(crate) fn integer(n: i128) -> Self {
        let bytes = n.unsigned_abs().to_le_bytes();
        let [low, high] = [0, 8].map(|i| u64::from_le_bytes(bytes[i..i + 8].try_into().unwrap()));
        let size = Self([low, high, 0, 0]);
        if n < 0 { Self::ZERO.minus(size) } else { size }
    }

    pub(crate) fn dyadic(number: Dyadic) -> Self {
        let (n, e) = number.parts();
        Self::integer(n).times(Self::power_of_2(e))
    }

    pub(crate) fn power_of_2(e: i32) -> Self {
        let base = if e < 0 { Self::HALF } else { Self::integer(2) };
        base.power([u64::from(e.unsigned_abs()), 0, 0, 0])
    }

    /// Reads 32 bytes, the lowest first.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        let (words, _) = bytes.as_chunks();
        Self(std::array::from_fn(|i| u64::from_le_bytes(words[i])))
    }

    /// Returns `self + other`.
    pub fn plus(self, other: Self) -> Self {
        let mut carry = 0;
        let words = std::array::from_fn(|i| word(&mut carry, [self.0[i], other.0[i]], [0, 0]));
        Self::folded(words, carry)
    }

    /// Returns `self - other`.
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.times(Self::MINUS_ONE))
    }

    /// Returns `self * other`.
    pub fn times(self, other: Self) -> Self {
        let mut words = [0_u64; 8];
        for (i, f) in self.0.into_iter().enumerate() {
            let mut carry = 0;
            for (j, g) in other.0.into_iter().enumerate() {
                words[i + j] = word(&mut carry, [words[i + j], 0], [f, g]);
            }
            words[i + 4] = word(&mut carry, [0, 0], [0, 0]);
        }
        let mut carry = 0;
        let low = std::array::from_fn(|i| word(&mut carry, [words[i], 0], [38, words[i + 4]]));
        Self::folded(low, carry)
    }

    /// Reduces with a carry of weight 2^256, which is 38.
    fn folded(mut words: Words, mut beyond: u128) -> Self {
        while beyond > 0 {
            let [first, rest @ ..] = &mut words;
            let mut carry = 38 * beyond;
            *first = word(&mut carry, [*first, 0], [0, 0]);
            for other in rest {
                *other = word(&mut carry, [*other, 0], [0, 0]);
            }
            beyond = carry;
        }
        Self(words)
    }

    fn power(self, exponent: Words) -> Self {
        let bit = |n: usize| exponent[n / 64] >> (n % 64) & 1 == 1;
        let highest = (0..256).rev().find(|n| bit(*n));
        (0..highest.map_or(0, |n| n + 1))
            .rev()
            .fold(Self::ONE, |power, n| {
                let square = power.times(power);
                if bit(n) { square.times(self) } else { square }
            })
    }

    /// Returns `self^(p - 2)`.
    pub(crate) fn inverse(self) -> Self {
        assert!(!self.is_zero(), "zero has no inverse");
        self.power([P[0] - 2, P[1], P[2], P[3]])
    }

    /// Reports whether it is zero: 0, p or 2p, which are below 2^256.
    pub(crate) fn is_zero(self) -> bool {
        const TWICE: Words = [u64::MAX - 37, u64::MAX, u64::MAX, u64::MAX];
        [[0; 4], P, TWICE].contains(&self.0)
    }
}

/// Returns the low word of the carry, both terms and the product; the rest is the next
/// carry.
fn word(carry: &mut u128, terms: [u64; 2], [f, g]: [u64; 2]) -> u64 {
    let low = *carry & u128::from(u64::MAX);
    let sum = low + terms.map(u128::from).iter().sum::<u128>() + u128::from(f) * u128::from(g);
    *carry = (*carry >> 64) + (sum >> 64);
    (sum & u128::from(u64::MAX)).try_into().unwrap()
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.minus(*other).is_zero()
    }
}

/// Exponents of numbers other than zero: modulo p - 1, by Fermat's little theorem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exponent(Words);

impl Exponent {
    pub(crate) const ZERO: Self = Self([0; 4]);
    pub(crate) const ONE: Self = Self([1, 0, 0, 0]);
    pub(crate) const MINUS_ONE: Self = Self([P[0] - 2, P[1], P[2], P[3]]);

    /// Adds modulo p - 1. Both are below p - 1, so their sum is below 2^256.
    pub(crate) fn plus(self, other: Self) -> Self {
        let mut carry = 0;
        let sum: Words = std::array::from_fn(|i| word(&mut carry, [self.0[i], other.0[i]], [0, 0]));
        assert_eq!(carry, 0);
        // Subtracts p - 1, which is 2^255 - 20, if bit 255 is set after adding 20.
        let mut carry = 20;
        let mut less: Words = std::array::from_fn(|i| word(&mut carry, [sum[i], 0], [0, 0]));
        let is_beyond = less[3] >> 63 == 1;
        less[3] &= u64::MAX >> 1;
        Self(if is_beyond { less } else { sum })
    }
}
