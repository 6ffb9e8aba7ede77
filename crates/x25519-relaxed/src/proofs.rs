//! Proofs, for all inputs within their bounds, that the ladder's step and its start compute what
//! their documentation states. The crate `x25519-proofs` explains the method and what is trusted.
//!
//! This runs the code for WebAssembly on another machine, with `x25519_proofs::wasm32` as its
//! vectors.

use x25519_dalek::{PublicKey, StaticSecret};
use x25519_proofs::{
    Expression, Kind, LadderStep, Number, Radix, assert_limbs, begin, input, wasm32::v128,
};

use crate::{
    field::{BITS, CARRIED, Constants, LIMBS, Pair},
    ladder::{Points, fraction, step},
};

const RADIX: Radix = Radix {
    bits: BITS,
    limbs: LIMBS,
};

const BOUNDS: [i128; 2] = [-CARRIED, CARRIED];

/// Makes a pair with the element of that number in each place, carried.
fn pair(places: [usize; 2]) -> Pair {
    Pair(core::array::from_fn(|limb| {
        v128::of_lanes(places.map(|element| input(Kind::Double, BOUNDS, element, limb)))
    }))
}

fn assert_carried(pair: &Pair, expected: [&Expression; 2]) {
    let limbs = pair.0.map(v128::lanes::<2>);
    for (place, expected) in expected.into_iter().enumerate() {
        let limbs = limbs.map(|lanes| lanes[place]);
        assert_limbs(&limbs, Kind::Double, BOUNDS, expected);
    }
}

/// C, A, D and B are elements 0 to 3, and x1 is element 4. Inputs and outputs are carried, so any
/// number of steps can follow one another.
#[test]
fn a_step() {
    for swap in [0, 1] {
        begin(RADIX);
        let points = Points {
            sums: pair([0, 1]),
            differences: pair([2, 3]),
        };
        let out = step(Constants::get(), &points, &pair([4, 4]), swap);
        let [c, a, d, b, x1] = [0, 1, 2, 3, 4].map(Expression::element);
        let expected = LadderStep::new([&a, &b, &c, &d, &x1], swap == 1);
        let [a, b, c, d] = expected.sums_and_differences();
        assert_carried(&out.sums, [&c, &a]);
        assert_carried(&out.differences, [&d, &b]);
    }
}

/// Tests decoded limbs, with one added to or subtracted from the first.
#[test]
fn the_start() {
    begin(RADIX);
    let elements = [0, 1].map(|which| {
        core::array::from_fn(|limb| input(Kind::Signed, [-1, 1 << BITS], which, limb).cast_signed())
    });
    let pair = Pair::of(Constants::get(), elements.each_ref());
    assert_carried(&pair, [0, 1].map(Expression::element).each_ref());
}

/// Runs the same code and vectors on numbers, compared with x25519-dalek, to check that the vectors
/// of the proofs behave as WebAssembly specifies.
#[test]
fn a_ladder_on_numbers() {
    for seed in 0..4_u8 {
        let [k, u] = [1, 2].map(|factor| {
            core::array::from_fn(|i| {
                let i = u8::try_from(i).unwrap();
                (seed ^ i.wrapping_mul(37)).wrapping_mul(factor * 91 + 6)
            })
        });
        let shared = StaticSecret::from(k).diffie_hellman(&PublicKey::from(u));
        let quotient = Number::from_bytes(shared.as_bytes());
        let [x, z] = fraction(k, &u).map(|bytes| Number::from_bytes(&bytes));
        assert_eq!(quotient.times(z), x);
        assert_ne!(z, Number::from_bytes(&[0; 32]));
    }
}
