//! The facts that are known of every symbol of a run.
//!
//! A symbol is a word of 64 bits that passes through memory as other words do: a mark, and the
//! index of a [`Value`]. A word without the mark is a constant.

use std::{cell::RefCell, collections::HashMap};

use crate::{
    carries::Carries,
    dyadic::Dyadic,
    polynomial::{NONE, Polynomial, Variable},
    range::Range,
};

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The bits of a double (IEEE 754, binary64).
    Double,
    /// An integer from 0 to 2^64 - 1, or modulo 2^64.
    Unsigned,
    /// An integer for which no operation may exceed its width.
    Signed,
}

/// The facts that are known of a word: it is the double of this polynomial's value, or an integer
/// that is congruent to it modulo 2^64.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) is_double: bool,
    pub(crate) polynomial: Polynomial,
    /// The bounds of the polynomial's value.
    pub(crate) range: Range,
    /// The exponent of a power of two that divides it.
    pub(crate) grid: i32,
    /// The processor's value in this place, for the example of each input.
    pub(crate) example: u64,
}

/// The facts that are known of a variable.
pub(crate) struct Known {
    pub(crate) range: Range,
    pub(crate) origin: Origin,
    pub(crate) example: Dyadic,
}

/// The origin of a variable.
pub(crate) enum Origin {
    /// A limb of an element.
    Input { element: usize, limb: usize },
    /// A name of this polynomial, in products of degree two.
    Name(Polynomial),
    /// The remainder of a rounding or a carry: any number within its range.
    Rest,
    /// A carry: any integer within its range.
    Carry,
}

/// The radix of limbs: limb `i` weighs `2^(bits i)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Radix {
    /// The bits of a limb.
    pub bits: u32,
    /// The number of limbs of a number.
    pub limbs: usize,
}

/// The number of proved operations of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Operations on doubles with an exact result.
    pub exact: usize,
    /// Operations on doubles with one rounding.
    pub rounded: usize,
    /// Operations on integers.
    pub integer: usize,
}

/// A run.
#[derive(Default)]
pub(crate) struct Program {
    values: Vec<Value>,
    /// The variables, of which the first is [`NONE`].
    variables: Vec<Known>,
    pub(crate) radix: Radix,
    pub(crate) count: Count,
    /// The carries of the current case, if carries are distinguished.
    pub(crate) carries: Option<Carries>,
    /// The name of each polynomial that has one.
    pub(crate) names: HashMap<Polynomial, Variable>,
    /// The lowest bits of a word.
    pub(crate) low_bits: HashMap<(u64, u32), Value>,
    /// The low and the high 52 bits of the product of two factors.
    pub(crate) halves: HashMap<[u64; 2], [Value; 2]>,
    /// The lowest bits of a signed number, and the rest.
    pub(crate) splits: HashMap<(Polynomial, u32), [u64; 2]>,
}

thread_local! {
    static PROGRAM: RefCell<Program> = RefCell::default();
}

pub(crate) fn with<T>(use_it: impl FnOnce(&mut Program) -> T) -> T {
    PROGRAM.with_borrow_mut(use_it)
}

/// Begins a run, of elements in this radix. Symbols of former runs are no longer valid.
pub fn begin(radix: Radix) {
    let none = Known {
        range: Range::only(Dyadic::ZERO),
        origin: Origin::Rest,
        example: Dyadic::ZERO,
    };
    with(|program| {
        *program = Program {
            radix,
            ..Program::default()
        };
        assert_eq!(program.add_variable(none), NONE);
    });
}

/// Returns the number of operations of this run that were proved so far.
pub fn count() -> Count {
    with(|program| program.count)
}

impl Program {
    pub(crate) fn add_variable(&mut self, known: Known) -> Variable {
        self.variables.push(known);
        self.variables.len() - 1
    }

    /// Adds a variable for a remainder.
    pub(crate) fn add_rest(&mut self, range: Range, example: Dyadic) -> Polynomial {
        Polynomial::variable(self.add_variable(Known {
            range,
            origin: Origin::Rest,
            example,
        }))
    }

    /// Adds a variable for a carry.
    pub(crate) fn add_carry(&mut self, range: Range, example: Dyadic) -> Polynomial {
        Polynomial::variable(self.add_variable(Known {
            range,
            origin: Origin::Carry,
            example,
        }))
    }

    /// Reports whether it is known to be an integer.
    pub(crate) fn is_whole(&self, variable: Variable) -> bool {
        let origin = &self.variables[variable].origin;
        variable == NONE || matches!(origin, Origin::Input { .. } | Origin::Carry)
    }

    pub(crate) fn variable(&mut self, variable: Variable) -> &mut Known {
        &mut self.variables[variable]
    }

    pub(crate) fn range(&self, polynomial: &Polynomial) -> Range {
        polynomial.range(|variable| self.variables[variable].range)
    }

    pub(crate) fn example(&self, polynomial: &Polynomial) -> Dyadic {
        polynomial.at(|variable| self.variables[variable].example)
    }

    /// Asserts that the example is an example of the value. If carries are distinguished, the
    /// example may be one of another case.
    fn assert_example(&self, value: &Value) {
        let Value { range, grid, .. } = value;
        let number = match value.is_double {
            true => Dyadic::from_double(f64::from_bits(value.example)),
            false => Dyadic::integer(value.example),
        };
        let formal = self.example(&value.polynomial);
        let off = formal - number;
        let is_congruent = !value.is_double && off.is_multiple(64);
        assert!(
            off.is_zero() || is_congruent,
            "the example {number:?} is not {formal:?}"
        );
        assert!(
            formal.is_multiple(*grid) && range.contains(formal),
            "{value:?} does not allow {formal:?}"
        );
    }
}

/// The bits of a signalling NaN that no constant has.
const MARK: u64 = 0x7ff4_51b0 << 32;

/// Returns the symbol of an index: the index in the upper 24 of 32 bits, and a checksum of it
/// below. Arithmetic on a symbol outside of this crate gives no other symbol.
const fn marked(index: u32) -> u64 {
    assert!(index < 1 << 24, "too many symbols");
    MARK | ((index << 8) | (index.wrapping_mul(0x9e37_79b1) >> 24)) as u64
}

/// Reports whether a word is a symbol, and not a constant.
pub const fn is_symbol(word: u64) -> bool {
    word >> 32 == MARK >> 32
}

pub(crate) fn symbol(value: Value) -> u64 {
    with(|program| {
        // Both bounds hold, and both ends are multiples of 2^grid.
        let range = value.range.and(program.range(&value.polynomial));
        let value = Value {
            range: range.inwards(value.grid),
            ..value
        };
        if program.carries.is_none() {
            program.assert_example(&value);
        }
        program.values.push(value);
        marked(u32::try_from(program.values.len() - 1).unwrap())
    })
}

/// Returns the value of a symbol; `None` for a constant.
pub(crate) fn value(word: u64) -> Option<Value> {
    is_symbol(word).then(|| {
        let [.., low3, low2, low1, low0] = word.to_be_bytes();
        let index = u32::from_be_bytes([0, low3, low2, low1]);
        assert_eq!(
            marked(index).to_be_bytes()[7],
            low0,
            "a symbol that was changed"
        );
        with(|program| program.values[index as usize].clone())
    })
}

/// Returns the processor's value in its place.
pub(crate) fn example(word: u64) -> u64 {
    value(word).map_or(word, |value| value.example)
}
