//! The statement of a theorem: inputs within bounds, and the values of outputs.

use std::cell::Cell;

use crate::{
    dyadic::Dyadic,
    expression::Expression,
    limbs::expression,
    polynomial::Polynomial,
    program::{Kind, Known, Origin, Value, count, symbol, with},
    random::random_word,
    range::Range,
    value::{as_double, as_signed, as_unsigned},
};

/// Creates a limb of an element: any integer from `least` to `most`. The example is one of both
/// ends, or between them.
pub fn input(kind: Kind, [least, most]: [i128; 2], element: usize, limb: usize) -> u64 {
    let number = match random() {
        word if word % 8 == 0 => least,
        word if word % 8 == 1 => most,
        word => least + i128::from(word) % (most - least + 1),
    };
    let range = Range::new(Dyadic::integer(least), Dyadic::integer(most));
    let variable = with(|program| {
        program.add_variable(Known {
            range,
            origin: Origin::Input { element, limb },
            example: Dyadic::integer(number),
        })
    });
    #[expect(
        clippy::cast_precision_loss,
        reason = "if it is lost, the example is not of the value, which panics"
    )]
    let example = match kind {
        Kind::Double => (number as f64).to_bits(),
        Kind::Unsigned => u64::try_from(number).expect("an input without a sign"),
        Kind::Signed => i64::try_from(number).expect("64 bits").cast_unsigned(),
    };
    symbol(Value {
        is_double: kind == Kind::Double,
        polynomial: Polynomial::variable(variable),
        range,
        grid: 0,
        example,
    })
}

/// Returns a random word, from a separate state in each thread.
fn random() -> u64 {
    thread_local!(static STATE: Cell<u64> = const { Cell::new(0) });
    let mut state = STATE.get();
    let word = random_word(&mut state);
    STATE.set(state);
    word
}

/// Asserts that each of these words is an integer from `least` to `most`, and that they are the
/// limbs of a number that is `expected` modulo p.
pub fn assert_limbs(limbs: &[u64], kind: Kind, bounds: [i128; 2], expected: &Expression) {
    assert_eq!(limbs.len(), with(|program| program.radix.limbs));
    let limbs: Vec<_> = limbs.iter().map(|limb| whole(*limb, kind)).collect();
    let [least, most] = bounds.map(Dyadic::integer);
    for limb in &limbs {
        let range = limb.range;
        assert!(range.is_within(least, most), "out of bounds: {range:?}");
    }
    assert_eq!(
        expression(limbs.iter().map(|limb| &limb.polynomial)),
        *expected
    );
    let largest = limbs.iter().map(|limb| limb.range.farthest()).max();
    let largest = largest.unwrap().floor(0).to_integer();
    println!("{:?}; the largest limb is {largest}", count());
}

/// Asserts that both lists of signed limbs are of the same integer, not only modulo p. Limb `i`
/// weighs `2^(bits i)`.
pub fn assert_same_integer(limbs: &[u64], others: &[u64], bits: u32) {
    let zero = Polynomial::constant(Dyadic::ZERO);
    let limb = |limbs: &[u64], i: usize| {
        limbs
            .get(i)
            .map_or(zero.clone(), |limb| as_signed(*limb).polynomial)
    };
    let bits = bits.cast_signed();
    // The difference is carried from the lowest limb upwards.
    let difference = (0..limbs.len().max(others.len())).fold(zero.clone(), |carried, i| {
        let sum = carried
            .scaled(-bits)
            .plus_times(Dyadic::ONE, &limb(limbs, i));
        sum.minus(&limb(others, i))
    });
    assert!(
        difference.is_zero(),
        "not the same integer: {difference:?} is left over"
    );
}

fn whole(word: u64, kind: Kind) -> Value {
    let value = match kind {
        Kind::Double => as_double(word),
        Kind::Unsigned => as_unsigned(word),
        Kind::Signed => as_signed(word),
    };
    assert!(value.grid >= 0, "not whole: {value:?}");
    // A case may have narrowed the bounds since.
    let now = with(|program| program.range(&value.polynomial));
    Value {
        range: value.range.and(now),
        ..value
    }
}

/// Returns the largest integer that each of these words can be.
pub fn largest<const N: usize>(words: [u64; N], kind: Kind) -> [i128; N] {
    words.map(|word| whole(word, kind).range.most.to_integer())
}
