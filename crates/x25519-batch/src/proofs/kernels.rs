//! Each kernel computes its documented function modulo p on carried limbs, and its results are
//! carried. No operation on doubles has more than one rounding, or an operand that is subnormal,
//! infinite or NaN.

use x25519_proofs::{Expression, begin, is_symbol};

use super::{
    DECODED_DOUBLE, DECODED_INTEGER, ENCODABLE, RADIX, Symbols, assert_lane, carried, elements,
};
use crate::{
    field::{Doubles51, Integers51, Radix, Table, doubles::Starts, kernels},
    tests::samples::Representation,
};

/// One lane, since lanes are independent in every kernel.
type Lane = Symbols<1>;
type Element = Table<1>;

/// Proves that a kernel of two elements returns these.
fn prove<R: Representation>(
    kernel: impl Fn(&mut [Element; 2], &Element, &Element),
    expected: &[Expression],
) {
    begin(RADIX);
    let [f, g] = [0, 1].map(|which| elements(R::KIND, carried::<R>(), |_| which));
    let mut out = [Table::ZERO; 2];
    kernel(&mut out, &f, &g);
    for (out, expected) in out.iter().zip(expected) {
        assert_lane(out, 0, (R::KIND, carried::<R>()), expected);
    }
}

fn carried_in_carried_out<R: Representation + Radix<Lane, 1>>() {
    let [f, g] = [0, 1].map(Expression::element);
    let (sum, difference) = (f.plus(&g), f.minus(&g));
    prove::<R>(
        |[out, _], f, g| kernels::mul::<R, Lane, 1>(out, f, g),
        &[f.times(&g)],
    );
    prove::<R>(
        |[out, _], f, _| kernels::square::<R, Lane, 1>(out, f),
        &[f.squared()],
    );
    prove::<R>(
        |[plus, minus], f, g| kernels::sum_and_difference::<R, Lane, 1>(plus, minus, f, g),
        &[sum, difference],
    );
}

/// Proves that decoded limbs, of their nominal size, become carried ones, and that carried limbs
/// become limbs that can be encoded. The carried limbs of decoded ones are within `decoded`.
fn from_and_to_integers<R: Representation + Radix<Lane, 1>>(decoded: [i128; 2]) {
    let (integers, f) = (x25519_proofs::Kind::Unsigned, Expression::element(0));
    begin(RADIX);
    let mut out = Table::ZERO;
    let limbs = elements(integers, [0, (1 << RADIX.bits) - 1], |_| 0);
    kernels::from_integers::<R, Lane, 1>(&mut out, &limbs);
    assert_lane(&out, 0, (R::KIND, decoded), &f);

    begin(RADIX);
    kernels::to_integers::<R, Lane, 1>(&mut out, &elements(R::KIND, carried::<R>(), |_| 0));
    assert_lane(&out, 0, (integers, ENCODABLE), &f);
}

#[test]
fn kernels_of_doubles() {
    carried_in_carried_out::<Doubles51>();
    from_and_to_integers::<Doubles51>([-DECODED_DOUBLE, DECODED_DOUBLE]);
}

#[test]
fn kernels_of_integers() {
    carried_in_carried_out::<Integers51>();
    from_and_to_integers::<Integers51>(DECODED_INTEGER);
}

/// Compares the rules of the proofs themselves with the processor on many examples.
#[test]
fn what_is_proved_holds_in_examples() {
    for _ in 0..if cfg!(miri) { 1 } else { 20 } {
        carried_in_carried_out::<Doubles51>();
        carried_in_carried_out::<Integers51>();
    }
}

/// Constants loaded from memory keep their value.
#[test]
fn no_constant_is_a_symbol() {
    for table in [Starts::<1>::PRODUCT, Starts::<1>::SQUARE] {
        assert!(table.0.as_flattened().iter().all(|word| !is_symbol(*word)));
    }
}
