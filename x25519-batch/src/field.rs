//! Arithmetic modulo p = 2^255 - 19, on one element a lane: what is the same in every radix.
//!
//! An element is `M` limbs, limb `i` at bit `ceil(255 i / M)`: [`Radix25`] has ten, [`Radix51`] five. How far limbs may grow has two names:
//!
//! - *carried* limbs are a little larger than their bits. They come from kernels and from decoding;
//! - *differences* are what a radix allows `difference` and `sum` of carried limbs to give.
//!
//! Products take differences, sums and differences take carried limbs.

#![allow(clippy::absurd_extreme_comparisons, reason = "unrolled, a comparison with a constant may have one outcome")]

/// Runs the body for each number, unrolled: `I` is a constant in it.
macro_rules! unrolled {
    ($i:ident in [$($n:literal)*] $body:block) => {
        $({ const $i: usize = $n; $body })*
    };
}

mod radix25;
mod radix51;

use zeroize::Zeroize;

pub(crate) use self::{radix25::Radix25, radix51::Radix51};
use crate::lanes::Lanes;

/// `M` vectors in memory, aligned to the line of a cache. An element is one: a vector holds one limb of each of `N` elements.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Table<const N: usize, const M: usize>(pub(crate) [[u64; N]; M]);

impl<const N: usize, const M: usize> Table<N, M> {
    /// All zero.
    pub(crate) const ZERO: Self = Self([[0; N]; M]);

    /// The number one in every lane.
    pub(crate) const ONE: Self = {
        let mut one = Self::ZERO;
        one.0[0] = [1; N];
        one
    };
}

