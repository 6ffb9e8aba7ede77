//! Two lanes of 64 bits: doubles, and integers modulo 2^64.

use super::{lift, v128, zip};
use crate::{doubles, is_symbol, words};

pub const fn f64x2(a: f64, b: f64) -> v128 {
    v128::of_words([a.to_bits(), b.to_bits()])
}

pub const fn i64x2(a: i64, b: i64) -> v128 {
    v128::of_words([a.cast_unsigned(), b.cast_unsigned()])
}

pub const fn i64x2_splat(a: i64) -> v128 {
    i64x2(a, a)
}

/// Returns a lane, which must be a constant.
pub fn f64x2_extract_lane<const I: usize>(a: v128) -> f64 {
    let word = a.lanes::<2>()[I];
    assert!(!is_symbol(word), "a symbol as a number");
    f64::from_bits(word)
}

pub fn f64x2_sub(a: v128, b: v128) -> v128 {
    on_doubles([a, b], |[a, b]| a - b, |[a, b]| doubles::sub(a, b))
}

/// Rounds once: `x25519-simd128` starts the module only if a known answer shows that.
pub fn f64x2_relaxed_madd(a: v128, b: v128, c: v128) -> v128 {
    on_doubles(
        [a, b, c],
        |[a, b, c]| a.mul_add(b, c),
        |[a, b, c]| doubles::mul_add(a, b, c),
    )
}

fn on_doubles<const K: usize>(
    vectors: [v128; K],
    on_numbers: impl Fn([f64; K]) -> f64,
    on_symbols: impl Fn([u64; K]) -> u64,
) -> v128 {
    let lanes = vectors.map(v128::lanes::<2>);
    v128::of_words([0, 1].map(|lane| {
        lift(
            lanes.map(|lanes| lanes[lane]),
            |words| on_numbers(words.map(f64::from_bits)).to_bits(),
            &on_symbols,
        )
    }))
}

pub fn i64x2_add(a: v128, b: v128) -> v128 {
    zip::<2>(a, b, |a, b| {
        lift(
            [a, b],
            |[a, b]| a.wrapping_add(b),
            |[a, b]| words::add(a, b),
        )
    })
}

pub fn i64x2_sub(a: v128, b: v128) -> v128 {
    zip::<2>(a, b, |a, b| {
        lift(
            [a, b],
            |[a, b]| a.wrapping_sub(b),
            |[a, b]| words::sub(a, b),
        )
    })
}

pub fn i64x2_shl(a: v128, bits: u32) -> v128 {
    let shifted = |word| lift([word], |[a]| a << bits, |[a]| words::shift_left(a, bits));
    v128::of_words(a.lanes::<2>().map(shifted))
}

pub fn u64x2_shr(a: v128, bits: u32) -> v128 {
    let shifted = |word| lift([word], |[a]| a >> bits, |[a]| words::shift_right(a, bits));
    v128::of_words(a.lanes::<2>().map(shifted))
}
