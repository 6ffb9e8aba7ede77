//! Lanes of 32 and of 16 bits: signed integers, for which symbols may not exceed their
//! width.

use super::{lift, v128, zip};
use crate::{is_symbol, signed};

/// Returns the lowest bits of a constant, sign-extended.
fn wrapped(number: i64, bits: u32) -> u64 {
    (number << (64 - bits) >> (64 - bits)).cast_unsigned()
}

/// Returns a sum, a difference or a product of this width.
fn arithmetic(
    words: [u64; 2],
    bits: u32,
    on_constants: fn(i64, i64) -> i64,
    on_symbols: fn(u64, u64) -> u64,
) -> u64 {
    lift(
        words,
        |words| {
            let [a, b] = words.map(u64::cast_signed);
            wrapped(on_constants(a, b), bits)
        },
        |[a, b]| signed::within(on_symbols(a, b), bits),
    )
}

fn sum(a: u64, b: u64, bits: u32) -> u64 {
    arithmetic([a, b], bits, i64::wrapping_add, signed::add)
}

fn difference(a: u64, b: u64, bits: u32) -> u64 {
    arithmetic([a, b], bits, i64::wrapping_sub, signed::sub)
}

fn product(a: u64, b: u64, bits: u32) -> u64 {
    arithmetic([a, b], bits, i64::wrapping_mul, signed::mul)
}

pub fn i32x4(a: i32, b: i32, c: i32, d: i32) -> v128 {
    v128::of_lanes([a, b, c, d].map(|lane| i64::from(lane).cast_unsigned()))
}

pub fn i32x4_splat(a: i32) -> v128 {
    i32x4(a, a, a, a)
}

pub fn i16x8_splat(a: i16) -> v128 {
    v128::of_lanes([i64::from(a).cast_unsigned(); 8])
}

/// Returns a lane, which must be a constant.
pub fn i32x4_extract_lane<const I: usize>(a: v128) -> i32 {
    let word = a.lanes::<4>()[I];
    assert!(!is_symbol(word), "a symbol as a number");
    word.cast_signed().try_into().unwrap()
}

pub fn i32x4_add(a: v128, b: v128) -> v128 {
    zip::<4>(a, b, |a, b| sum(a, b, 32))
}

pub fn i32x4_mul(a: v128, b: v128) -> v128 {
    zip::<4>(a, b, |a, b| product(a, b, 32))
}

pub fn i16x8_add(a: v128, b: v128) -> v128 {
    zip::<8>(a, b, |a, b| sum(a, b, 16))
}

pub fn i16x8_sub(a: v128, b: v128) -> v128 {
    zip::<8>(a, b, |a, b| difference(a, b, 16))
}

/// Returns products of halves, added in pairs of neighbours.
pub fn i32x4_dot_i16x8(a: v128, b: v128) -> v128 {
    let (a, b) = (a.lanes::<8>(), b.lanes::<8>());
    let product = |half: usize| product(a[half], b[half], 32);
    v128::of_lanes([0, 2, 4, 6].map(|half| sum(product(half), product(half + 1), 32)))
}

/// Shifts to the upper half of each lane; only by 16.
pub fn i32x4_shl(a: v128, bits: u32) -> v128 {
    assert_eq!(bits, 16);
    let mut halves = [0; 8];
    for (lane, word) in a.lanes::<4>().into_iter().enumerate() {
        let narrow = |[a]: [u64; 1]| wrapped(a.cast_signed(), 16);
        halves[2 * lane + 1] = lift([word], narrow, |[a]| signed::within(a, 16));
    }
    v128::of_lanes(halves)
}

pub fn i32x4_shr(a: v128, bits: u32) -> v128 {
    v128::of_lanes(a.lanes::<4>().map(|lane| signed::split(lane, bits)[1]))
}

/// Narrows lanes to 16 bits. Symbols must fit, and constants saturate.
pub fn i16x8_narrow_i32x4(a: v128, b: v128) -> v128 {
    let [a, b] = [a, b].map(v128::lanes::<4>);
    let lanes: [u64; 8] = [a, b].concat().try_into().unwrap();
    v128::of_lanes(lanes.map(|lane| {
        let nearest = |[a]: [u64; 1]| {
            let [least, most] = [i16::MIN, i16::MAX].map(i64::from);
            a.cast_signed().clamp(least, most).cast_unsigned()
        };
        lift([lane], nearest, |[a]| signed::within(a, 16))
    }))
}

pub fn i32x4_extend_low_i16x8(a: v128) -> v128 {
    let [lane0, lane1, lane2, lane3, ..] = a.lanes::<8>();
    v128::of_lanes([lane0, lane1, lane2, lane3])
}
