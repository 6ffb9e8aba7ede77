//! Lanes of symbols: vectors that record what they compute.

use core::array::from_fn;

use x25519_proofs::{Expression, Kind, Radix, assert_limbs, doubles, input, words};

use crate::{
    field::{BITS, LIMBS, Table},
    lanes::{Doubles, Lanes, MulAdd52, Permute, Quad},
};

/// The composition of an element from limbs.
pub(super) const RADIX: Radix = Radix {
    bits: BITS,
    limbs: LIMBS,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Symbols<const N: usize>([u64; N]);

/// Makes the element that `which` returns in each lane, with limbs within these
/// bounds.
pub(super) fn elements<const N: usize>(
    kind: Kind,
    bounds: [i128; 2],
    which: impl Fn(usize) -> usize,
) -> Table<N> {
    Table(from_fn(|limb| {
        from_fn(|lane| input(kind, bounds, which(lane), limb))
    }))
}

/// Checks that a lane is as expected, with limbs within these bounds.
pub(super) fn assert_lane<const N: usize>(
    element: &Table<N>,
    lane: usize,
    (kind, bounds): (Kind, [i128; 2]),
    expected: &Expression,
) {
    let limbs = element.0.map(|limb| limb[lane]);
    assert_limbs(&limbs, kind, bounds, expected);
}

impl<const N: usize> Symbols<N> {
    fn zip(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self(from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }

    /// Applies an operation to `f`, `g` and `self`, in this order.
    fn zip3(self, f: Self, g: Self, operation: impl Fn(u64, u64, u64) -> u64) -> Self {
        Self(from_fn(|lane| {
            operation(f.0[lane], g.0[lane], self.0[lane])
        }))
    }
}

impl<const N: usize> Lanes<N> for Symbols<N> {
    fn splat(word: u64) -> Self {
        Self([word; N])
    }
    fn load(words: &[u64; N]) -> Self {
        Self(*words)
    }
    fn store(self, words: &mut [u64; N]) {
        *words = self.0;
    }
    fn add(self, other: Self) -> Self {
        self.zip(other, words::add)
    }
    fn sub(self, other: Self) -> Self {
        self.zip(other, words::sub)
    }
    fn and(self, other: Self) -> Self {
        self.zip(other, words::and)
    }
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|word| words::shift_right(word, BITS)))
    }
    fn select(self, ones: Self, zeros: Self) -> Self {
        Self(from_fn(|lane| {
            words::select(self.0[lane], ones.0[lane], zeros.0[lane])
        }))
    }
}

impl<const N: usize> Doubles<N> for Symbols<N> {
    fn plus(self, other: Self) -> Self {
        self.zip(other, doubles::add)
    }
    fn minus(self, other: Self) -> Self {
        self.zip(other, doubles::sub)
    }
    fn mul_add(self, f: Self, g: Self) -> Self {
        self.zip3(f, g, doubles::mul_add)
    }
    fn mul(self, other: Self) -> Self {
        self.zip(other, words::mul_32)
    }
    fn shift_left(self, bits: u32) -> Self {
        Self(self.0.map(|word| words::shift_left(word, bits)))
    }
}

impl<const N: usize> MulAdd52<N> for Symbols<N> {
    fn add_low(self, f: Self, g: Self) -> Self {
        self.zip3(f, g, words::add_low_52)
    }
    fn add_high(self, f: Self, g: Self) -> Self {
        self.zip3(f, g, words::add_high_52)
    }
    fn times_19(self) -> Self {
        Self(self.0.map(|word| words::mul(word, 19)))
    }
}

impl Quad for Symbols<4> {
    fn swap_pairs(self) -> Self {
        Self([1, 0, 3, 2].map(|lane| self.0[lane]))
    }
    fn swap_halves(self) -> Self {
        Self([2, 3, 0, 1].map(|lane| self.0[lane]))
    }
    fn replace<const LANES: i32>(self, other: Self) -> Self {
        Self(from_fn(|lane| match LANES >> lane & 1 {
            1 => other.0[lane],
            _ => self.0[lane],
        }))
    }
}

impl Permute for Symbols<4> {
    fn permuted(self, places: Self) -> Self {
        Self(places.0.map(|lane| self.0[usize::try_from(lane).unwrap()]))
    }
    fn replace_difference(self, lanes: u8, f: Self, g: Self) -> Self {
        Self(from_fn(|lane| match lanes >> lane & 1 {
            1 => words::sub(f.0[lane], g.0[lane]),
            _ => self.0[lane],
        }))
    }
}
