//! Checks that the checker proves true statements, and refuses false ones.

use x25519_proofs::{
    Expression, Kind, Powers, Radix, Signed, Unsigned, assert_limbs, assert_same_integer, begin,
    doubles, for_all_carries, input, largest, signed, words,
};

/// Bounds that are never reached.
const ANY: [i128; 2] = [-(1 << 100), 1 << 100];
const SMALL: [i128; 2] = [-(1 << 20), 1 << 20];

/// Begins a run of elements of one limb.
fn begin_with_one_limb() {
    begin(Radix { bits: 51, limbs: 1 });
}

fn element(element: usize, kind: Kind, bounds: [i128; 2]) -> u64 {
    input(kind, bounds, element, 0)
}

fn double(element: usize) -> u64 {
    self::element(element, Kind::Double, [-(1 << 50), 1 << 50])
}

fn assert_is(word: u64, kind: Kind, expected: &Expression) {
    assert_limbs(&[word], kind, ANY, expected);
}

/// Returns the multiple of 2^21 that is nearest to a double below 2^51.
fn rounded(number: u64) -> u64 {
    let large = (1.5 * (1_u128 << 73) as f64).to_bits();
    doubles::sub(doubles::add(number, large), large)
}

#[test]
fn what_a_rounding_took_off_comes_back() {
    begin_with_one_limb();
    let f = double(0);
    let high = rounded(f);
    let low = doubles::sub(f, high);
    assert_is(
        doubles::add(low, high),
        Kind::Double,
        &Expression::element(0),
    );
}

#[test]
#[should_panic(expected = "does not cancel")]
fn what_a_rounding_took_off_does_not_vanish() {
    begin_with_one_limb();
    let high = rounded(double(0));
    assert_is(high, Kind::Double, &Expression::element(0));
}

#[test]
#[should_panic(expected = "neither exact nor of one exponent")]
fn a_rounding_is_within_one_binade() {
    begin_with_one_limb();
    let third = (1.0_f64 / 3.0).to_bits();
    doubles::add(double(0), third);
}

#[test]
#[should_panic(expected = "not of one exponent")]
fn the_bits_of_a_double_ask_for_its_exponent() {
    begin_with_one_limb();
    words::add(double(0), 1);
}

#[test]
fn products_are_found_again() {
    begin_with_one_limb();
    let [f, g, h] = [0, 1, 2].map(|n| element(n, Kind::Signed, SMALL));
    let product = signed::mul(signed::add(f, g), signed::sub(g, h));
    let square = signed::mul(signed::sub(f, h), signed::sub(f, h));
    let [f, g, h] = [0, 1, 2].map(Expression::element);
    let expected = f.plus(&g).times(&g.minus(&h)).plus(&f.minus(&h).squared());
    let sum = signed::add(product, square);
    assert_is(sum, Kind::Signed, &expected);
}

#[test]
#[should_panic(expected = "assertion `left == right` failed")]
fn another_product_is_refused() {
    begin_with_one_limb();
    let [f, g] = [0, 1].map(|n| element(n, Kind::Signed, SMALL));
    let [a, b] = [0, 1].map(Expression::element);
    assert_is(signed::mul(f, g), Kind::Signed, &a.times(&b).plus(&a));
}

#[test]
#[should_panic(expected = "limb 1 does not have its weight")]
fn limbs_have_their_places() {
    begin(Radix { bits: 51, limbs: 2 });
    let limbs = [1, 0].map(|limb| input(Kind::Signed, SMALL, 0, limb));
    assert_limbs(&limbs, Kind::Signed, ANY, &Expression::element(0));
}

#[test]
#[should_panic(expected = "out of bounds")]
fn outputs_are_within_bounds() {
    begin_with_one_limb();
    let f = element(0, Kind::Signed, SMALL);
    assert_limbs(&[f], Kind::Signed, [0, 1 << 20], &Expression::element(0));
}

#[test]
#[should_panic(expected = "a symbol that was changed")]
fn arithmetic_of_others_is_refused() {
    begin_with_one_limb();
    let f = element(0, Kind::Unsigned, [0, 100]);
    assert_is(f + 256, Kind::Unsigned, &Expression::element(0));
}

#[test]
#[should_panic(expected = "a sum of more than 64 bits")]
fn a_sum_without_a_sign_does_not_wrap() {
    begin_with_one_limb();
    let f = element(0, Kind::Unsigned, [0, 1 << 63]);
    let _ = Unsigned(f) + Unsigned(f);
}

#[test]
#[should_panic(expected = "not in one range of 2^64")]
fn what_may_be_negative_is_not_shifted_right() {
    begin_with_one_limb();
    let f = element(0, Kind::Unsigned, [0, 100]);
    words::shift_right(words::sub(f, 1), 3);
}

#[test]
#[should_panic(expected = "a factor of more than 32 bits")]
fn factors_have_32_bits() {
    begin_with_one_limb();
    words::mul_32(element(0, Kind::Unsigned, [0, 1 << 32]), 3);
}

#[test]
#[should_panic(expected = "a factor of more than 52 bits")]
fn factors_of_multiply_adds_have_52_bits() {
    begin_with_one_limb();
    words::add_low_52(element(0, Kind::Unsigned, [0, 1 << 52]), 3, 0);
}

#[test]
#[should_panic(expected = "bits in common")]
fn bits_of_both_are_refused() {
    begin_with_one_limb();
    words::or(element(0, Kind::Unsigned, [0, 4]), 4);
}

#[test]
#[should_panic(expected = "more than 16 bits")]
fn signed_numbers_stay_within_their_width() {
    begin_with_one_limb();
    let f = element(0, Kind::Signed, [-300, 300]);
    signed::within(signed::mul(f, f), 16);
}

