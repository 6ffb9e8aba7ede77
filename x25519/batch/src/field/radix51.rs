//! Radix 2^51, for processors that multiply 52 bits by 52 and add the low or the high 52 bits of
//! the product (AVX-512 IFMA).
//!
//! Five limbs. The high half of a product counts twice in the next column, since limbs have a bit
//! less than halves; what passes limb 4 comes back 19 times. Carried limbs are below 2^51 + 2^12.
//! Factors have 52 bits, so sums and differences are carried too, which they need one round for.
//! See [`BOUNDS`].

use super::{A24, BITS, LIMBS, Limbs, Radix, Table, load, low_bits};
use crate::lanes::MulAdd52;

/// Sums of halves of products: column `k` is at bit `51 k`.
type Columns<L> = [L; 2 * LIMBS];

const CARRIED: u64 = (1 << BITS) + (1 << 12);

/// Limb `i` of 2p, which a subtraction adds to stay above zero.
const fn two_p(i: usize) -> u64 {
    (2 << BITS) - if i == 0 { 38 } else { 2 }
}

/// What the comments rely on.
const BOUNDS: () = {
    // `f - g + 2p` does not fall below zero.
    assert!(CARRIED <= two_p(0));
    // A sum, a difference and `add_a24` are below 2^54 before they are carried, which gives limb 0
    // most.
    assert!(CARRIED + two_p(1) < 1 << 54 && CARRIED + (1 << 52) + 2 * A24 + 38 * A24 < 1 << 54);
    assert!((1 << BITS) + 19 * ((1 << 54) >> BITS) < CARRIED);
    // Column 0 is the largest: a low half, and 19 times four low halves and five high ones, which
    // count twice. Before that multiplication column 5 has those.
    let halves = 1 + 19 * (4 + 2 * 5);
    assert!(halves << 52 < 1_u128 << 64);
    // What it gives limb 1; and what column 4 gives limb 0, which is five low halves, four high
    // ones, and 19 times a high one.
    assert!((1 << BITS) + ((halves << 52) >> BITS) < CARRIED as u128);
    assert!((1 << BITS) + 19 * (((5 + 2 * 4 + 19 * 2) << 52) >> BITS) < CARRIED as u128);
};

macro_rules! each_limb {
    ($i:ident => $body:block) => {
        unrolled!($i in [0 1 2 3 4] $body)
    };
}

pub(crate) struct Radix51;

impl<L: MulAdd52<N>, const N: usize> Radix<L, N> for Radix51 {
    const ONE: u64 = 1;

    #[inline(always)]
    fn from_integers(f: Limbs<L>) -> Limbs<L> {
        f
    }

    #[inline(always)]
    fn to_integers(f: Limbs<L>) -> Limbs<L> {
        f
    }

    #[inline(always)]
    fn sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => { h[I] = f[I].add(g[I]); });
        carry(h)
    }

    #[inline(always)]
    fn difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => { h[I] = f[I].add(L::splat(two_p(I))).sub(g[I]); });
        carry(h)
    }

    #[inline(always)]
    fn product(f: &Table<N>, g: Limbs<L>) -> Limbs<L> {
        let f: Limbs<L> = load(f);
        let (mut low, mut high) = ([L::splat(0); 2 * LIMBS], [L::splat(0); 2 * LIMBS]);
        each_limb!(I => {
            each_limb!(J => {
                low[I + J] = low[I + J].add_low(f[I], g[J]);
                high[I + J + 1] = high[I + J + 1].add_high(f[I], g[J]);
            });
        });
        reduced(low, high)
    }

    /// Each product of two different limbs once and doubled.
    #[inline(always)]
    fn squared(f: Limbs<L>) -> Limbs<L> {
        let (mut low, mut high) = ([L::splat(0); 2 * LIMBS], [L::splat(0); 2 * LIMBS]);
        each_limb!(I => {
            each_limb!(J => {
                if I < J {
                    low[I + J] = low[I + J].add_low(f[I], f[J]);
                    high[I + J + 1] = high[I + J + 1].add_high(f[I], f[J]);
                }
            });
        });
        each_limb!(I => {
            low[2 * I + 1] = twice(low[2 * I + 1]);
            high[2 * I] = twice(high[2 * I]);
            low[2 * I] = twice(low[2 * I]).add_low(f[I], f[I]);
            high[2 * I + 1] = twice(high[2 * I + 1]).add_high(f[I], f[I]);
        });
        reduced(low, high)
    }

    #[inline(always)]
    fn add_a24(f: Limbs<L>, e: Limbs<L>) -> Limbs<L> {
        let (mut h, mut high) = (f, [L::splat(0); LIMBS]);
        each_limb!(I => {
            h[I] = f[I].add_low(e[I], L::splat(A24));
            high[I] = high[I].add_high(e[I], L::splat(A24));
        });
        h[0] = h[0].add_low(high[4], L::splat(38));
        each_limb!(I => {
            if I > 0 {
                h[I] = h[I].add(twice(high[I - 1]));
            }
        });
        carry(h)
    }
}

#[inline(always)]
fn twice<L: MulAdd52<N>, const N: usize>(word: L) -> L {
    word.add(word)
}

/// Columns 5 to 9 come back 19 times.
#[inline(always)]
fn reduced<L: MulAdd52<N>, const N: usize>(low: Columns<L>, high: Columns<L>) -> Limbs<L> {
    let mut h = [L::splat(0); LIMBS];
    each_limb!(I => {
        let beyond = low[I + LIMBS].add(twice(high[I + LIMBS]));
        h[I] = low[I].add(twice(high[I])).add(times_19(beyond));
    });
    carry(h)
}

/// One round, all at once, after which limbs are carried.
#[inline(always)]
fn carry<L: MulAdd52<N>, const N: usize>(h: Limbs<L>) -> Limbs<L> {
    const { BOUNDS };
    let (mut limbs, mut carries) = (h, h);
    each_limb!(I => {
        carries[I] = h[I].shift_right::<BITS>();
        limbs[I] = low_bits(h[I], BITS);
    });
    limbs[0] = limbs[0].add_low(carries[4], L::splat(19));
    each_limb!(I => {
        if I > 0 {
            limbs[I] = limbs[I].add(carries[I - 1]);
        }
    });
    limbs
}

/// Of up to 59 bits, which `Lanes::mul` does not take: 1 + 2 + 16.
#[inline(always)]
fn times_19<L: MulAdd52<N>, const N: usize>(word: L) -> L {
    word.add(word.shift_left(1)).add(word.shift_left(4))
}
