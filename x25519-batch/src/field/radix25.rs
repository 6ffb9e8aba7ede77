//! Radix 2^25.5, for products of 32 bits by 32.
//!
//! Ten limbs, of 26 bits at even places and of 25 at odd ones. A product of two odd limbs therefore counts twice, and one that passes limb 9
//! comes back 19 times. How far limbs may grow, even and odd:
//!
//! | name | even | odd | comes from |
//! |---|---|---|---|
//! | carried | 2^26 | 2^25 + 2^18 | `carry`, decoding |
//! | sum | 2^27 | 2^26 + 2^19 | two carried |
//! | difference | 1.5 * 2^27 | 1.51 * 2^26 | two carried |
//!
//! See [`BOUNDS`].

use core::{
    hint::black_box,
    sync::atomic::{Ordering::SeqCst, compiler_fence},
};

use super::{A24, Radix, Table, store, times_19};
use crate::lanes::Lanes;

/// How many limbs an element has.
const LIMBS: usize = 10;

/// `N` elements, limb by limb.
type Element<const N: usize> = Table<N, LIMBS>;

/// Limbs in registers.
type Limbs<L> = [L; LIMBS];

const fn bits(i: usize) -> u32 {
    super::bits(LIMBS, i)
}

const fn two_p(i: usize) -> u64 {
    super::two_p(LIMBS, i)
}

/// The largest limbs, even and odd, as the table above gives them.
const CARRIED: [u64; 2] = [1 << 26, (1 << 25) + (1 << 18)];
const DIFFERENCE: [u64; 2] = [CARRIED[0] + two_p(2), CARRIED[1] + two_p(1)];

/// What the comments rely on.
const BOUNDS: () = {
    // The factors of products have 32 bits: limbs, limbs twice, odd ones four times, limbs 19 times.
    assert!(2 * DIFFERENCE[0] < 1 << 32 && 4 * DIFFERENCE[1] < 1 << 32 && 19 * DIFFERENCE[0] < 1 << 32);
    // Column 0 is the largest: one product, four of two even limbs 19 times, five of two odd ones 38 times; `carry` adds 2^39 at most.
    let (even, odd) = ((DIFFERENCE[0] as u128).pow(2), (DIFFERENCE[1] as u128).pow(2));
    let column = even + 4 * 19 * even + 5 * 38 * odd + (1 << 39);
    assert!(column < 1 << 64);
    // The last two steps of `carry`: 19 carries of column 9 into limb 0, and what that gives limb 1.
    let wrapped = (1 << 26) + 19 * (column >> 25);
    assert!((1 << 25) + (wrapped >> 26) < CARRIED[1] as u128);
    // `add_a24`: what an odd column carries is the most, in limb 0 it counts 19 times.
    let carried = (CARRIED[0] + A24 * DIFFERENCE[0]) >> 25;
    assert!((1 << 26) + 19 * carried < DIFFERENCE[0] && (1 << 25) + carried < DIFFERENCE[1]);
};

/// The bounds of all limbs.
const fn alternating(bounds: [u64; 2]) -> [u64; LIMBS] {
    let [even, odd] = bounds;
    [even, odd, even, odd, even, odd, even, odd, even, odd]
}

macro_rules! each_limb {
    ($i:ident => $body:block) => {
        unrolled!($i in [0 1 2 3 4 5 6 7 8 9] $body)
    };
}

macro_rules! each_even {
    ($i:ident => $body:block) => {
        unrolled!($i in [0 2 4 6 8] $body)
    };
}

pub(crate) struct Radix25;

impl<L: Lanes<N>, const N: usize> Radix<L, N, LIMBS> for Radix25 {
    const CARRIED: [u64; LIMBS] = alternating(CARRIED);
    const DIFFERENCE: [u64; LIMBS] = alternating(DIFFERENCE);

