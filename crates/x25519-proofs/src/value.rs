//! Conversions of a word: to a double, an integer modulo 2^64, one from 0 to 2^64 - 1, a signed
//! one, or a factor. Each panics if the word is not of that kind.

use crate::{
    dyadic::Dyadic,
    polynomial::Polynomial,
    program::{Known, Origin, Value, value, with},
    range::Range,
};

/// Returns the value of a constant. Zero is a multiple of all powers of two.
fn constant(number: Dyadic, is_double: bool) -> Value {
    const ANY: i32 = 1 << 20;
    Value {
        is_double,
        polynomial: Polynomial::constant(number),
        range: Range::only(number),
        grid: if number.is_zero() {
            ANY
        } else {
            number.parts().1
        },
        example: 0,
    }
}

/// Returns the `e` for which all these numbers are from 2^(52 + e) to 2^(53 + e), so that doubles
/// there are multiples of 2^e.
pub(crate) fn binade(range: Range) -> Option<i32> {
    let e = range.least.bits() - 53;
    let is_normal = -1022 <= 52 + e && 53 + e <= 1023;
    let is_one = range.least.sign() > 0 && range.most <= Dyadic::power_of_2(53 + e);
    (is_normal && is_one).then_some(e)
}

/// Returns the difference between the bits of a double `v` in that binade and `v / 2^e`.
fn exponent_bits(e: i32) -> Dyadic {
    Dyadic::integer(1074 + e).scaled(52)
}

pub(crate) fn as_double(word: u64) -> Value {
    let Some(value) = value(word) else {
        return constant(Dyadic::from_double(f64::from_bits(word)), true);
    };
    if value.is_double {
        return value;
    }
    let value = represented(value);
    let field = value.range.shifted_right(52).least;
    let next = field + Dyadic::ONE;
    let is_one = value.range.most <= next.scaled(52);
    let field = i32::try_from(field.to_integer()).unwrap();
    assert!(
        0 < field && field < 0x7fe && is_one,
        "not the bits of doubles of one exponent: {value:?}"
    );
    let e = field - 1075;
    Value {
        is_double: true,
        polynomial: value.polynomial.plus_constant(-exponent_bits(e)).scaled(e),
        range: value.range.moved(-exponent_bits(e)).scaled(e),
        grid: e,
        ..value
    }
}

/// Returns the word as an integer modulo 2^64.
pub(crate) fn as_integer(word: u64) -> Value {
    let Some(value) = value(word) else {
        return constant(Dyadic::integer(word), false);
    };
    if !value.is_double {
        return value;
    }
    let e = binade(value.range).unwrap_or_else(|| panic!("not of one exponent: {value:?}"));
    Value {
        is_double: false,
        polynomial: value.polynomial.scaled(-e).plus_constant(exponent_bits(e)),
        range: value.range.scaled(-e).moved(exponent_bits(e)),
        grid: 0,
        ..value
    }
}

/// Returns the word as an integer from 0 to 2^64 - 1.
pub(crate) fn as_unsigned(word: u64) -> Value {
    represented(as_integer(word))
}

fn represented(value: Value) -> Value {
    let beyond = value.range.least.floor(64);
    let range = value.range.moved(-beyond);
    assert!(
        range.most <= Dyadic::integer(u64::MAX),
        "not in one range of 2^64: {value:?}"
    );
    Value {
        polynomial: value.polynomial.plus_constant(-beyond),
        range,
        ..value
    }
}

/// Returns the word as an integer for operations that do not wrap. Constants have 64 bits.
pub(crate) fn as_signed(word: u64) -> Value {
    let value = value(word).unwrap_or_else(|| constant(Dyadic::integer(word.cast_signed()), false));
    assert!(!value.is_double, "a double where an integer should be");
    value
}

impl Value {
    /// Returns `self + sign * other`, exactly.
    pub(crate) fn plus_times(self, sign: Dyadic, other: &Self) -> Self {
        Self {
            polynomial: self.polynomial.plus_times(sign, &other.polynomial),
            range: self.range.plus(other.range.times(Range::only(sign))),
            grid: self.grid.min(other.grid),
            ..self
        }
    }

    /// Returns `self * other`, exactly, as a product of their names.
    pub(crate) fn times(self, other: Self) -> Self {
        let (f, g) = (named(self), named(other));
        Self {
            polynomial: f.polynomial.times(&g.polynomial),
            range: f.range.times(g.range),
            grid: f.grid + g.grid,
            ..f
        }
    }
}

/// Returns the value as a factor: of degree one in one variable. Other values get a name. Numbers
/// that differ by a power of two have the same name.
fn named(value: Value) -> Value {
    if value.polynomial.has_one_variable() {
        return value;
    }
    let e = value.polynomial.exponent();
    let definition = value.polynomial.scaled(-e);
    let name = with(|program| {
        if let Some(name) = program.names.get(&definition) {
            return *name;
        }
        let name = program.add_variable(Known {
            range: value.range.scaled(-e),
            example: program.example(&definition),
            origin: Origin::Name(definition.clone()),
        });
        program.names.insert(definition, name);
        name
    });
    Value {
        polynomial: Polynomial::variable(name).scaled(e),
        ..value
    }
}
