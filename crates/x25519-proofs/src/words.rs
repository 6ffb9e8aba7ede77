//! Operations on words of 64 bits: integers modulo 2^64, or from 0 to 2^64 - 1 where that makes a
//! difference. The bits of a double are such an integer.

use crate::{
    cases,
    dyadic::Dyadic,
    program::{Value, example, is_symbol, symbol, value, with},
    range::Range,
    value::{as_integer, as_unsigned},
};

/// Returns `a + b` modulo 2^64.
pub fn add(a: u64, b: u64) -> u64 {
    sum(a, b, Dyadic::ONE, example(a).wrapping_add(example(b)))
}

/// Returns `a - b` modulo 2^64.
pub fn sub(a: u64, b: u64) -> u64 {
    sum(a, b, -Dyadic::ONE, example(a).wrapping_sub(example(b)))
}

fn sum(a: u64, b: u64, sign: Dyadic, example: u64) -> u64 {
    integer(as_integer(a).plus_times(sign, &as_integer(b)), example)
}

/// Returns the symbol of an operation's result.
pub(crate) fn integer(value: Value, example: u64) -> u64 {
    with(|program| program.count.integer += 1);
    symbol(Value {
        is_double: false,
        grid: 0,
        example,
        ..value
    })
}

/// Returns `a b` for factors below 2^32.
pub fn mul_32(a: u64, b: u64) -> u64 {
    let exact = example(a).wrapping_mul(example(b));
    integer(product(a, b, 32), exact)
}

/// Returns `a b`, which must be below 2^64.
pub fn mul(a: u64, b: u64) -> u64 {
    let exact = example(a).wrapping_mul(example(b));
    let product = product(a, b, 64);
    assert!(
        product.range.most < Dyadic::power_of_2(64),
        "a product of more than 64 bits"
    );
    integer(product, exact)
}

/// Returns the exact product of factors of at most `bits` bits.
fn product(a: u64, b: u64, bits: i32) -> Value {
    let [a, b] = [a, b].map(as_unsigned);
    let too_large = Dyadic::power_of_2(bits);
    assert!(
        a.range.most < too_large && b.range.most < too_large,
        "a factor of more than {bits} bits"
    );
    a.times(b)
}

/// Returns `a & mask`, for a mask of the lowest bits, of none or of all.
pub fn and(word: u64, mask: u64) -> u64 {
    assert!(!is_symbol(mask), "a mask that is not constant");
    match mask {
        0 => 0,
        u64::MAX => word,
        _ => {
            assert!(mask & (mask + 1) == 0, "not a mask of the lowest bits");
            let low = low_bits(word, mask.count_ones());
            let example = low.example;
            integer(low, example)
        }
    }
}

/// Returns `word | bits`, where they have no bit in common: `bits` is a multiple of a power of two
/// that is above the word.
pub fn or(word: u64, bits: u64) -> u64 {
    assert!(!is_symbol(bits), "bits that are not constant");
    match value(word) {
        _ if bits == 0 => word,
        None => word | bits,
        Some(_) => {
            let above = Dyadic::power_of_2(bits.trailing_zeros().cast_signed());
            assert!(as_unsigned(word).range.most < above, "bits in common");
            add(word, bits)
        }
    }
}

/// Returns `word >> bits`.
pub fn shift_right(word: u64, bits: u32) -> u64 {
    let example = example(word) >> bits;
    let (whole, low) = (as_unsigned(word), low_bits(word, bits));
    let bits = bits.cast_signed();
    let high = Value {
        polynomial: whole.polynomial.minus(&low.polynomial).scaled(-bits),
        range: whole.range.shifted_right(bits),
        ..whole
    };
    integer(high, example)
}

/// Returns `word << bits` modulo 2^64.
pub fn shift_left(word: u64, bits: u32) -> u64 {
    let example = example(word) << bits;
    let (whole, bits) = (as_integer(word), bits.cast_signed());
    let shifted = Value {
        polynomial: whole.polynomial.scaled(bits),
        range: whole.range.scaled(bits),
        ..whole
    };
    integer(shifted, example)
}

/// Returns `ones` if the mask is all ones, `zeros` if it is zero. The mask is a constant.
pub fn select(mask: u64, ones: u64, zeros: u64) -> u64 {
    match mask {
        0 => zeros,
        u64::MAX => ones,
        _ => panic!("a mask that is not known"),
    }
}

/// Returns `a` plus the low 52 bits of `f g`, both factors below 2^52 (AVX-512 IFMA).
pub fn add_low_52(f: u64, g: u64, a: u64) -> u64 {
    let [low, _] = halves(f, g);
    add(a, symbol(low))
}

/// Returns `a` plus the high 52 bits of `f g`, both factors below 2^52 (AVX-512 IFMA).
pub fn add_high_52(f: u64, g: u64, a: u64) -> u64 {
    let [_, high] = halves(f, g);
    add(a, symbol(high))
}

fn halves(f: u64, g: u64) -> [Value; 2] {
    let key = [f.min(g), f.max(g)];
    if let Some(halves) = with(|program| program.halves.get(&key).cloned()) {
        return halves;
    }
    let exact = u128::from(example(f)) * u128::from(example(g));
    let [low, high] = [exact & ((1 << 52) - 1), exact >> 52].map(|half| half.try_into().unwrap());
    let product = product(f, g, 52);
    let low = low_part(
        Value {
            is_double: false,
            grid: 0,
            example: low,
            ..product.clone()
        },
        52,
    );
    let high = Value {
        polynomial: product.polynomial.minus(&low.polynomial).scaled(-52),
        range: product.range.shifted_right(52),
        example: high,
        ..low
    };
    let halves = [low, high];
    with(|program| program.halves.insert(key, halves.clone()));
    halves
}

/// Returns the lowest bits of a word, from 0 to 2^bits - 1.
fn low_bits(word: u64, bits: u32) -> Value {
    let known = with(|program| program.low_bits.get(&(word, bits)).cloned());
    known.unwrap_or_else(|| {
        let example = example(word) & ((1 << bits) - 1);
        let whole = as_unsigned(word);
        let low = low_part(Value { example, ..whole }, bits.cast_signed());
        with(|program| program.low_bits.insert((word, bits), low.clone()));
        low
    })
}

/// Returns the remainder of a nonnegative number modulo 2^bits; the value has the remainder's
/// example already. It is a variable or, if the multiple of 2^bits is known, the number less that.
fn low_part(value: Value, bits: i32) -> Value {
    // A case may have narrowed the bounds.
    let now = with(|program| program.range(&value.polynomial));
    let range = value.range.and(now);
    let [first, last] = [range.least, range.most].map(|end| end.floor(bits));
    let known = match first == last {
        true => Some(first),
        false => cases::take(&value, bits, first, last),
    };
    let Some(first) = known else {
        let range = Range::of_bits(bits);
        let example = Dyadic::integer(value.example);
        return Value {
            polynomial: with(|program| program.add_rest(range, example)),
            range,
            grid: 0,
            ..value
        };
    };
    let block = Range::new(first, first + Dyadic::power_of_2(bits) - Dyadic::ONE);
    Value {
        polynomial: value.polynomial.plus_constant(-first),
        range: range.and(block).moved(-first),
        grid: 0,
        ..value
    }
}

/// Returns the least and the most of a word, as an integer from 0 to 2^64 - 1.
pub fn bounds(word: u64) -> [u64; 2] {
    let Range { least, most } = as_unsigned(word).range;
    [least, most].map(|end| end.to_integer().try_into().unwrap())
}