/// The high half of a product weighs 2^52.
#[test]
fn halves_of_products_are_the_product() {
    begin_with_one_limb();
    let [f, g] = [0, 1].map(|n| element(n, Kind::Unsigned, [0, 1 << 31]));
    let high = words::shift_left(words::add_high_52(f, g, 0), 52);
    let sum = words::add_low_52(f, g, high);
    let [f, g] = [0, 1].map(Expression::element);
    assert_is(sum, Kind::Unsigned, &f.times(&g));
}

/// All four cases of a number from 0 to 2^53 - 1, with limbs of 51 bits, are met.
#[test]
fn each_carry_is_a_case() {
    let mut seen = vec![];
    let radix = Radix { bits: 51, limbs: 1 };
    let cases = for_all_carries(radix, || {
        let f = element(0, Kind::Unsigned, [0, (1 << 53) - 1]);
        let carry = words::shift_right(f, 51);
        seen.extend(largest([carry], Kind::Unsigned));
        let low = words::and(f, (1 << 51) - 1);
        let sum = words::add(low, words::shift_left(carry, 51));
        assert_is(sum, Kind::Unsigned, &Expression::element(0));
    });
    assert_eq!((cases, seen), (4, vec![0, 1, 2, 3]));
}

/// All four cases of a number from -2^52 to 2^52 - 1 are met.
#[test]
fn each_signed_carry_is_a_case() {
    let mut seen = vec![];
    let radix = Radix { bits: 51, limbs: 1 };
    let cases = for_all_carries(radix, || {
        let f = Signed(element(0, Kind::Signed, [-(1 << 52), (1 << 52) - 1]));
        let carry = f >> 51;
        seen.push(carry.0.cast_signed());
        let low = f & Signed::from((1 << 51) - 1);
        assert!(largest([low.0], Kind::Signed)[0] < 1 << 51);
        assert_is(
            (low + (carry << 51)).0,
            Kind::Signed,
            &Expression::element(0),
        );
    });
    assert_eq!((cases, seen), (4, vec![-2, -1, 0, 1]));
}

fn small_signed(which: usize) -> Signed {
    Signed(element(which, Kind::Signed, SMALL))
}

/// `4 f + 2^10 g h + 3`: its lowest two bits are known, and the other terms carry nothing.
#[test]
fn multiples_have_no_lowest_bits() {
    begin_with_one_limb();
    let [f, g, h] = [0, 1, 2].map(small_signed);
    let three = Signed::from(3);
    let number = (f << 2) + ((g * h) << 10) + three;
    assert_eq!((number & three).0, 3);
    assert_same_integer(&[(number >> 2).0], &[(f + ((g * h) << 8)).0], 0);
}

#[test]
#[should_panic(expected = "not the same integer")]
fn others_have() {
    begin_with_one_limb();
    let [f, g] = [0, 1].map(small_signed);
    let number = (f << 2) + g;
    assert_same_integer(&[(number >> 2).0], &[f.0], 0);
}

/// As integers p is not zero: the difference does not fit.
#[test]
#[should_panic(expected = "is too large")]
fn p_is_not_zero() {
    begin_with_one_limb();
    let f = small_signed(0);
    let p_more = [(f - Signed::from(19)).0, 0, 0, 0, 1 << 51];
    assert_same_integer(&p_more, &[f.0], 51);
}

#[test]
fn the_same_integer_has_other_limbs() {
    begin_with_one_limb();
    let f = small_signed(0);
    let limbs = [(f - Signed::from(1 << 30)).0, 1];
    assert_same_integer(&limbs, &[f.0], 30);
}

#[test]
#[should_panic(expected = "more than 64 bits")]
fn signed_words_do_not_wrap() {
    begin_with_one_limb();
    let _ = (small_signed(0) * small_signed(1)) << 24;
}

/// By Fermat, z^(p - 1) is 1; and 2^255 is 19.
#[test]
fn powers_and_numbers_are_modulo_p() {
    let [z, inverse] = [Powers::variable(0), Powers::inverse(0)];
    assert_eq!(z.times(&inverse), Powers::one());
    assert_ne!(z.times(&z), Powers::one());
    let power = |n: u32| (0..n).fold(Expression::constant(1), |f, _| f.plus(&f));
    assert_eq!(power(255), Expression::constant(19));
    assert_eq!(power(300), Expression::constant(19 << 45));
    assert_eq!(
        Expression::constant(7).minus(&power(255)),
        Expression::constant(-12)
    );
}

/// Returns `f g`, where `f` is multiplied by the low bits of `g`, and parts of `f` by the rest.
fn product_with_two_forms_of_f(weight_of_high: u64) -> u64 {
    let [f, g] = [0, 1].map(|which| element(which, Kind::Unsigned, [0, 1 << 20]));
    let [f_low, g_low] = [f, g].map(|word| words::and(word, 0xffff));
    let [f_high, g_high] = [f, g].map(|word| words::shift_right(word, 16));
    let parts = [f_low, words::mul(f_high, weight_of_high)];
    let of_high = parts.map(|part| words::shift_left(words::mul(part, g_high), 16));
    of_high.into_iter().fold(words::mul(f, g_low), words::add)
}

#[test]
fn a_product_with_two_forms_of_a_factor_is_found() {
    begin_with_one_limb();
    let [f, g] = [0, 1].map(Expression::element);
    assert_is(
        product_with_two_forms_of_f(1 << 16),
        Kind::Unsigned,
        &f.times(&g),
    );
}

#[test]
#[should_panic(expected = "does not cancel")]
fn another_form_of_a_factor_is_not() {
    begin_with_one_limb();
    let [f, g] = [0, 1].map(Expression::element);
    assert_is(
        product_with_two_forms_of_f(1 << 15),
        Kind::Unsigned,
        &f.times(&g),
    );
}
