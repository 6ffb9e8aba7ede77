//! One inverse for all lanes inverts each of them, and one for many fractions divides each of them.

use std::{array::from_fn, cell::RefCell, thread::LocalKey};

use x25519_proofs::Powers;

use super::{Formal, Model, is_zero, number, numbers, table};
use crate::{
    division::{Fraction, divide_by, invert_by, without_zero},
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

/// Returns the inverse of the product of these variables.
fn inverse_of(variables: impl Iterator<Item = usize>) -> Powers {
    variables.fold(Powers::one(), |product, variable| {
        product.times(&Powers::inverse(variable))
    })
}

/// Proves, for this number of lanes, that one inverse is requested, of the product of all.
fn lanes_are_inverted<const N: usize>() {
    let variables: [Powers; N] = from_fn(Powers::variable);
    let product = variables
        .iter()
        .fold(Powers::one(), |product, z| product.times(z));
    let mut out = Table::ZERO;
    invert_by::<Model<Powers>, N>(&mut out, &table(variables), |out, all| {
        assert_eq!(numbers::<Powers, N>(all), from_fn(|_| product.clone()));
        *out = table(from_fn(|_| inverse_of(0..N)));
    });
    assert_eq!(numbers::<Powers, N>(&out), from_fn(Powers::inverse));
}

#[test]
fn an_inverse_for_all_lanes_inverts_each() {
    lanes_are_inverted::<1>();
    lanes_are_inverted::<4>();
    lanes_are_inverted::<8>();
}

/// Proves, with any one lane zero, that it becomes 0 / 1, and the others do not change.
fn a_lane_without_zero<const N: usize>() {
    for zero in 0..N {
        let mut fraction = Fraction::ZERO;
        fraction.x = table::<Powers, N>(from_fn(Powers::variable));
        fraction.z = table(from_fn(|lane| Powers::variable(N + lane)));
        fraction.z.0[0][zero] = 0;
        let x = fraction.x;
        without_zero::<Model<Powers>, N>(&mut fraction);
        let denominators = numbers::<Powers, N>(&fraction.z);
        for (lane, z) in denominators.into_iter().enumerate() {
            let is_zero = lane == zero;
            assert_eq!(
                fraction.x.0[0][lane],
                if is_zero { 0 } else { x.0[0][lane] }
            );
            assert_eq!(
                z,
                if is_zero {
                    Powers::one()
                } else {
                    Powers::variable(N + lane)
                }
            );
        }
    }
}

#[test]
fn a_zero_spoils_no_other_lane() {
    a_lane_without_zero::<1>();
    a_lane_without_zero::<4>();
    a_lane_without_zero::<8>();
}

/// Tests up to 16 fractions, the number that share an inverse: with denominators other than zero,
/// or with any one zero. For that one only the replacement by 0 / 1 is checked.
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
                        table([z])
                    };
                    let mut fraction = Fraction::ZERO;
                    (fraction.x, fraction.z) = (table([x]), z);
                    fraction
                })
                .collect();
            if let Some(zero) = zero {
                let fraction = &mut fractions[zero];
                without_zero::<Model<Powers>, 1>(fraction);
                assert!(is_zero(&fraction.x));
                assert_eq!(number::<Powers>(&fraction.z), Powers::one());
                // Continue with 1 / 1, since the model only has numbers other than zero.
                fraction.x = Table::small(1);
            }
            let all = (0..count).filter(|i| Some(*i) != zero).map(denominator);
            divide_by::<Model<Powers>, 1>(&mut fractions, |out, product| {
                let powers = all.clone().map(Powers::variable);
                let expected = powers.fold(Powers::one(), |product, z| product.times(&z));
                assert_eq!(number::<Powers>(product), expected);
                *out = table([inverse_of(all.clone())]);
            });
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
