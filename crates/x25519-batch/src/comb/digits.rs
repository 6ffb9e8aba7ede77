//! A scalar as 64 digits from -8 to 8, computed without a branch.

use zeroize::Zeroize;

use super::table::{LANES, POSITIONS};
use crate::ladder::clamped;

pub(crate) const DIGITS: usize = 64;

/// One digit of each lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Digit<const N: usize> {
    /// The size, 0 to 8.
    pub(crate) size: [u64; N],
    /// All ones if it is negative, otherwise zero.
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
    /// Computes the digits of clamped scalars.
    pub(crate) fn of(scalars: &[[u8; 32]]) -> Self {
        let mut digits = Self([Digit::ZERO; DIGITS]);
        for (lane, scalar) in scalars.iter().enumerate().take(N) {
            each_digit(scalar, |i, size, minus| {
                digits.0[i].size[lane] = size;
                digits.0[i].minus[lane] = minus;
            });
        }
        digits
    }
}

impl<const N: usize> Zeroize for Digits<N> {
    fn zeroize(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// The digits of one scalar in the order of a table's rows: those at even places, and those at odd
/// ones. They are written in advance, since loading a vector soon after its words were stored waits
/// until all of them reach the cache.
pub(crate) struct RowDigits(pub(crate) [[Digit<LANES>; POSITIONS / LANES]; 2]);

impl RowDigits {
    /// Computes the digits of the clamped scalar.
    pub(crate) fn of(scalar: &[u8; 32]) -> Self {
        let mut digits = Self([[Digit::ZERO; POSITIONS / LANES]; 2]);
        each_digit(scalar, |i, size, minus| {
            let digit = &mut digits.0[i % 2][i / 2 / LANES];
            digit.size[i / 2 % LANES] = size;
            digit.minus[i / 2 % LANES] = minus;
        });
        digits
    }
}

impl Zeroize for RowDigits {
    fn zeroize(&mut self) {
        self.0
            .as_flattened_mut()
            .iter_mut()
            .for_each(Zeroize::zeroize);
    }
}

/// Calls `take` with each place, from the lowest, and the size and sign of the digit of the clamped
/// scalar.
///
/// Half a byte plus the carry from below is 0 to 16. From 8 on, 16 is subtracted and one is
/// carried. The highest is at most 8 with its carry, since a clamped scalar is below 2^255, and
/// carries nothing.
fn each_digit(scalar: &[u8; 32], mut take: impl FnMut(usize, u64, u64)) {
    let scalar = clamped(scalar);
    let mut carried = 0;
    for i in 0..DIGITS {
        let half = u64::from(scalar[i / 2] >> (4 * (i % 2)) & 15) + carried;
        carried = if i < DIGITS - 1 { (half + 8) >> 4 } else { 0 };
        let minus = carried.wrapping_neg();
        take(
            i,
            (half.wrapping_sub(16 * carried) ^ minus).wrapping_sub(minus),
            minus,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::samples::Samples;

    /// Tests digits that are all 0, 7, 8 or 15 before carries, and random ones.
    #[test]
    fn digits_make_the_scalar() {
        let mut samples = Samples::new(1);
        let uniform = [0x00, 0x77, 0x78, 0x87, 0x88, 0xff].map(|byte| [byte; 32]);
        let random = core::iter::repeat_with(|| samples.bytes()).take(1000);
        for scalar in uniform.into_iter().chain(random) {
            let digits = Digits::<2>::of(&[scalar]);
            let rows = RowDigits::of(&scalar);
            let mut sum = [0_i32; 32];
            for (i, digit) in digits.0.iter().enumerate() {
                assert!(digit.size[0] <= 8 && digit.size[1] == 0);
                let of_row = &rows.0[i % 2][i / 8];
                assert_eq!(of_row.size[i / 2 % 4], digit.size[0]);
                assert_eq!(of_row.minus[i / 2 % 4], digit.minus[0]);
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
