//! An inversion inverts, and one for many fractions divides each of them.

use std::{cell::RefCell, thread::LocalKey};

use proofs::Powers;

use super::model::{Formal, Model, is_zero, number, table};
use crate::{
    division::{Fraction, divide, invert, without_zero},
    field::Table,
};

impl Formal for Powers {
    fn one() -> Self {
        Self::one()
    }
    fn times(&self, other: &Self) -> Self {
        self.times(other)
    }
    fn plus(&self, _: &Self) -> Self {
        panic!("a sum is not a power")
    }
    fn minus(&self, _: &Self) -> Self {
        panic!("a difference is not a power")
    }
    fn memory() -> &'static LocalKey<RefCell<Vec<Self>>> {
        thread_local!(static MEMORY: RefCell<Vec<Powers>> = RefCell::default());
        &MEMORY
    }
}

#[test]
fn an_inverse_is_an_inverse() {
    let mut out = Table::ZERO;
    invert::<Model<Powers>, 1>(&mut out, &table(Powers::variable(0)));
    assert_eq!(number::<Powers>(&out), Powers::inverse(0));
}

/// As many fractions as share an inversion, 16, and fewer; all with denominators other than zero, or
/// any one with a zero. Of that one nothing is said here but that it becomes 0 / 1.
#[test]
fn shared_division_divides() {
    let [numerator, denominator] = [|i| 2 * i, |i| 2 * i + 1];
    for count in 1..=16 {
        for zero in (0..count).map(Some).chain([None]) {
            let mut fractions: Vec<_> = (0..count)
                .map(|i| {
                    let [x, z] = [numerator(i), denominator(i)].map(Powers::variable);
                    let z = if Some(i) == zero {
                        Table::ZERO
                    } else {
                        table(z)
                    };
                    let mut fraction = Fraction::ZERO;
                    (fraction.x, fraction.z) = (table(x), z);
                    fraction
                })
                .collect();
            if let Some(zero) = zero {
                let fraction = &mut fractions[zero];
                without_zero::<Model<Powers>, 1>(fraction);
                assert!(is_zero(&fraction.x));
                assert_eq!(number::<Powers>(&fraction.z), Powers::one());
                // A model of numbers other than zero goes on with 1 / 1.
                fraction.x = Table::small(1);
            }
            divide::<Model<Powers>, 1>(&mut fractions);
            for (i, fraction) in fractions.iter().enumerate() {
                let quotient = match Some(i) == zero {
                    true => Powers::one(),
                    false => Powers::variable(numerator(i)).times(&Powers::inverse(denominator(i))),
                };
                assert_eq!(number::<Powers>(&fraction.x), quotient);
            }
        }
    }
}
