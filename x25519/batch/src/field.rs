//! Arithmetic modulo p = 2^255 - 19, on one element a lane: what is the same in every radix.
//!
//! An element is five limbs, limb `i` at bit `51 i`, which every radix has as it likes: [`Radix51`]
//! as integers, [`Doubles51`] as floating-point numbers. *Carried* limbs are not much larger than
//! their bits; all that kernels take and give is carried, and 1 in every representation is its own
//! limb 0 with zeros.

#![allow(
    clippy::absurd_extreme_comparisons,
    reason = "unrolled, a comparison with a constant may have one outcome"
)]

/// Runs the body for each number, unrolled: `I` is a constant in it.
macro_rules! unrolled {
    ($i:ident in [$($n:literal)*] $body:block) => {
        $({ const $i: usize = $n; $body })*
    };
}

pub(crate) mod doubles;
mod radix51;

use core::{hint::black_box, mem::MaybeUninit};

use zeroize::Zeroize;

pub(crate) use self::{doubles::Doubles51, radix51::Radix51};
use crate::lanes::Lanes;

/// How many limbs an element has.
pub(crate) const LIMBS: usize = 5;

/// How many bits a limb has, where it is the only form of its number.
pub(crate) const BITS: u32 = 51;

/// Limbs in registers.
pub(crate) type Limbs<L> = [L; LIMBS];

/// `N` elements in memory, limb by limb, aligned to the line of a cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Table<const N: usize>(pub(crate) [[u64; N]; LIMBS]);

impl<const N: usize> Table<N> {
    /// All zero, in every radix.
    pub(crate) const ZERO: Self = Self([[0; N]; LIMBS]);

    /// Limb 0 as given in every lane.
    pub(crate) const fn small(limb: u64) -> Self {
        let mut element = Self::ZERO;
        element.0[0] = [limb; N];
        element
    }
}

impl<const N: usize> Zeroize for Table<N> {
    fn zeroize(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

/// (486662 - 2) / 4, the constant of the ladder (RFC 7748, section 5).
pub(crate) const A24: u64 = 121_665;

/// What a radix does with limbs in registers. All limbs are carried.
pub(crate) trait Radix<L: Lanes<N>, const N: usize> {
    /// Limb 0 of the number one.
    const ONE: u64;

    /// Of integers with no more than their bits.
    fn from_integers(f: Limbs<L>) -> Limbs<L>;
    /// As integers below 2^52.
    fn to_integers(f: Limbs<L>) -> Limbs<L>;
    /// `f + g`.
    fn sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L>;
    /// `f - g`.
    fn difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L>;
    /// `f g`.
    fn product(f: &Table<N>, g: Limbs<L>) -> Limbs<L>;
    /// `f^2`.
    fn squared(f: Limbs<L>) -> Limbs<L>;
    /// `f + A24 e`.
    fn add_a24(f: Limbs<L>, e: Limbs<L>) -> Limbs<L>;
}

#[inline(always)]
pub(crate) fn load<L: Lanes<N>, const N: usize>(f: &Table<N>) -> Limbs<L> {
    let mut limbs = [L::splat(0); LIMBS];
    for (limb, words) in limbs.iter_mut().zip(&f.0) {
        *limb = L::load(words);
    }
    limbs
}

#[inline(always)]
pub(crate) fn store<L: Lanes<N>, const N: usize>(out: &mut Table<N>, limbs: Limbs<L>) {
    for (limb, words) in limbs.into_iter().zip(&mut out.0) {
        limb.store(words);
    }
}

/// The low bits of each lane.
#[inline(always)]
fn low_bits<L: Lanes<N>, const N: usize>(words: L, bits: u32) -> L {
    words.and(L::splat((1 << bits) - 1))
}

/// Makes the compiler align the stack frame of the function that this is inlined into, and with it
/// the registers that it saves there.
///
/// Without an aligned variable in the function it does not, and such a vector may straddle two
/// pages, which takes twenty cycles more for each store and load: whether one does depends on the
/// address of the stack, that is, on the callers and on the size of the environment
/// (`benches/stack.rs`).
#[inline(always)]
fn align_frame() {
    black_box(MaybeUninit::<Table<1>>::uninit().as_ptr());
}

/// `out = f g`.
#[inline(always)]
pub(crate) fn mul<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
    g: &Table<N>,
) {
    store(out, R::product(f, load(g)));
}

/// `out = f^(2^times)`.
#[inline(always)]
pub(crate) fn squares<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
    times: u32,
) {
    align_frame();
    let mut limbs = load(f);
    for _ in 0..times {
        limbs = R::squared(limbs);
    }
    store(out, limbs);
}

/// `out = (f + g)^2`.
#[inline(always)]
pub(crate) fn square_sum<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
    g: &Table<N>,
) {
    align_frame();
    store(out, R::squared(R::sum(load(f), load(g))));
}

/// `out = (f - g)^2`.
#[inline(always)]
pub(crate) fn square_difference<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
    g: &Table<N>,
) {
    align_frame();
    store(out, R::squared(R::difference(load(f), load(g))));
}

/// `out = f^2` where `mask` is zero, `g^2` where it is all ones.
#[inline(always)]
pub(crate) fn square_either<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    mask: u64,
    f: &Table<N>,
    g: &Table<N>,
) {
    align_frame();
    let mask = L::splat(mask);
    let (f, g) = (load(f), load(g));
    let mut limbs = f;
    for (limb, g) in limbs.iter_mut().zip(g) {
        *limb = mask.select(g, *limb);
    }
    store(out, R::squared(limbs));
}

/// `(plus, minus) = (f + g, f - g)`.
#[inline(always)]
pub(crate) fn sum_and_difference<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    plus: &mut Table<N>,
    minus: &mut Table<N>,
    f: &Table<N>,
    g: &Table<N>,
) {
    align_frame();
    let (f, g) = (load(f), load(g));
    store(plus, R::sum(f, g));
    store(minus, R::difference(f, g));
}

/// `out = e (aa + A24 e)` with `e = aa - bb`: z of twice a point.
#[inline(always)]
pub(crate) fn double_z<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    aa: &Table<N>,
    bb: &Table<N>,
) {
    let aa = load(aa);
    let e = R::difference(aa, load(bb));
    store(out, e);
    let product = R::product(out, R::add_a24(aa, e));
    store(out, product);
}

/// `out = f`, of integers with no more than their bits.
#[inline(always)]
pub(crate) fn from_integers<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::from_integers(load(f)));
}

/// `out = f`, as integers below 2^52.
#[inline(always)]
pub(crate) fn to_integers<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::to_integers(load(f)));
}