impl<const N: usize, const M: usize> Zeroize for Table<N, M> {
    fn zeroize(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

/// The place of limb `i` of `limbs` in the number, in bits.
pub(crate) const fn place(limbs: usize, i: usize) -> usize {
    (255 * i).div_ceil(limbs)
}

/// How many bits limb `i` of `limbs` has.
#[allow(clippy::cast_possible_truncation, reason = "a few dozen")]
pub(crate) const fn bits(limbs: usize, i: usize) -> u32 {
    (place(limbs, i + 1) - place(limbs, i)) as u32
}

/// Limb `i` of 2p, which a subtraction adds to stay above zero.
const fn two_p(limbs: usize, i: usize) -> u64 {
    (2 << bits(limbs, i)) - if i == 0 { 38 } else { 2 }
}

/// (486662 - 2) / 4, the constant of the ladder (RFC 7748, section 5).
const A24: u64 = 121_665;

/// What a radix does with limbs in registers.
pub(crate) trait Radix<L: Lanes<N>, const N: usize, const M: usize> {
    /// The largest limbs that are called carried.
    const CARRIED: [u64; M];
    /// The largest limbs that are called differences.
    const DIFFERENCE: [u64; M];
    /// `f - g + 2p` does not fall below zero, and what is carried is a difference too.
    const TWO_P_IS_ENOUGH: () = {
        let mut i = 0;
        while i < M {
            assert!(Self::CARRIED[i] <= two_p(M, i) && Self::CARRIED[i] <= Self::DIFFERENCE[i]);
            i += 1;
        }
    };

    /// `f + g` of carried limbs: a difference.
    fn sum(f: [L; M], g: [L; M]) -> [L; M];
    /// `f - g` of carried limbs: a difference.
    fn difference(f: [L; M], g: [L; M]) -> [L; M];
    /// `f g` of differences, carried.
    fn product(f: &Table<N, M>, g: &Table<N, M>) -> [L; M];
    /// `f^2` of a difference, carried.
    fn squared(f: [L; M]) -> [L; M];
    /// `f + A24 e` of carried limbs and a difference: a difference.
    fn add_a24(f: [L; M], e: [L; M]) -> [L; M];
}

#[inline(always)]
fn load<L: Lanes<N>, const N: usize, const M: usize>(f: &Table<N, M>) -> [L; M] {
    let mut limbs = [L::splat(0); M];
    for (limb, words) in limbs.iter_mut().zip(&f.0) {
        *limb = L::load(words);
    }
    limbs
}

#[inline(always)]
fn store<L: Lanes<N>, const N: usize, const M: usize>(out: &mut Table<N, M>, limbs: [L; M]) {
    for (limb, words) in limbs.into_iter().zip(&mut out.0) {
        limb.store(words);
    }
}

/// Of up to 59 bits, which `Lanes::mul` does not take: 1 + 2 + 16.
#[inline(always)]
fn times_19<L: Lanes<N>, const N: usize>(word: L) -> L {
    word.add(word.shift_left::<1>()).add(word.shift_left::<4>())
}

/// `out = f g`.
#[inline(always)]
pub(crate) fn mul<R: Radix<L, N, M>, L: Lanes<N>, const N: usize, const M: usize>(
    out: &mut Table<N, M>,
    f: &Table<N, M>,
    g: &Table<N, M>,
) {
    store(out, R::product(f, g));
}

/// `out = f^(2^times)`.
#[inline(always)]
pub(crate) fn squares<R: Radix<L, N, M>, L: Lanes<N>, const N: usize, const M: usize>(
    out: &mut Table<N, M>,
    f: &Table<N, M>,
    times: u32,
) {
    let mut limbs = load(f);
    for _ in 0..times {
        limbs = R::squared(limbs);
    }
    store(out, limbs);
}

/// `out = (f + g)^2`.
#[inline(always)]
pub(crate) fn square_sum<R: Radix<L, N, M>, L: Lanes<N>, const N: usize, const M: usize>(
    out: &mut Table<N, M>,
    f: &Table<N, M>,
    g: &Table<N, M>,
) {
    store(out, R::squared(R::sum(load(f), load(g))));
}

/// `out = (f - g)^2`.
#[inline(always)]
pub(crate) fn square_difference<R: Radix<L, N, M>, L: Lanes<N>, const N: usize, const M: usize>(
    out: &mut Table<N, M>,
    f: &Table<N, M>,
    g: &Table<N, M>,
) {
    store(out, R::squared(R::difference(load(f), load(g))));
}

/// `out = f^2` where `mask` is zero, `g^2` where it is all ones.
#[inline(always)]
pub(crate) fn square_either<R: Radix<L, N, M>, L: Lanes<N>, const N: usize, const M: usize>(
    out: &mut Table<N, M>,
    mask: u64,
    f: &Table<N, M>,
    g: &Table<N, M>,
) {
    let mask = L::splat(mask);
    let (f, g) = (load(f), load(g));
    let mut limbs = f;
    for (limb, g) in limbs.iter_mut().zip(g) {
        *limb = mask.select(g, *limb);
    }
    store(out, R::squared(limbs));
}

/// `(plus, minus) = (f + g, f - g)`, differences.
#[inline(always)]
pub(crate) fn sum_and_difference<R: Radix<L, N, M>, L: Lanes<N>, const N: usize, const M: usize>(
    plus: &mut Table<N, M>,
    minus: &mut Table<N, M>,
    f: &Table<N, M>,
    g: &Table<N, M>,
) {
    const { R::TWO_P_IS_ENOUGH };
    let (f, g) = (load(f), load(g));
    store(plus, R::sum(f, g));
    store(minus, R::difference(f, g));
}

/// `out = e (aa + A24 e)` with `e = aa - bb`: z of twice a point.
#[inline(always)]
pub(crate) fn double_z<R: Radix<L, N, M>, L: Lanes<N>, const N: usize, const M: usize>(
    out: &mut Table<N, M>,
    aa: &Table<N, M>,
    bb: &Table<N, M>,
) {
    let aa = load(aa);
    let e = R::difference(aa, load(bb));
    let (mut left, mut right) = (Table::ZERO, Table::ZERO);
    store(&mut left, e);
    store(&mut right, R::add_a24(aa, e));
    store(out, R::product(&left, &right));
}
