//! Operations on doubles (IEEE 754, binary64, rounding to nearest). Each is exact, or rounds once
//! within one binade, or panics.
//!
//! 1. A multiple of 2^e of at most 2^(53 + e) either way is a double: a result that is one is exact.
//! 2. From 2^(52 + e) to 2^(53 + e) doubles are the multiples of 2^e: a result there is off by at most
//!    2^(e - 1).
//!
//! No operand and no result is subnormal, infinite or NaN.

use crate::{
    dyadic::Dyadic,
    program::{Value, example, symbol, with},
    range::Range,
    value::{as_double, binade},
};

/// Returns `a + b`.
pub fn add(a: u64, b: u64) -> u64 {
    sum(a, b, Dyadic::ONE, number(a) + number(b))
}

/// Returns `a - b`.
pub fn sub(a: u64, b: u64) -> u64 {
    sum(a, b, -Dyadic::ONE, number(a) - number(b))
}

/// Returns `f g + a`, rounded once.
pub fn mul_add(f: u64, g: u64, a: u64) -> u64 {
    let example = number(f).mul_add(number(g), number(a));
    let product = as_double(f).times(as_double(g));
    rounded(as_double(a).plus_times(Dyadic::ONE, &product), example)
}

fn number(word: u64) -> f64 {
    f64::from_bits(example(word))
}

fn sum(a: u64, b: u64, sign: Dyadic, example: f64) -> u64 {
    rounded(as_double(a).plus_times(sign, &as_double(b)), example)
}

/// Returns an exact result as the double that the processor computes. The example is the result of
/// this processor.
fn rounded(exact: Value, example: f64) -> u64 {
    let Value {
        polynomial, grid, ..
    } = exact;
    let range = with(|program| exact.range.and(program.range(&polynomial)));
    let result = |polynomial, range, grid| {
        symbol(Value {
            is_double: true,
            polynomial,
            range,
            grid,
            example: example.to_bits(),
        })
    };
    let is_zero = range.farthest().is_zero();
    assert!(
        is_zero || grid > -1000 && range.farthest() < Dyadic::power_of_2(1000),
        "not an ordinary double"
    );
    if is_zero || range.farthest() <= Dyadic::power_of_2(53 + grid) {
        with(|program| program.count.exact += 1);
        return result(polynomial, range, grid);
    }
    let e = binade(range)
        .unwrap_or_else(|| panic!("neither exact nor of one exponent: {range:?}, grid {grid}"));
    let half = Dyadic::power_of_2(e - 1);
    let rest = with(|program| {
        program.count.rounded += 1;
        let off = program.example(&polynomial) - Dyadic::from_double(example);
        assert!(off.abs() <= half, "off by {off:?}");
        program.add_rest(Range::around_zero(half), off)
    });
    // Rounding keeps the order, so the bounds may be rounded too.
    result(polynomial.minus(&rest), range.outwards(e), e)
}
