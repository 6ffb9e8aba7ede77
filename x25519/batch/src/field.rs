//! Arithmetic modulo p = 2^255 - 19, on one element a lane: what is the same in every radix.
//!
//! An element is five limbs, limb `i` at bit `51 i`, which every radix has as it likes: [`Integers51`]
//! as integers, [`Doubles51`] as floating-point numbers. *Carried* limbs are not much larger than
//! their bits; all that kernels take and give is carried, and 1 in every representation is its own
//! limb 0 with zeros.
//!
//! With AVX2 a product of 51 bits by 51 takes three fused multiply-adds; products of 32 bits by 32
//! would take four times as many instructions. There is no back end for AVX-512 without IFMA:
//! doubles with AVX-512 were at most 14 % faster than with AVX2, and only from eight points on.

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
pub(crate) use unrolled;

/// The same for each limb.
macro_rules! each_limb {
    ($i:ident => $body:block) => {
        unrolled!($i in [0 1 2 3 4] $body)
    };
}

pub(crate) mod doubles;
pub(crate) mod integers;
pub(crate) mod kernels;

use zeroize::Zeroize;

pub(crate) use self::{doubles::Doubles51, integers::Integers51};
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

    /// Each lane becomes that lane of the other whose number differs in this bit.
    pub(crate) fn turn(&mut self, of: &Self, bit: usize) {
        for (limb, of) in self.0.iter_mut().zip(&of.0) {
            for (lane, word) in limb.iter_mut().enumerate() {
                *word = of[lane ^ bit];
            }
        }
    }

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

/// What a radix does with limbs in registers. All limbs are carried unless a method says
/// otherwise.
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
    /// `f + A24 e`, not carried: a factor in a product whose other factor is carried.
    fn add_a24(f: Limbs<L>, e: Limbs<L>) -> Limbs<L>;
}

/// What a ladder of many points does with columns: sums of parts of products, which are not carried
/// yet.
pub(crate) trait Columns<L: Lanes<N>, const N: usize>: Radix<L, N> {
    /// The columns of `f g`, arranged for many products at once.
    fn product_columns(f: &Table<N>, g: Limbs<L>) -> Limbs<L>;
    /// The columns of `f^2`, arranged likewise.
    fn square_columns(f: Limbs<L>) -> Limbs<L>;
    /// Columns as carried limbs.
    fn carried(columns: Limbs<L>) -> Limbs<L>;
    /// `f + g` of columns as carried limbs.
    #[inline(always)]
    fn carried_sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        Self::carried(sum(f, g))
    }
    /// `f - g` of columns as carried limbs.
    fn carried_difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L>;
}

/// `f + g`, not carried.
#[inline(always)]
pub(crate) fn sum<L: Lanes<N>, const N: usize>(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
    let mut h = f;
    each_limb!(I => { h[I] = f[I].add(g[I]); });
    h
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

/// `ones` where `mask` has all ones, `zeros` where it is zero.
#[inline(always)]
pub(crate) fn select<L: Lanes<N>, const N: usize>(
    mask: L,
    ones: Limbs<L>,
    zeros: Limbs<L>,
) -> Limbs<L> {
    let mut limbs = ones;
    for (limb, zero) in limbs.iter_mut().zip(zeros) {
        *limb = mask.select(*limb, zero);
    }
    limbs
}

/// The low bits of each lane.
#[inline(always)]
pub(crate) fn low_bits<L: Lanes<N>, const N: usize>(words: L, bits: u32) -> L {
    words.and(L::splat((1 << bits) - 1))
}
