//! Arithmetic modulo p = 2^255 - 19 on two elements at once.
//!
//! Radix 2^25.5: an element is ten limbs, of 26 bits at even places and of 25 at odd ones; limb `i` weighs `2^ceil(25.5 i)`. A product of
//! two odd limbs therefore counts twice, and one that passes limb 9 comes back 19 times.
//!
//! How far limbs may grow, even and odd:
//!
//! | name | even | odd | comes from |
//! |---|---|---|---|
//! | carried | 2^26 | 2^25 + 2^18 | [`carried`], decoding |
//! | sum | 2^27 | 2^26 + 2^19 | two carried |
//! | difference | 1.5 * 2^27 | 1.51 * 2^26 | two carried |
//!
//! Products take differences, and give carried limbs. See [`BOUNDS`].

use core::arch::wasm32::{
    i32x4_add, i32x4_mul, i32x4_shl, i32x4_shuffle, i32x4_sub, i64x2_add, i64x2_shl, u32x4, u32x4_extract_lane,
    u32x4_splat, u64x2_extend_low_u32x4, u64x2_extmul_low_u32x4, u64x2_shr, u64x2_splat, v128, v128_and,
    v128_bitselect,
};

/// How many limbs an element has.
pub(crate) const LIMBS: usize = 10;

/// The element 1.
pub(crate) const ONE: [u32; LIMBS] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// (486662 - 2) / 4, the constant of the ladder (RFC 7748, section 5).
const A24: u32 = 121_665;

/// Two elements. Each vector has limb `i` of both in its first two words of 32 bits; what the others hold does not matter.
#[derive(Clone, Copy)]
pub(crate) struct Pair([v128; LIMBS]);

/// Columns of a product: words of 64 bits.
pub(crate) struct Columns([v128; LIMBS]);

/// How many bits limb `i` has.
pub(crate) const fn bits(i: usize) -> u32 {
    if i.is_multiple_of(2) { 26 } else { 25 }
}

/// Limb `i` of 2p, which a subtraction adds to stay above zero.
const fn two_p(i: usize) -> u32 {
    (2 << bits(i)) - if i == 0 { 38 } else { 2 }
}

/// What the comments rely on.
const BOUNDS: () = {
    let carried = [1_u64 << 26, (1 << 25) + (1 << 18)];
    let difference = [carried[0] + two_p(2) as u64, carried[1] + two_p(1) as u64];
    // A difference does not fall below zero.
    assert!(two_p(0) as u64 >= carried[0] && two_p(1) as u64 >= carried[1]);
    // Factors have 32 bits: limbs, doubled limbs, 19 times and, odd, 38 times a limb.
    assert!(difference[0] < 1 << 31 && 19 * difference[0] < 1 << 32 && 38 * difference[1] < 1 << 32);
    // Column 0 is the largest: one product, four of two even limbs 19 times, five of two odd ones 38 times; carrying adds 2^39 at most.
    let (even, odd) = ((difference[0] as u128).pow(2), (difference[1] as u128).pow(2));
    let column = even + 4 * 19 * even + 5 * 38 * odd + (1 << 39);
    assert!(column < 1 << 64);
    // The last two steps of carrying: 19 carries of column 9 into limb 0, and what that gives limb 1.
    let wrapped = (1 << 26) + 19 * (column >> 25);
    assert!((1 << 25) + (wrapped >> 26) < carried[1] as u128);
};

/// Runs the body for each limb, unrolled: `I` is a constant in it.
macro_rules! each_limb {
    ($i:ident => $body:block) => {
        each_limb!(@ $i $body [0 1 2 3 4 5 6 7 8 9])
    };
    (@ $i:ident $body:block [$($n:literal)*]) => {
        $({ const $i: usize = $n; $body })*
    };
}

/// A pair of these two.
#[target_feature(enable = "simd128")]
pub(crate) fn of([first, second]: [[u32; LIMBS]; 2]) -> Pair {
    let mut limbs = [u32x4_splat(0); LIMBS];
    for (limb, (a, b)) in limbs.iter_mut().zip(first.into_iter().zip(second)) {
        *limb = u32x4(a, b, 0, 0);
    }
    Pair(limbs)
}

impl Pair {
    /// The first element's limbs.
    #[target_feature(enable = "simd128")]
    pub(crate) fn first(&self) -> [u32; LIMBS] {
        let mut limbs = [0; LIMBS];
        each_limb!(I => { limbs[I] = u32x4_extract_lane::<0>(self.0[I]); });
        limbs
    }

