//! Operations on signed integers, of which none may leave its width.

use crate::{
    dyadic::Dyadic,
    program::{Value, example, is_symbol, with},
    range::Range,
    value::as_signed,
    words::integer,
};

/// `a + b`.
pub fn add(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, sum) | (sum, 0) => sum,
        _ => sum(a, b, Dyadic::ONE, example(a).wrapping_add(example(b))),
    }
}

/// `a - b`.
pub fn sub(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => sum(a, b, -Dyadic::ONE, example(a).wrapping_sub(example(b))),
    }
}

fn sum(a: u64, b: u64, sign: Dyadic, example: u64) -> u64 {
    integer(as_signed(a).plus_times(sign, &as_signed(b)), example)
}

/// `a b`.
pub fn mul(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return 0;
    }
    let exact = example(a).wrapping_mul(example(b));
    integer(as_signed(a).times(as_signed(b)), exact)
}

/// The lowest bits, from 0 to 2^bits - 1, and the rest divided by 2^bits: the second is a variable.
pub fn split(word: u64, bits: u32) -> [u64; 2] {
    if !is_symbol(word) {
        let high = word.cast_signed() >> bits;
        return [word & ((1 << bits) - 1), high.cast_unsigned()];
    }
    let known = with(|program| program.splits.get(&(word, bits)).copied());
    known.unwrap_or_else(|| {
        let (whole, of, e) = (as_signed(word), example(word), bits.cast_signed());
        let (low, high) = (of & ((1 << bits) - 1), of.cast_signed() >> bits);
        let range = whole.range.shifted_right(e);
        let rest = Value {
            polynomial: with(|program| program.add_rest(range, Dyadic::integer(high))),
            range,
            ..whole.clone()
        };
        let lowest = Value {
            polynomial: whole.polynomial.minus(&rest.polynomial.scaled(e)),
            range: Range::of_bits(e),
            ..whole
        };
        let split = [integer(lowest, low), integer(rest, high.cast_unsigned())];
        with(|program| program.splits.insert((word, bits), split));
        split
    })
}

/// The least and the most of a word.
pub fn bounds(word: u64) -> [i128; 2] {
    let Range { least, most } = as_signed(word).range;
    [least, most].map(Dyadic::to_integer)
}

/// The word, of which it is shown that it is within so many bits.
pub fn within(word: u64, bits: u32) -> u64 {
    let [least, most] = bounds(word);
    assert!(
        -(1 << (bits - 1)) <= least && most < 1 << (bits - 1),
        "more than {bits} bits: from {least} to {most}"
    );
    word
}
