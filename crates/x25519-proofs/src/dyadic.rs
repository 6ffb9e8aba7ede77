//! Exact numbers `n 2^e`. A number that does not fit panics, and so proves nothing.

use std::{
    cmp::Ordering,
    ops::{Add, Mul, Neg, Sub},
};

/// `n 2^e`, where `n` is odd, or zero: `0 2^0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Dyadic {
    n: i128,
    e: i32,
}

impl Dyadic {
    pub(crate) const ZERO: Self = Self { n: 0, e: 0 };
    pub(crate) const ONE: Self = Self { n: 1, e: 0 };

    pub(crate) fn new(n: i128, e: i32) -> Self {
        if n == 0 {
            return Self::ZERO;
        }
        let zeros = n.trailing_zeros();
        Self {
            n: n >> zeros,
            e: e + zeros.cast_signed(),
        }
    }

    pub(crate) fn integer(n: impl Into<i128>) -> Self {
        Self::new(n.into(), 0)
    }

    pub(crate) fn power_of_2(e: i32) -> Self {
        Self { n: 1, e }
    }

    /// Returns the number in a double, which must be finite (IEEE 754, binary64).
    pub(crate) fn from_double(number: f64) -> Self {
        assert!(number.is_finite(), "{number} is not finite");
        let bits = number.to_bits();
        let fraction = i128::from(bits & ((1 << 52) - 1));
        let (n, e) = match bits >> 52 & 0x7ff {
            0 => (fraction, -1074),
            field => (fraction | 1 << 52, i32::try_from(field).unwrap() - 1075),
        };
        Self::new(if number.is_sign_negative() { -n } else { n }, e)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.n == 0
    }

    /// Returns -1, 0 or 1.
    pub(crate) fn sign(self) -> i128 {
        self.n.signum()
    }

    /// Returns `n` and `e`.
    pub(crate) fn parts(self) -> (i128, i32) {
        (self.n, self.e)
    }

    /// Reports whether it is a multiple of 2^e.
    pub(crate) fn is_multiple(self, e: i32) -> bool {
        self.n == 0 || self.e >= e
    }

    /// Returns the number divided by 2^e, of which it must be a multiple.
    pub(crate) fn multiple(self, e: i32) -> i128 {
        if self.n == 0 {
            return 0;
        }
        let shift = u32::try_from(self.e - e).expect("a multiple of 2^e");
        let free = self.n.unsigned_abs().leading_zeros();
        assert!(free > shift + 1, "{self:?} / 2^{e} is too large");
        self.n << shift
    }

    pub(crate) fn to_integer(self) -> i128 {
        self.multiple(0)
    }

    /// Returns the number times 2^bits.
    pub(crate) fn scaled(self, bits: i32) -> Self {
        Self::new(self.n, self.e + bits)
    }

    /// Returns the largest multiple of 2^e that is not above.
    pub(crate) fn floor(self, e: i32) -> Self {
        if self.is_multiple(e) {
            return self;
        }
        Self::new(self.n >> (e - self.e).min(127), e)
    }

    /// Returns the least multiple of 2^e that is not below.
    pub(crate) fn ceil(self, e: i32) -> Self {
        -(-self).floor(e)
    }

    pub(crate) fn abs(self) -> Self {
        Self {
            n: self.n.abs(),
            ..self
        }
    }

    /// Returns `k` where the size is at least 2^(k - 1) and below 2^k.
    pub(crate) fn bits(self) -> i32 {
        self.e + 128 - self.n.unsigned_abs().leading_zeros().cast_signed()
    }
}

impl Add for Dyadic {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let e = self.e.min(other.e);
        let sum = self.multiple(e).checked_add(other.multiple(e));
        Self::new(sum.expect("a sum that is too large"), e)
    }
}

impl Neg for Dyadic {
    type Output = Self;
    fn neg(self) -> Self {
        Self { n: -self.n, ..self }
    }
}

impl Sub for Dyadic {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dyadic {
    type Output = Self;
    #[expect(clippy::suspicious_arithmetic_impl, reason = "exponents are added")]
    fn mul(self, other: Self) -> Self {
        let product = self.n.checked_mul(other.n);
        Self::new(
            product.expect("a product that is too large"),
            self.e + other.e,
        )
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares by sign, then by the highest bit; only numbers of one size are subtracted.
impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.sign();
        if sign != other.sign() || sign == 0 {
            return sign.cmp(&other.sign());
        }
        let sizes = match self.bits().cmp(&other.bits()) {
            Ordering::Equal => (self.abs() - other.abs()).n.cmp(&0),
            different => different,
        };
        if sign > 0 { sizes } else { sizes.reverse() }
    }
}

/// Returns the sum of many numbers. A partial sum may need more bits than one number has.
pub(crate) fn total(numbers: impl Iterator<Item = Dyadic>) -> Dyadic {
    /// The exponent below which no number has a bit.
    const LEAST: i32 = -640;
    // Digits in base 2^32, of either sign until they are carried.
    let mut digits = [0_i128; 48];
    for Dyadic { n, e } in numbers {
        let place = usize::try_from(e - LEAST).unwrap();
        for i in 0..4 {
            let digit = (n.unsigned_abs() >> (32 * i) & 0xffff_ffff).cast_signed();
            digits[place / 32 + i] += n.signum() * (digit << (place % 32));
        }
    }
    let mut carry = 0;
    for digit in &mut digits {
        *digit += carry;
        carry = *digit >> 32;
        *digit &= 0xffff_ffff;
    }
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let n = digits[zeros..].iter().rev().fold(carry, |n, digit| {
        let shifted = n.checked_mul(1 << 32).expect("a sum that is too large");
        shifted + digit
    });
    Dyadic::new(n, LEAST + 32 * i32::try_from(zeros).unwrap())
}
