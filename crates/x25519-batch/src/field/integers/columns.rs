//! Columns of products: halves of products of limbs.
//!
//! The low half of `f[i] g[j]` belongs to column `i + j`. The high half belongs to the next column,
//! and counts twice there, since limbs have 51 bits and halves 52. Columns 5 to 8 count 19 times in
//! columns 0 to 3, and high halves in column 9 count 38 times in column 4.
//!
//! [`product`] and [`square`] are arranged for low latency of one product: columns that are folded
//! first come first, sums are separate so that none is long, and limb 0 comes last because a carry
//! gives it last. [`product_of_many`] and [`square_of_many`] are arranged for many products at
//! once: high halves, doubled, and low halves added to them, in ten registers, with the fewest
//! instructions. The compiler keeps the order of these lists.

use super::super::Limbs;
use crate::lanes::MulAdd52;

/// The upper bound of the columns of a product or a square. Column 0 is the largest: a low half,
/// and 19 times four low halves and five high ones, twice. Before the multiplication by 19, column
/// 5 is below 2^56.
pub(super) const COLUMN: u128 = (1 + 19 * (4 + 2 * 5)) << 52;

/// Adds halves to columns, in the order of the list: `i j` stands for `f[i] g[j]`.
macro_rules! add {
    (low halves of $f:ident $g:ident to $columns:ident: $($i:literal $j:literal),*) => {
        $($columns[$i + $j] = $columns[$i + $j].add_low($f[$i], $g[$j]);)*
    };
    (high halves of $f:ident $g:ident to $columns:ident: $($i:literal $j:literal),*) => {
        $($columns[$i + $j + 1] = $columns[$i + $j + 1].add_high($f[$i], $g[$j]);)*
    };
}

/// Doubles these columns.
macro_rules! double {
    ($columns:ident: $($k:literal)*) => {
        $($columns[$k] = $columns[$k].add($columns[$k]);)*
    };
}

/// Adds these columns of high halves, doubled, to those of low ones.
macro_rules! join {
    ($low:ident $high:ident: $($k:literal)*) => {
        $($low[$k] = $low[$k].add($high[$k].add($high[$k]));)*
    };
}

/// Computes the columns of `f g`.
#[inline(always)]
#[rustfmt::skip]
pub(crate) fn product<L: MulAdd52<N>, const N: usize>(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
    let (mut low, mut high) = ([L::splat(0); 10], [L::splat(0); 10]);
    add!(high halves of f g to high: 2 2, 2 3, 2 4, 3 4, 4 4);
    add!(low halves of f g to low: 2 3, 2 4, 3 4, 4 4);
    add!(high halves of f g to high: 1 3, 3 2, 3 3, 4 3);
    add!(low halves of f g to low: 3 2, 3 3, 4 3);
    add!(high halves of f g to high: 3 1, 1 4, 4 2);
    add!(low halves of f g to low: 1 4, 4 2);
    add!(high halves of f g to high: 4 1);
    add!(low halves of f g to low: 4 1, 2 2);
    add!(high halves of f g to high: 1 2);
    add!(low halves of f g to low: 1 3);
    add!(high halves of f g to high: 2 1, 0 4);
    add!(low halves of f g to low: 3 1);
    add!(high halves of f g to high: 4 0, 0 3);
    add!(low halves of f g to low: 0 4);
    add!(high halves of f g to high: 3 0);
    add!(low halves of f g to low: 4 0);
    join!(low high: 8 7 6 5 4);
    add!(low halves of f g to low: 1 2, 1 1);
    add!(high halves of f g to high: 1 1);
    add!(low halves of f g to low: 2 1, 0 2, 0 1, 0 0);
    add!(high halves of f g to high: 0 2, 0 1, 0 0);
    add!(low halves of f g to low: 0 3, 2 0, 1 0);
    add!(high halves of f g to high: 2 0, 1 0);
    add!(low halves of f g to low: 3 0);
    join!(low high: 3 2 1);
    folded(low, high[9])
}

/// Computes the columns of `start + f^2`. Products of two different limbs are computed once and
/// doubled.
#[inline(always)]
#[rustfmt::skip]
pub(crate) fn square<L: MulAdd52<N>, const N: usize>(f: Limbs<L>, start: Limbs<L>) -> Limbs<L> {
    let zero = L::splat(0);
    // In `h` some halves count four times, others twice or once.
    let mut h = [zero; 10];
    let [a, b, c, d, e] = start;
    let mut squares = [a, b, c, d, e, zero, zero, zero, zero];
    add!(high halves of f f to h: 1 3, 2 3, 2 4, 3 4, 1 2, 1 4);
    add!(low halves of f f to squares: 4 4, 3 3, 2 2);
    add!(high halves of f f to h: 0 4, 0 3, 0 2, 0 1);
    double!(h: 6 7 8 5 4 3 2);
    add!(low halves of f f to h: 2 4, 3 4, 2 3);
    add!(high halves of f f to h: 4 4, 3 3, 2 2, 1 1);
    add!(low halves of f f to h: 1 4, 1 3, 1 2);
    add!(low halves of f f to squares: 1 1);
    add!(low halves of f f to h: 0 4, 0 3, 0 2, 0 1);
    add!(high halves of f f to h: 0 0);
    add!(low halves of f f to squares: 0 0);
    double!(h: 8 7 6 5 4 3 2 1);
    unrolled!(I in [8 6 4 2 0 1 3] { h[I] = h[I].add(squares[I]); });
    let ninth = h[9];
    folded(h, ninth)
}