    #[inline(always)]
    fn sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => { h[I] = f[I].add(g[I]); });
        h
    }

    /// `f - g + 2p`.
    #[inline(always)]
    fn difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        let mut h = f;
        each_limb!(I => { h[I] = f[I].add(L::splat(two_p(I))).sub(g[I]); });
        h
    }

    /// The schoolbook: column `k` is the sum of `f[i] g[j]` with `i + j = k`, and 19 times those with `i + j = k + 10`.
    ///
    /// Two rows at a time: ten columns, the factors of the rows and one from memory are what 16 registers hold. The fence between them keeps
    /// the compiler from taking more into registers, which it would have to spill; and `g19` goes through memory because a compiler
    /// that sees both multiplications finds that only the low half of the first counts, drops its mask, and then multiplies in full.
    #[inline(always)]
    fn product(f: &Element<N>, g: &Element<N>) -> Limbs<L> {
        const { BOUNDS };
        let mut g19 = Table::<N, 9>::ZERO;
        each_limb!(I => {
            if I >= 1 {
                L::load(&g.0[I]).mul(L::splat(19)).store(&mut g19.0[I - 1]);
            }
        });
        let (f, g, g19) = (black_box(f), black_box(g), black_box(&g19));
        let mut h = [L::splat(0); LIMBS];
        each_even!(I => {
            compiler_fence(SeqCst);
            let (even, odd) = (L::load(&f.0[I]), L::load(&f.0[I + 1]));
            let odd_twice = odd.add(odd);
            each_limb!(J => {
                let right = L::load(if I + J >= LIMBS { &g19.0[J - 1] } else { &g.0[J] });
                let next = if I + J + 1 == LIMBS { L::load(&g19.0[J - 1]) } else { right };
                let (column, next_column) = ((I + J) % LIMBS, (I + J + 1) % LIMBS);
                h[column] = h[column].add(even.mul(right));
                h[next_column] = h[next_column].add(if J % 2 == 1 { odd_twice } else { odd }.mul(next));
            });
        });
        carry(h)
    }

    /// As [`Radix::product`], with each product of two different limbs once and doubled.
    #[inline(always)]
    fn squared(limbs: Limbs<L>) -> Limbs<L> {
        const { BOUNDS };
        let (mut f, mut f19) = (Table::ZERO, Table::<N, 5>::ZERO);
        store(&mut f, limbs);
        each_limb!(I => {
            if I >= 5 {
                limbs[I].mul(L::splat(19)).store(&mut f19.0[I - 5]);
            }
        });
        let (f, f19) = (black_box(&f), black_box(&f19));
        let mut h = [L::splat(0); LIMBS];
        each_even!(I => {
            compiler_fence(SeqCst);
            let (even, odd) = (L::load(&f.0[I]), L::load(&f.0[I + 1]));
            let (even_twice, odd_twice) = (even.add(even), odd.add(odd));
            let odd_four_times = odd_twice.add(odd_twice);
            each_limb!(J => {
                if J >= I {
                    let right = L::load(if I + J >= LIMBS { &f19.0[J - 5] } else { &f.0[J] });
                    let column = (I + J) % LIMBS;
                    h[column] = h[column].add(if J == I { even } else { even_twice }.mul(right));
                    if J > I {
                        let next = if I + J + 1 == LIMBS { L::load(&f19.0[J - 5]) } else { right };
                        let column = (I + J + 1) % LIMBS;
                        h[column] = h[column].add(if J % 2 == 1 && J > I + 1 { odd_four_times } else { odd_twice }.mul(next));
                    }
                }
            });
        });
        carry(h)
    }

    /// `f + A24 * e`: columns below 2^45, for which one round of carries, all at once, is enough. Limbs are then below those of a difference.
    #[inline(always)]
    fn add_a24(f: Limbs<L>, e: Limbs<L>) -> Limbs<L> {
        let (mut h, mut carries) = (f, f);
        each_limb!(I => {
            let column = f[I].add(e[I].mul(L::splat(A24)));
            carries[I] = column.shift_right::<{ bits(I) }>();
            h[I] = low(column, I);
        });
        h[0] = h[0].add(carries[9].mul(L::splat(19)));
        each_limb!(I => {
            if I > 0 {
                h[I] = h[I].add(carries[I - 1]);
            }
        });
        h
    }
}

/// Two chains, from limbs 0 and 4, so that one does not wait for the other.
#[inline(always)]
fn carry<L: Lanes<N>, const N: usize>(mut h: Limbs<L>) -> Limbs<L> {
    macro_rules! step {
        ($($i:literal)*) => { $( {
            h[$i + 1] = h[$i + 1].add(h[$i].shift_right::<{ bits($i) }>());
            h[$i] = low(h[$i], $i);
        } )* };
    }
    step!(0 4 1 5 2 6 3 7 4 8);
    let carried = h[9].shift_right::<25>();
    h[9] = low(h[9], 9);
    h[0] = h[0].add(times_19(carried));
    step!(0);
    h
}

/// The bits that belong to limb `i`.
#[inline(always)]
fn low<L: Lanes<N>, const N: usize>(column: L, i: usize) -> L {
    column.and(L::splat((1 << bits(i)) - 1))
}
