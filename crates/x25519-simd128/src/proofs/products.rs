//! Products of four elements and of one, and the additions in between.

use x25519_proofs::{Expression, begin};

use super::{DECODED, RADIX, around_zero, assert_carried, element, four};
use crate::{
    field::{CARRIED, SUM, products},
    row,
};

/// Tests sums and differences of carried limbs, which include decoded ones.
#[test]
fn four_products() {
    begin(RADIX);
    let [f, g] = [0, 4].map(|first| {
        let elements = [0, 1, 2, 3].map(|i| element(first + i, around_zero(SUM)));
        four(&elements)
    });
    let out = products(&f, &g);
    let product = |i| Expression::element(i).times(&Expression::element(4 + i));
    assert_carried(&out, [0, 1, 2, 3].map(product).each_ref());
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
        let product = |i| Expression::element(i).times(&Expression::element(4));
        assert_carried(&row::product::<0>(&f, &factor), [&product(0); 4]);
        assert_carried(&row::product::<2>(&f, &factor), [&product(2); 4]);
        assert_carried(&row::product::<3>(&f, &factor), [&product(3); 4]);
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