/// Computes the columns of `f g`, among other products.
#[inline(always)]
#[rustfmt::skip]
pub(crate) fn product_of_many<L: MulAdd52<N>, const N: usize>(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
    let mut h = [L::splat(0); 10];
    add!(high halves of f g to h: 4 4, 3 4, 2 4, 1 4, 4 3, 3 3, 2 3, 1 3, 4 2, 3 2, 2 2, 4 1, 3 1, 0 4, 4 0);
    add!(high halves of f g to h: 0 3, 0 2, 0 1, 0 0, 1 2, 1 1, 1 0, 2 1, 2 0, 3 0);
    double!(h: 8 7 6 5);
    add!(low halves of f g to h: 4 4, 3 4, 2 4, 1 4, 4 3, 3 3, 2 3, 4 2, 3 2, 4 1);
    double!(h: 4 3 2 1);
    add!(low halves of f g to h: 0 4, 0 3, 0 2, 0 1, 0 0, 1 3, 1 2, 1 1, 1 0, 2 2, 2 1, 2 0, 3 1, 3 0, 4 0);
    let ninth = h[9];
    folded(h, ninth)
}

/// Computes the columns of `f^2`, among other products.
#[inline(always)]
#[rustfmt::skip]
pub(crate) fn square_of_many<L: MulAdd52<N>, const N: usize>(f: Limbs<L>) -> Limbs<L> {
    let mut h = [L::splat(0); 10];
    add!(high halves of f f to h: 3 4, 2 4, 2 3, 1 4, 1 3, 0 4, 1 2, 0 3, 0 2, 0 1);
    double!(h: 8 7 6 5 4 3 2);
    add!(low halves of f f to h: 3 4, 2 4, 1 4, 0 4, 0 3, 0 2, 0 1, 2 3, 1 3, 1 2);
    add!(high halves of f f to h: 4 4, 3 3, 2 2, 1 1, 0 0);
    double!(h: 8 7 6 5 4 3 2 1);
    add!(low halves of f f to h: 4 4, 3 3, 2 2, 1 1, 0 0);
    let ninth = h[9];
    folded(h, ninth)
}

/// Computes the columns of `f g`, where `g` has three limbs.
#[inline(always)]
#[rustfmt::skip]
pub(crate) fn product_of_three<L: MulAdd52<N>, const N: usize>(f: Limbs<L>, g: [L; 3]) -> Limbs<L> {
    let (mut low, mut high) = ([L::splat(0); 10], [L::splat(0); 10]);
    add!(high halves of f g to high: 3 1, 4 1, 4 2);
    add!(low halves of f g to low: 4 1, 4 2);
    add!(high halves of f g to high: 2 2, 3 2);
    add!(low halves of f g to low: 3 2);
    add!(high halves of f g to high: 4 0, 2 1, 1 1);
    add!(low halves of f g to low: 3 1, 2 1, 1 1);
    join!(low high: 7 6 5);
    add!(high halves of f g to high: 1 2, 0 2);
    add!(low halves of f g to low: 2 2, 1 2, 0 2);
    add!(high halves of f g to high: 3 0, 0 1);
    add!(low halves of f g to low: 4 0, 3 0, 0 1);
    add!(high halves of f g to high: 2 0, 1 0, 0 0);
    add!(low halves of f g to low: 2 0, 1 0, 0 0);
    join!(low high: 4 3 2 1);
    let [a, b, c, d, e, beyond @ ..] = low;
    let mut h = [a, b, c, d, e];
    unrolled!(I in [0 1 2] { h[I] = h[I].add(beyond[I].times_19()); });
    h
}

/// Folds columns 5 to 8, and the high halves of column 9, into columns 0 to 4.
#[inline(always)]
fn folded<L: MulAdd52<N>, const N: usize>(columns: [L; 10], ninth: L) -> Limbs<L> {
    let [a, b, c, d, e, beyond @ ..] = columns;
    let mut h = [a, b, c, d, e];
    unrolled!(I in [0 1 2 3] { h[I] = h[I].add(beyond[I].times_19()); });
    h[4] = h[4].add(ninth.add(ninth).times_19());
    h
}
