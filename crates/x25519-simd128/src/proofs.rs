//! Proofs, for all inputs within their bounds, that products, rows and the ladder's step compute
//! what their documentation states, and that nothing overflows. The crate `x25519-proofs` explains
//! the method and what is trusted; the inverse and encoding are proved in `x25519-inverse`.
//!
//! This runs the code for WebAssembly on another machine, with `x25519_proofs::wasm32` as its
//! vectors.

use core::array::from_fn;

use x25519_dalek::{PublicKey, StaticSecret};
use x25519_proofs::{
    Expression, Kind, LadderStep, Radix, assert_limbs, begin, input, random_bytes, wasm32::v128,
};

use crate::{
    field::{BITS, CARRIED, Four, LIMBS, PAIRS, SUM, products},
    ladder::{multiply, step},
    row,
};

/// The encoding is proved for this radix in `x25519-inverse`.
const _: () = assert!(BITS == 13 && LIMBS == 20);

const RADIX: Radix = Radix {
    bits: BITS,
    limbs: LIMBS,
};

/// The bounds of a limb decoded from bytes.
const DECODED: [i128; 2] = [0, (1 << BITS) - 1];

/// Returns bounds with this largest absolute value.
fn around_zero(most: i64) -> [i128; 2] {
    [-most, most].map(i128::from)
}

/// Makes the limbs of an input.
fn element(which: usize, bounds: [i128; 2]) -> [u64; LIMBS] {
    from_fn(|limb| input(Kind::Signed, bounds, which, limb))
}

fn constant(number: u64) -> [u64; LIMBS] {
    from_fn(|limb| if limb == 0 { number } else { 0 })
}

/// Packs four elements: vector `n` has limbs `2 n` and `2 n + 1` of each.
fn four(elements: &[[u64; LIMBS]; 4]) -> Four {
    Four(from_fn(|n| {
        let halves = elements.map(|limbs| [limbs[2 * n], limbs[2 * n + 1]]);
        v128::of_lanes::<8>(halves.as_flattened().try_into().unwrap())
    }))
}

/// Checks that these are carried limbs of these.
fn assert_carried(four: &Four, expected: [&Expression; 4]) {
    let halves = four.0.map(v128::lanes::<8>);
    for (i, expected) in expected.into_iter().enumerate() {
        let limbs: [[u64; 2]; PAIRS] = halves.map(|halves| [halves[2 * i], halves[2 * i + 1]]);
        let bounds = around_zero(CARRIED);
        assert_limbs(limbs.as_flattened(), Kind::Signed, bounds, expected);
    }
}

/// Tests sums and differences of carried limbs, which include decoded ones.
#[test]
fn four_products() {
    begin(RADIX);
    let [f, g] = [0, 4].map(|first| {
        let elements = [0, 1, 2, 3].map(|i| element(first + i, around_zero(SUM)));
        four(&elements)
    });
    let out = products(&f, &g);
    let expected = [0, 1, 2, 3].map(|i| Expression::element(i).times(&Expression::element(4 + i)));
    assert_carried(&out, expected.each_ref());
}

/// Tests one of four elements times a constant number: carried limbs in the ladder, decoded
/// ones in the quotient at its end.
#[test]
fn a_product_with_a_decoded_number() {
    for bounds in [around_zero(CARRIED), DECODED] {
        begin(RADIX);
        let f = four(&[0, 1, 2, 3].map(|i| element(i, bounds)));
        // Element 0 is the factor. The others differ from it, so that using one of them is
        // detected.
        let factor = row::factor(&four(&[4, 5, 6, 7].map(|i| element(i, DECODED))));
        let [first, third, fourth] =
            [0, 2, 3].map(|i| Expression::element(i).times(&Expression::element(4)));
        assert_carried(&row::product::<0>(&f, &factor), [&first; 4]);
        assert_carried(&row::product::<2>(&f, &factor), [&third; 4]);
        assert_carried(&row::product::<3>(&f, &factor), [&fourth; 4]);
    }
}

/// Tests the first elements of carried limbs, and of their differences.
#[test]
fn a_sum_with_a_multiple_of_a24() {
    begin(RADIX);
    let [aa, e] = [0, 4].map(|first| [0, 1, 2, 3].map(|i| first + i));
    let aa = four(&aa.map(|i| element(i, around_zero(CARRIED))));
    let e = four(&e.map(|i| element(i, around_zero(SUM))));
    let sum = Expression::element(0).plus(&Expression::element(4).times_a24());
    assert_carried(&row::plus_a24(&aa, &e), [&sum; 4]);
}

/// Computes the expected z2, x3, z3 and x2, with x1.
fn expected([z2, x3, z3, x2]: [&Expression; 4], x1: &Expression, swap: u8) -> [Expression; 4] {
    let [a, b, c, d] = [x2.plus(z2), x2.minus(z2), x3.plus(z3), x3.minus(z3)];
    let LadderStep { x2, z2, x3, z3 } = LadderStep::new([&a, &b, &c, &d, x1], swap == 1);
    [z2, x3, z3, x2]
}

/// The ladder's step is RFC 7748's. The points are elements 0 to 3, x1 is element 4. Inputs and
/// outputs are carried, so any number of steps can follow the first.
#[test]
fn a_step() {
    for swap in [0, 1] {
        begin(RADIX);
        let points = four(&[0, 1, 2, 3].map(|i| element(i, around_zero(CARRIED))));
        let x1 = row::factor(&four(&[element(4, DECODED); 4]));
        let out = step(&points, &x1, swap);
        let points = [0, 1, 2, 3].map(Expression::element);
        let expected = expected(points.each_ref(), &Expression::element(4), swap);
        assert_carried(&out, expected.each_ref());
    }
}

/// Tests the first step, from 0, x1, 1 and 1, as they are decoded.
#[test]
fn the_first_step() {
    for swap in [0, 1] {
        begin(RADIX);
        let x1 = element(0, DECODED);
        let points = four(&[constant(0), x1, constant(1), constant(1)]);
        let out = step(&points, &row::factor(&four(&[x1; 4])), swap);
        let [zero, one] = [0, 1].map(Expression::constant);
        let x1 = Expression::element(0);
        let expected = expected([&zero, &x1, &one, &one], &x1, swap);
        assert_carried(&out, expected.each_ref());
    }
}

/// Runs the same code and vectors on numbers, compared with x25519-dalek, to check that the vectors
/// of the proofs behave as WebAssembly specifies.
#[test]
fn a_ladder_on_numbers() {
    let mut state = 128;
    for i in 0..4 {
        let k = random_bytes(&mut state);
        let u = if i == 0 {
            [0xff; 32]
        } else {
            random_bytes(&mut state)
        };
        let expected = StaticSecret::from(k).diffie_hellman(&PublicKey::from(u));
        assert_eq!(multiply(&k, &u), *expected.as_bytes());
    }
}