    /// Both sums, of carried limbs.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| i32x4_add(a, b))
    }

    /// Both differences, of carried limbs.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let mut h = *self;
        each_limb!(I => { h.0[I] = i32x4_sub(i32x4_add(self.0[I], u32x4_splat(two_p(I))), other.0[I]); });
        h
    }

    /// `self + A24 * e`, of which the second element is not meant: columns below 2^45.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn plus_a24(&self, e: &Self) -> Columns {
        let product = |a, e| i64x2_add(u64x2_extend_low_u32x4(a), u64x2_extmul_low_u32x4(e, u32x4_splat(A24)));
        Columns(self.zip(e, product).0)
    }

    /// The second element, then the first.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn turned(&self) -> Self {
        self.zip(self, |a, _| i32x4_shuffle::<1, 0, 3, 2>(a, a))
    }

    /// Both first elements.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn firsts(&self, other: &Self) -> Self {
        self.zip(other, |a, b| i32x4_shuffle::<0, 4, 1, 5>(a, b))
    }

    /// Both second elements.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn seconds(&self, other: &Self) -> Self {
        self.zip(other, |a, b| i32x4_shuffle::<1, 5, 2, 6>(a, b))
    }

    /// This first element, and the second of `other`.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn blend(&self, other: &Self) -> Self {
        self.zip(other, |a, b| i32x4_shuffle::<0, 5, 2, 7>(a, b))
    }

    /// `ones` if `mask` is all ones, `zeros` if it is zero.
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn select(mask: u32, ones: &Self, zeros: &Self) -> Self {
        let mask = u32x4_splat(mask);
        ones.zip(zeros, |one, zero| v128_bitselect(one, zero, mask))
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    fn zip(&self, other: &Self, operation: impl Fn(v128, v128) -> v128) -> Self {
        let mut h = *self;
        each_limb!(I => { h.0[I] = operation(self.0[I], other.0[I]); });
        h
    }
}

/// Both products.
#[inline(never)]
#[target_feature(enable = "simd128")]
pub(crate) fn product(f: &Pair, g: &Pair) -> Pair {
    const { BOUNDS };
    let (f, g) = (f.0, g.0);
    let mut g19 = g;
    each_limb!(I => { g19[I] = i32x4_mul(g[I], u32x4_splat(19)); });
    let mut h = [u64x2_splat(0); LIMBS];
    each_limb!(I => {
        let twice = i32x4_shl(f[I], 1);
        each_limb!(J => {
            let left = if I % 2 == 1 && J % 2 == 1 { twice } else { f[I] };
            let right = if I + J >= LIMBS { g19[J] } else { g[J] };
            const COLUMN: usize = (I + J) % LIMBS;
            h[COLUMN] = i64x2_add(h[COLUMN], u64x2_extmul_low_u32x4(left, right));
        });
    });
    carried(Columns(h))
}

/// Both squares: each product of two different limbs once and doubled.
#[inline(never)]
#[target_feature(enable = "simd128")]
pub(crate) fn squared(f: &Pair) -> Pair {
    const { BOUNDS };
    let f = f.0;
    let (mut twice, mut f19, mut f38) = (f, f, f);
    each_limb!(I => {
        twice[I] = i32x4_shl(f[I], 1);
        f19[I] = i32x4_mul(f[I], u32x4_splat(19));
        f38[I] = i32x4_shl(f19[I], 1);
    });
    let mut h = [u64x2_splat(0); LIMBS];
    each_limb!(I => {
        each_limb!(J => {
            if J >= I {
                let left = if I < J { twice[I] } else { f[I] };
                let right = match (I + J >= LIMBS, I % 2 == 1 && J % 2 == 1) {
                    (false, false) => f[J],
                    (false, true) => twice[J],
                    (true, false) => f19[J],
                    (true, true) => f38[J],
                };
                const COLUMN: usize = (I + J) % LIMBS;
                h[COLUMN] = i64x2_add(h[COLUMN], u64x2_extmul_low_u32x4(left, right));
            }
        });
    });
    carried(Columns(h))
}

/// Two chains, from limbs 0 and 4, so that one does not wait for the other.
#[inline]
#[target_feature(enable = "simd128")]
pub(crate) fn carried(Columns(mut h): Columns) -> Pair {
    macro_rules! step {
        ($($i:literal)*) => { $( {
            h[$i + 1] = i64x2_add(h[$i + 1], u64x2_shr(h[$i], bits($i)));
            h[$i] = v128_and(h[$i], u64x2_splat((1 << bits($i)) - 1));
        } )* };
    }
    step!(0 4 1 5 2 6 3 7 4 8);
    let carry = u64x2_shr(h[9], bits(9));
    h[9] = v128_and(h[9], u64x2_splat((1 << bits(9)) - 1));
    // 19 times, which has more than 32 bits: 1 + 2 + 16.
    h[0] = i64x2_add(h[0], i64x2_add(carry, i64x2_add(i64x2_shl(carry, 1), i64x2_shl(carry, 4))));
    step!(0);
    each_limb!(I => { h[I] = i32x4_shuffle::<0, 2, 0, 2>(h[I], h[I]); });
    Pair(h)
}
