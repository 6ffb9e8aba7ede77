//! Keccak-f\[1600\] (FIPS 202) of one, two and four states.
//!
//! The code is generic over a word, which holds one word of one state or the same word of several.
//! Both ML-KEM here and BIKE in pqseal-kem-pq use it. Callers fill and read the states word by
//! word.

use crate::wipe;

/// A state: word (x, y) is at index x + 5 y.
pub type State = [u64; 25];
/// The same word of four states: a vector of four 64-bit numbers.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(pub [u64; 4]);

impl Lanes {
    /// Zero in all four.
    pub const ZERO: Self = Self([0; 4]);
}

/// Four states.
pub type States = [Lanes; 25];

/// The permutation of one back end.
#[derive(Clone, Copy, Debug)]
pub struct Keccak {
    /// Permutes one state.
    pub one: fn(&mut State),
    /// Permutes two states.
    pub two: fn([&mut State; 2]),
    /// Permutes four states.
    pub four: fn(&mut States),
}

/// Overwrites the stack below the caller, where permutations spill words for lack of registers. The
/// words of a last permutation would reveal what was absorbed.
pub fn wipe_stack() {
    wipe::wipe_stack::<4096>();
}

/// A word of one state, or a word of each of several.
pub(crate) trait Word: Copy {
    fn splat(word: u64) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Rotates to the left, by less than 64.
    fn rotate<const LEFT: i32>(self) -> Self;
    /// Computes `self ^ (!b & c)`.
    fn chi(self, b: Self, c: Self) -> Self;

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }
}

/// One word of one state: the definition.
impl Word for u64 {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn rotate<const LEFT: i32>(self) -> Self {
        self.rotate_left(LEFT.unsigned_abs())
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self ^ (!b & c)
    }
}

/// Permutes, two rounds at a time: as many as fit the processor's cache of decoded instructions.
#[inline(always)]
pub(crate) fn permute<W: Word>(mut a: [W; 25]) -> [W; 25] {
    let (pairs, _) = ROUND_CONSTANTS.as_chunks();
    for [even, odd] in pairs {
        a = round(a, *even);
        a = round(a, *odd);
    }
    a
}

/// Computes one round. Only rows are looped over: with constant indices the compiler treats each
/// word as a variable.
#[rustfmt::skip]
#[inline(always)]
fn round<W: Word>(a: [W; 25], constant: u64) -> [W; 25] {
    // Theta adds the columns x - 1 and, rotated, x + 1.
    let (mut sums, mut theta) = ([a[0]; 5], [a[0]; 5]);
    for x in 0..5 {
        sums[x] = a[x].xor3(a[x + 5], a[x + 10]).xor3(a[x + 15], a[x + 20]);
    }
    for x in 0..5 {
        theta[x] = sums[(x + 4) % 5].xor(sums[(x + 1) % 5].rotate::<1>());
    }
    // Rho rotates word (x, y), and pi moves it to (y, 2 x + 3 y).
    macro_rules! rho {
        ($x:literal, $y:literal, $bits:literal) => {
            a[$x + 5 * $y].xor(theta[$x]).rotate::<$bits>()
        };
    }
    let rows = [
        [a[0].xor(theta[0]), rho!(1, 1, 44), rho!(2, 2, 43), rho!(3, 3, 21), rho!(4, 4, 14)],
        [rho!(3, 0, 28), rho!(4, 1, 20), rho!(0, 2, 3), rho!(1, 3, 45), rho!(2, 4, 61)],
        [rho!(1, 0, 1), rho!(2, 1, 6), rho!(3, 2, 25), rho!(4, 3, 8), rho!(0, 4, 18)],
        [rho!(4, 0, 27), rho!(0, 1, 36), rho!(1, 2, 10), rho!(2, 3, 15), rho!(3, 4, 56)],
        [rho!(2, 0, 62), rho!(3, 1, 55), rho!(4, 2, 39), rho!(0, 3, 41), rho!(1, 4, 2)],
    ];
    let mut out = a;
    for (y, row) in rows.iter().enumerate() {
        for x in 0..5 {
            out[x + 5 * y] = row[x].chi(row[(x + 1) % 5], row[(x + 2) % 5]);
        }
    }
    out[0] = out[0].xor(W::splat(constant));
    out
}

/// The constants of iota: bit 2^j - 1 of the constant of round i is bit 7 i + j of a shift register
/// (algorithm 5).
static ROUND_CONSTANTS: [u64; 24] = {
    let (mut constants, mut register, mut i) = ([0; 24], 1_u32, 0);
    while i < 7 * 24 {
        constants[i / 7] |= ((register & 1) as u64) << ((1 << (i % 7)) - 1);
        register <<= 1;
        // x^8 + x^6 + x^5 + x^4 + 1.
        register ^= (register >> 8) * 0x171;
        i += 1;
    }
    constants
};
