//! Each kernel, of carried limbs, computes what it says modulo p, and its results are carried. No
//! operation on doubles has more than one rounding, and none meets a subnormal, infinity or NaN.

use proofs::{Expression, begin, is_symbol};

use super::symbols::{RADIX, Symbols, assert_lane, elements};
use crate::{
    field::{Doubles51, Integers51, Radix, Table, doubles::Starts, kernels},
    tests::samples::Representation,
};

/// One lane, since no kernel has more to do with another.
type Lane = Symbols<1>;
type Element = Table<1>;

/// The bounds of carried limbs.
pub(super) fn carried<R: Representation>() -> [i128; 2] {
    R::CARRIED.map(i128::from)
}

/// That a kernel of two elements gives these.
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

/// Decoded limbs, which have no more than their bits, to carried ones, and carried ones to what can
/// be encoded. Carried limbs of decoded ones are within `decoded`.
fn from_and_to_integers<R: Representation + Radix<Lane, 1>>(decoded: [i128; 2]) {
    let (integers, f) = (proofs::Kind::Unsigned, Expression::element(0));
    begin(RADIX);
    let mut out = Table::ZERO;
    let limbs = elements(integers, [0, (1 << RADIX.bits) - 1], |_| 0);
    kernels::from_integers::<R, Lane, 1>(&mut out, &limbs);
    assert_lane(&out, 0, (R::KIND, decoded), &f);

    begin(RADIX);
    kernels::to_integers::<R, Lane, 1>(&mut out, &elements(R::KIND, carried::<R>(), |_| 0));
    assert_lane(&out, 0, (integers, super::encoding::LIMBS), &f);
}

/// A decoded limb of doubles is at most this, either way.
pub(super) const DECODED_DOUBLE: i128 = (1 << 50) + 19;

/// A decoded limb of integers has its bits.
pub(super) const DECODED_INTEGER: [i128; 2] = [0, (1 << 51) - 1];

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

/// The rules of the proofs themselves, held against the processor on many examples.
#[test]
fn what_is_proved_holds_in_examples() {
    for _ in 0..if cfg!(miri) { 1 } else { 20 } {
        carried_in_carried_out::<Doubles51>();
        carried_in_carried_out::<Integers51>();
    }
}

/// Constants that come from memory are taken for what they are.
#[test]
fn no_constant_is_a_symbol() {
    for table in [Starts::<1>::PRODUCT, Starts::<1>::SQUARE] {
        assert!(table.0.as_flattened().iter().all(|word| !is_symbol(*word)));
    }
}
