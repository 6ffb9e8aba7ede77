//! Operations on signed integers, of which none may exceed its width.

use crate::{
    cases,
    dyadic::Dyadic,
    polynomial::Polynomial,
    program::{Value, example, is_symbol, with},
    range::Range,
    value::as_signed,
    words::integer,
};

/// Returns `a + b`.
pub fn add(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, sum) | (sum, 0) => sum,
        _ => sum(a, b, Dyadic::ONE, example(a).wrapping_add(example(b))),
    }
}

/// Returns `a - b`.
pub fn sub(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => sum(a, b, -Dyadic::ONE, example(a).wrapping_sub(example(b))),
    }
}

fn sum(a: u64, b: u64, sign: Dyadic, example: u64) -> u64 {
    integer(as_signed(a).plus_times(sign, &as_signed(b)), example)
}

/// Returns `a b`.
pub fn mul(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return 0;
    }
    let exact = example(a).wrapping_mul(example(b));
    integer(as_signed(a).times(as_signed(b)), exact)
}

/// Returns `a c` for a constant `c`. The result stays a sum, unlike a product of two words, whose
/// factors get names that are resolved where limbs are asserted.
pub fn scaled(a: u64, c: i64) -> u64 {
    let (whole, factor) = (as_signed(a), Dyadic::integer(c));
    let value = Value {
        polynomial: Polynomial::constant(Dyadic::ZERO).plus_times(factor, &whole.polynomial),
        range: whole.range.times(Range::only(factor)),
        ..whole
    };
    word(value, example(a).wrapping_mul(c.cast_unsigned()))
}

/// Returns a symbol, or a constant if the number is known.
fn word(value: Value, example: u64) -> u64 {
    let Some(constant) = value.polynomial.as_constant() else {
        return integer(value, example);
    };
    let constant = i64::try_from(constant.to_integer()).expect("64 bits");
    assert!(
        !is_symbol(constant.cast_unsigned()),
        "a constant like a symbol"
    );
    constant.cast_unsigned()
}

/// Returns the lowest bits, from 0 to 2^bits - 1, and the rest divided by 2^bits, which is a
/// variable if nothing is known of it.
pub fn split(number: u64, bits: u32) -> [u64; 2] {
    if !is_symbol(number) {
        let high = number.cast_signed() >> bits;
        return [number & ((1 << bits) - 1), high.cast_unsigned()];
    }
    let whole = as_signed(number);
    let key = (whole.polynomial.clone(), bits);
    let known = with(|program| program.splits.get(&key).copied());
    known.unwrap_or_else(|| {
        let of = example(number);
        let examples = [
            of & ((1 << bits) - 1),
            (of.cast_signed() >> bits).cast_unsigned(),
        ];
        let high = high_part(&whole, bits.cast_signed(), examples[1].cast_signed());
        let low = low_part(whole, &high, bits.cast_signed());
        let split = [word(low, examples[0]), word(high, examples[1])];
        with(|program| program.splits.insert(key, split));
        split
    })
}

/// Returns the part above the lowest bits. Terms that are multiples of 2^bits belong to it. The
/// rest is carried: as a constant if its bounds allow only one or if carries are distinguished,
/// otherwise as one variable.
fn high_part(whole: &Value, bits: i32, example: i64) -> Value {
    let range = whole.range.shifted_right(bits);
    let (multiples, now) = with(|program| {
        let polynomial = whole.polynomial.clone();
        let [multiples, rest] = polynomial.multiples(bits, |variable| program.is_whole(variable));
        let now = program.range(&rest);
        (multiples, now)
    });
    let [first, last] = [now.least, now.most].map(|end| end.floor(bits));
    let carried = match first == last {
        true => Some(first),
        false if multiples.is_zero() => cases::take(whole, bits, first, last),
        false => None,
    };
    let polynomial = match carried {
        Some(carried) => multiples.plus_constant(carried).scaled(-bits),
        None => with(|program| program.add_carry(range, Dyadic::integer(example))),
    };
    Value {
        polynomial,
        range,
        ..whole.clone()
    }
}

fn low_part(whole: Value, high: &Value, bits: i32) -> Value {
    let polynomial = whole.polynomial.minus(&high.polynomial.scaled(bits));
    let range = Range::of_bits(bits);
    Value {
        polynomial,
        range,
        ..whole
    }
}

/// Returns the least and the most of a word.
pub fn bounds(word: u64) -> [i128; 2] {
    let Range { least, most } = as_signed(word).range;
    [least, most].map(Dyadic::to_integer)
}

/// Returns the word, after proving that it fits in this many bits.
pub fn within(word: u64, bits: u32) -> u64 {
    let [least, most] = bounds(word);
    assert!(
        -(1 << (bits - 1)) <= least && most < 1 << (bits - 1),
        "more than {bits} bits: from {least} to {most}"
    );
    word
}
