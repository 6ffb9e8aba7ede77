//! A digit's multiple: of each digit the right one of eight, in carried limbs.

use proofs::{Expression, begin};

use super::{
    kernels::carried,
    symbols::{RADIX, Symbols, assert_lane, elements},
};
use crate::{
    comb::{
        choice::choose_by,
        point::Affine,
        table::{Entry, MULTIPLES},
    },
    field::{Doubles51, Integers51, Radix, Table},
    lanes::Lanes,
    tests::samples::Representation,
};

/// Multiple `m` has elements `3 m`, `3 m + 1` and `3 m + 2`. Each lane has another digit.
fn every_digit<R: Representation + Radix<Symbols<2>, 2>>() {
    for size in 0..=8 {
        begin(RADIX);
        let element = |which| {
            elements::<1>(R::KIND, carried::<R>(), |_| which)
                .0
                .map(|[limb]| limb)
        };
        let multiples: [Entry; MULTIPLES] =
            core::array::from_fn(|multiple| [0, 1, 2].map(|part| element(3 * multiple + part)));
        let sizes = [size, (size + 1) % 9];
        let is_multiple = |multiple| {
            let masks = sizes.map(|size| if size == multiple { u64::MAX } else { 0 });
            Lanes::load(&masks)
        };
        let mut out = Affine::<2>::ZERO;
        choose_by::<R, Symbols<2>, 2>(
            &mut out,
            &multiples,
            is_multiple,
            Lanes::load(&[0, u64::MAX]),
        );
        assert_chosen::<R>(&out, 0, sizes[0], false);
        assert_chosen::<R>(&out, 1, sizes[1], true);
    }
}

fn assert_chosen<R: Representation>(out: &Affine<2>, lane: usize, size: u64, is_negative: bool) {
    let part = |part| match usize::try_from(size).unwrap().checked_sub(1) {
        Some(multiple) => Expression::element(3 * multiple + part),
        None => Expression::constant(if part == 2 { 0 } else { 1 }),
    };
    let [plus, minus, product] = [0, 1, 2].map(part);
    let expected = match is_negative {
        true => [minus, plus, Expression::constant(0).minus(&product)],
        false => [plus, minus, product],
    };
    let places: [&Table<2>; 3] = [&out.plus, &out.minus, &out.product];
    for (place, expected) in places.into_iter().zip(&expected) {
        assert_lane(place, lane, (R::KIND, carried::<R>()), expected);
    }
}

#[test]
fn a_multiple_in_doubles() {
    every_digit::<Doubles51>();
}

#[test]
fn a_multiple_in_integers() {
    every_digit::<Integers51>();
}
