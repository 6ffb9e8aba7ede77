//! Bitwise operations, where at most one operand is a symbol in each place.

use super::{HALVES, Half, constant, halves_of, read, v128};
use crate::{signed, words};

pub fn v128_and(a: v128, b: v128) -> v128 {
    each_unit(a, b, |a, b| a & b, and)
}

/// Returns `a` without the bits of `b`, which is constant.
pub fn v128_andnot(a: v128, b: v128) -> v128 {
    v128_and(
        a,
        v128(b.0.map(|half| match half {
            Half::Constant(bits) => Half::Constant(!bits),
            Half::Part { .. } => panic!("bits that are not constant"),
        })),
    )
}

pub fn v128_or(a: v128, b: v128) -> v128 {
    each_unit(
        a,
        b,
        |a, b| a | b,
        |symbol, bits, of| match (bits, of) {
            (0, _) => symbol,
            (_, 4) => words::or(symbol, bits),
            _ => panic!("bits of a narrow lane"),
        },
    )
}

pub fn v128_xor(a: v128, b: v128) -> v128 {
    each_unit(
        a,
        b,
        |a, b| a ^ b,
        |symbol, bits, _| {
            assert_eq!(bits, 0, "bits of a symbol are exchanged");
            symbol
        },
    )
}

/// Returns all bits of a symbol, none, or the lowest.
fn and(symbol: u64, mask: u64, of: usize) -> u64 {
    match (mask, of) {
        (0, _) => 0,
        (u64::MAX, _) => symbol,
        (_, 4) => words::and(symbol, mask),
        _ => {
            assert!(mask & (mask + 1) == 0, "not a mask of the lowest bits");
            signed::split(symbol, mask.count_ones())[0]
        }
    }
}

/// Combines constant halves by `on_constants`, and whole symbols by `on_symbol`, which gets the
/// symbol, the sign-extended constant in its place, and the number of halves.
fn each_unit(
    a: v128,
    b: v128,
    on_constants: fn(u16, u16) -> u16,
    on_symbol: impl Fn(u64, u64, usize) -> u64,
) -> v128 {
    let (mut out, mut place) = ([super::ZERO; HALVES], 0);
    while place < HALVES {
        let (symbols, constants, of) = match (a.0[place], b.0[place]) {
            (Half::Constant(a), Half::Constant(b)) => {
                out[place] = Half::Constant(on_constants(a, b));
                place += 1;
                continue;
            }
            (Half::Part { index: 0, of, .. }, _) => (a, b, of),
            (_, Half::Part { index: 0, of, .. }) => (b, a, of),
            halves => panic!("not a whole symbol: {halves:?}"),
        };
        let unit = place..place + of;
        let symbol = read(&symbols.0[unit.clone()]);
        let result = on_symbol(symbol, constant(&constants.0[unit.clone()]), of);
        let halves = match of {
            1 => halves_of::<1>(result).to_vec(),
            2 => halves_of::<2>(result).to_vec(),
            _ => halves_of::<4>(result).to_vec(),
        };
        out[unit].copy_from_slice(&halves);
        place += of;
    }
    v128(out)
}
