//! Arithmetic modulo p = 2^255 - 19, on one element per lane: the parts common to every radix.
//!
//! An element is five limbs, limb `i` at bit `51 i`, which each radix represents in its own way:
//! [`Integers51`] as integers, [`Doubles51`] as floating-point numbers. *Carried* limbs are not
//! much larger than 51 bits; all inputs and outputs of kernels are carried. The number 1 is limb 0
//! with zeros in every representation.
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

/// Runs the body for each limb.
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

/// The number of limbs of an element.
pub(crate) const LIMBS: usize = 5;

/// The nominal size of a limb, in bits.
pub(crate) const BITS: u32 = 51;

/// Limbs in registers.
pub(crate) type Limbs<L> = [L; LIMBS];

/// `N` elements in memory, limb by limb, aligned to cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Table<const N: usize>(pub(crate) [[u64; N]; LIMBS]);

impl<const N: usize> Table<N> {
    /// Zero, in every radix.
    pub(crate) const ZERO: Self = Self([[0; N]; LIMBS]);

    /// Sets each lane to the lane of the other whose index differs in this bit.
    pub(crate) fn turn(&mut self, of: &Self, bit: usize) {
        for (limb, of) in self.0.iter_mut().zip(&of.0) {
            for (lane, word) in limb.iter_mut().enumerate() {
                *word = of[lane ^ bit];
            }
        }
    }

    /// Returns elements with the given limb 0 in every lane.
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

/// The operations of a radix on limbs in registers. All limbs are carried unless a method says
/// otherwise.
pub(crate) trait Radix<L: Lanes<N>, const N: usize> {
    /// Limb 0 of the number one.
    const ONE: u64;

    /// Converts from integer limbs of their nominal size.
    fn from_integers(f: Limbs<L>) -> Limbs<L>;
    /// Converts to integer limbs below 2^52.
    fn to_integers(f: Limbs<L>) -> Limbs<L>;
    /// Computes `f + g`.
    fn sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L>;
    /// Computes `f - g`.
    fn difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L>;
    /// Computes `f g`.
    fn product(f: &Table<N>, g: Limbs<L>) -> Limbs<L>;
    /// Computes `f^2`.
    fn squared(f: Limbs<L>) -> Limbs<L>;
    /// Computes `f + A24 e`, not carried: for a product whose other factor is carried.
    fn add_a24(f: Limbs<L>, e: Limbs<L>) -> Limbs<L>;
}

/// The operations of a ladder of many points on columns: sums of parts of products, which are not
/// carried yet.
pub(crate) trait Columns<L: Lanes<N>, const N: usize>: Radix<L, N> {
    /// Computes the columns of `f g`, arranged for many products at once.
    fn product_columns(f: &Table<N>, g: Limbs<L>) -> Limbs<L>;
    /// Computes the columns of `f^2`, arranged for many products at once.
    fn square_columns(f: Limbs<L>) -> Limbs<L>;
    /// Carries columns to limbs.
    fn carried(columns: Limbs<L>) -> Limbs<L>;
    /// Carries the sum `f + g` of columns to limbs.
    #[inline(always)]
    fn carried_sum(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
        Self::carried(sum(f, g))
    }
    /// Carries the difference `f - g` of columns to limbs.
    fn carried_difference(f: Limbs<L>, g: Limbs<L>) -> Limbs<L>;
}

/// Computes `f + g`, not carried.
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

/// Selects `ones` where `mask` is all ones, `zeros` where it is zero.
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

/// Returns the low bits of each lane.
#[inline(always)]
pub(crate) fn low_bits<L: Lanes<N>, const N: usize>(words: L, bits: u32) -> L {
    words.and(L::splat((1 << bits) - 1))
}
