//! Selection of a digit's multiple: each digit gets the right one of eight, in carried
//! limbs.

use x25519_proofs::{Expression, begin};

use super::{RADIX, Symbols, assert_lane, carried, elements};
use crate::{
    comb::{
        choice::{Multiples, choose_of},
        point::Affine,
        table::MULTIPLES,
    },
    field::{Doubles51, Integers51, LIMBS, Limbs, Radix, Table},
    lanes::Lanes,
    tests::samples::Representation,
};

/// Multiples that are symbols, and a digit's size in each lane.
struct Symbolic {
    multiples: [[[u64; LIMBS]; 3]; MULTIPLES],
    sizes: [u64; 2],
}

impl Multiples<Symbols<2>, 2> for Symbolic {
    fn at(&self, place: usize) -> [Limbs<Symbols<2>>; 3] {
        self.multiples[place].map(|limbs| limbs.map(Lanes::splat))
    }
    fn is_size(&self, size: u64) -> Symbols<2> {
        let masks = self
            .sizes
            .map(|this| if this == size { u64::MAX } else { 0 });
        Lanes::load(&masks)
    }
}

/// Tests every digit. Multiple `m` has elements `3 m`, `3 m + 1` and `3 m + 2`. Each lane
/// has another digit.
fn every_digit<R: Representation + Radix<Symbols<2>, 2>>() {
    for size in 0..=8 {
        begin(RADIX);
        let multiples: [_; MULTIPLES] = core::array::from_fn(|multiple| {
            [0, 1, 2].map(|part| {
                let element = elements::<1>(R::KIND, carried::<R>(), |_| 3 * multiple + part);
                element.0.map(|[limb]| limb)
            })
        });
        let sizes = [size, (size + 1) % 9];
        let mut out = Affine::<2>::ZERO;
        choose_of::<R, Symbols<2>, 2>(
            &mut out,
            &Symbolic { multiples, sizes },
            Lanes::load(&[0, u64::MAX]),
        );
        assert_chosen::<R>(&out, 0, sizes[0], false);
        assert_chosen::<R>(&out, 1, sizes[1], true);
    }
}

fn assert_chosen<R: Representation>(out: &Affine<2>, lane: usize, size: u64, is_negative: bool) {
    let [plus, minus, product] = match usize::try_from(size).unwrap().checked_sub(1) {
        Some(multiple) => [0, 1, 2].map(|part| Expression::element(3 * multiple + part)),
        None => [1, 1, 0].map(Expression::constant),
    };
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
