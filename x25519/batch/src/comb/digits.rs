//! A scalar as 64 digits from -8 to 8, without a branch.

use zeroize::Zeroize;

use crate::ladder::clamped;

pub(crate) const DIGITS: usize = 64;

/// One digit of each lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Digit<const N: usize> {
    /// 0 to 8.
    pub(crate) size: [u64; N],
    /// All ones where it is negative, else zero.
    pub(crate) minus: [u64; N],
}

impl<const N: usize> Digit<N> {
    pub(crate) const ZERO: Self = Self {
        size: [0; N],
        minus: [0; N],
    };
}

impl<const N: usize> Zeroize for Digit<N> {
    fn zeroize(&mut self) {
        self.size.zeroize();
        self.minus.zeroize();
    }
}

/// The digits of at most `N` scalars, the lowest first. Lanes without a scalar are zero.
pub(crate) struct Digits<const N: usize>(pub(crate) [Digit<N>; DIGITS]);

impl<const N: usize> Digits<N> {
    /// Of clamped scalars.
    pub(crate) fn of(scalars: &[[u8; 32]]) -> Self {
        let mut digits = Self([Digit::ZERO; DIGITS]);
        for (lane, scalar) in scalars.iter().enumerate().take(N) {
            digits.fill(lane, &clamped(scalar));
        }
        digits
    }

    /// Half a byte and what the one below carries is 0 to 16. From 8 on it is 16 less, and carries
    /// one. The highest is at most 8 with it, since a clamped scalar is below 2^255, and carries
    /// nothing.
    fn fill(&mut self, lane: usize, scalar: &[u8; 32]) {
        let mut carried = 0;
        for (i, digit) in self.0.iter_mut().enumerate() {
            let half = u64::from(scalar[i / 2] >> (4 * (i % 2)) & 15) + carried;
            carried = if i < DIGITS - 1 { (half + 8) >> 4 } else { 0 };
            let minus = carried.wrapping_neg();
            digit.size[lane] = (half.wrapping_sub(16 * carried) ^ minus).wrapping_sub(minus);
            digit.minus[lane] = minus;
        }
    }
}

impl<const N: usize> Zeroize for Digits<N> {
    fn zeroize(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::samples::Samples;

    /// Digits that are all 0, 7, 8 or 15 before they are carried, and random ones.
    #[test]
    fn digits_make_the_scalar() {
        let mut samples = Samples::new(1);
        let uniform = [0x00, 0x77, 0x78, 0x87, 0x88, 0xff].map(|byte| [byte; 32]);
        let random = core::iter::repeat_with(|| samples.bytes()).take(1000);
        for scalar in uniform.into_iter().chain(random) {
            let digits = Digits::<2>::of(&[scalar]);
            let mut sum = [0_i32; 32];
            for (i, digit) in digits.0.iter().enumerate() {
                assert!(digit.size[0] <= 8 && digit.size[1] == 0);
                let size = i32::try_from(digit.size[0]).unwrap();
                let number = if digit.minus[0] == 0 { size } else { -size };
                sum[i / 2] += number << (4 * (i % 2));
            }
            let mut carried = 0;
            let bytes = sum.map(|byte| {
                carried += byte;
                let low = u8::try_from(carried & 0xff).unwrap();
                carried >>= 8;
                low
            });
            assert_eq!((bytes, carried), (*clamped(&scalar), 0));
        }
    }
}
