//! Words with the operators of Rust's own integers, for generic code.

use std::ops::{Add, BitAnd, BitXor, Mul, Neg, Shl, Shr, Sub};

use crate::{is_symbol, signed, words};

/// A word like `u64`, of which no operation may overflow.
#[derive(Clone, Copy, Debug)]
pub struct Unsigned(pub u64);

impl From<u64> for Unsigned {
    fn from(constant: u64) -> Self {
        Self(constant)
    }
}

impl Add for Unsigned {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let [a, b] = [self, other].map(|Self(word)| words::bounds(word)[1]);
        assert!(a.checked_add(b).is_some(), "a sum of more than 64 bits");
        Self(words::add(self.0, other.0))
    }
}

impl Mul for Unsigned {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(words::mul(self.0, other.0))
    }
}

impl Shr<u32> for Unsigned {
    type Output = Self;
    fn shr(self, bits: u32) -> Self {
        Self(words::shift_right(self.0, bits))
    }
}

impl BitAnd for Unsigned {
    type Output = Self;
    fn bitand(self, mask: Self) -> Self {
        Self(words::and(self.0, mask.0))
    }
}

/// A word like `i64`, of which no operation may overflow.
#[derive(Clone, Copy, Debug)]
pub struct Signed(pub u64);

impl Signed {
    /// Applies the processor's operation to constants, and that of symbols to others.
    fn lift(
        self,
        other: Self,
        on_constants: fn(i64, i64) -> Option<i64>,
        on_symbols: fn(u64, u64) -> u64,
    ) -> Self {
        match [self, other].map(Self::constant) {
            [Some(a), Some(b)] => on_constants(a, b).expect("64 bits").into(),
            _ => Self(signed::within(on_symbols(self.0, other.0), 64)),
        }
    }

    fn constant(self) -> Option<i64> {
        (!is_symbol(self.0)).then_some(self.0.cast_signed())
    }
}

impl From<i64> for Signed {
    fn from(constant: i64) -> Self {
        assert!(
            !is_symbol(constant.cast_unsigned()),
            "a constant like a symbol"
        );
        Self(constant.cast_unsigned())
    }
}

impl Add for Signed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.lift(other, i64::checked_add, signed::add)
    }
}

impl Sub for Signed {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.lift(other, i64::checked_sub, signed::sub)
    }
}

impl Neg for Signed {
    type Output = Self;
    fn neg(self) -> Self {
        Self::from(0) - self
    }
}

impl Mul for Signed {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.lift(other, i64::checked_mul, |a, b| {
            match [Self(a), Self(b)].map(Self::constant) {
                [Some(c), _] => signed::scaled(b, c),
                [_, Some(c)] => signed::scaled(a, c),
                _ => signed::mul(a, b),
            }
        })
    }
}

impl Shl<usize> for Signed {
    type Output = Self;
    fn shl(self, bits: usize) -> Self {
        self * Self::from(1 << bits)
    }
}

impl Shr<usize> for Signed {
    type Output = Self;
    fn shr(self, bits: usize) -> Self {
        Self(signed::split(self.0, u32::try_from(bits).unwrap())[1])
    }
}

/// Masks with a constant: of all bits, of none or of the lowest.
impl BitAnd for Signed {
    type Output = Self;
    fn bitand(self, mask: Self) -> Self {
        match [self, mask].map(Self::constant) {
            [Some(a), Some(mask)] => (a & mask).into(),
            [_, Some(0)] => mask,
            [_, Some(-1)] => self,
            [_, Some(mask)] if mask & (mask + 1) == 0 => {
                Self(signed::split(self.0, mask.count_ones())[0])
            }
            _ => panic!("not a mask of the lowest bits"),
        }
    }
}

/// Flips no bits or all, which gives `-x - 1`.
impl BitXor for Signed {
    type Output = Self;
    fn bitxor(self, mask: Self) -> Self {
        match [self, mask].map(Self::constant) {
            [Some(a), Some(mask)] => (a ^ mask).into(),
            [_, Some(0)] => self,
            [_, Some(-1)] => -self - Self::from(1),
            _ => panic!("not a mask of all bits"),
        }
    }
}
