//! Arithmetic modulo p as on paper, in digits to the base 256, with nothing in common with the code
//! under test.

/// A number of 32 digits, below 2^256.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number([u8; 32]);

impl Number {
    pub(super) fn small(number: u32) -> Self {
        Self::from_digits([u64::from(number)].into_iter())
    }

    /// The limbs at their places, limb `i` at bit `51 i`, with 4p: so they may be negative, down to
    /// -2^52.
    pub(super) fn from_limbs(limbs: [i64; 5]) -> Self {
        let mut digits = [0_u64; 40];
        for (i, limb) in limbs.into_iter().enumerate() {
            let (place, four_p) = (51 * i, (1_i128 << 53) - if i == 0 { 76 } else { 4 });
            let shifted = u128::try_from(i128::from(limb) + four_p).unwrap() << (place % 8);
            for (j, digit) in shifted.to_le_bytes().into_iter().enumerate().take(10) {
                digits[place / 8 + j] += u64::from(digit);
            }
        }
        Self::from_digits(digits.into_iter())
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self::from_digits(
            self.0
                .into_iter()
                .zip(other.0)
                .map(|(a, b)| u64::from(a) + u64::from(b)),
        )
    }

    /// 4p has larger digits than any number here.
    pub(super) fn sub(self, other: Self) -> Self {
        let four_p = |i: usize| {
            if i == 0 {
                4 * 0xed
            } else if i == 31 {
                4 * 0x7f
            } else {
                4 * 0xff
            }
        };
        let digits = self.0.into_iter().zip(other.0).enumerate();
        Self::from_digits(digits.map(|(i, (a, b))| u64::from(a) + four_p(i) - u64::from(b)))
    }

    pub(super) fn mul(self, other: Self) -> Self {
        let mut digits = [0; 64];
        for (i, a) in self.0.into_iter().enumerate() {
            for (j, b) in other.0.into_iter().enumerate() {
                digits[i + j] += u64::from(a) * u64::from(b);
            }
        }
        Self::from_digits(digits.into_iter())
    }

    /// Reduces to a number from 0 to p - 1.
    pub(super) fn reduced(self) -> Self {
        let mut digits = self.0;
        for _ in 0..3 {
            let plus_19 = carried(
                core::iter::once(19)
                    .chain([0; 31])
                    .zip(digits)
                    .map(|(a, b)| a + u64::from(b)),
            );
            // Adding 19 passes 2^255 just where the number is p or more; what stays is then the
            // number less p.
            if plus_19.0[31] >= 0x80 || plus_19.1 > 0 {
                digits = plus_19.0;
                digits[31] = (digits[31] & 0x7f) | if plus_19.1 > 0 { 0x80 } else { 0 };
            }
        }
        Self(digits)
    }

    /// Digits of any size: 2^256 is 38.
    fn from_digits(digits: impl Iterator<Item = u64>) -> Self {
        let mut low = [0_u64; 32];
        for (i, digit) in digits.enumerate() {
            // The largest sum is 32 products of digits, 39 times.
            low[i % 32] += if i < 32 { digit } else { 38 * digit };
        }
        loop {
            let (digits, over) = carried(low.into_iter());
            if over == 0 {
                return Self(digits);
            }
            low = digits.map(u64::from);
            low[0] += 38 * over;
        }
    }
}

/// Carries digits to values below 256. Returns the carry of the last, too.
fn carried(digits: impl Iterator<Item = u64>) -> ([u8; 32], u64) {
    let (mut out, mut carry) = ([0; 32], 0);
    for (out, digit) in out.iter_mut().zip(digits) {
        let sum = digit + carry;
        [*out, ..] = sum.to_le_bytes();
        carry = sum >> 8;
    }
    (out, carry)
}
