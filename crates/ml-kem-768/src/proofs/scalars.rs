//! Proofs on single words, for all words, with the portable vector, to which others are compared.

use super::super::tests::model::Model;
use crate::{
    coding,
    hash::{Third, accept},
    keccak::Lanes,
    tables::{INVERSES, Q, ROOTS, SCALE_FACTOR, SCALES, TIMES_128},
    vector::Vector,
    words::Words,
};

const Q32: i32 = Q as i32;

/// Returns all words from `first` to `last`, sixteen at a time. The last one is repeated to fill
/// up.
fn all(first: i16, last: i16) -> impl Iterator<Item = Model> {
    let last = i32::from(last);
    (i32::from(first)..=last).step_by(16).map(move |from| {
        Model(std::array::from_fn(|i| {
            let word = (from + i32::try_from(i).unwrap()).min(last);
            i16::try_from(word).unwrap()
        }))
    })
}

fn each(a: Model, b: Model) -> impl Iterator<Item = (i32, i32)> {
    a.0.into_iter().zip(b.0).map(|(a, b)| (a.into(), b.into()))
}

/// Returns every constant with its quotient.
fn factors() -> Vec<[i16; 2]> {
    let mut factors = vec![];
    for roots in [&ROOTS, &INVERSES] {
        let tables = roots.eight.iter().chain(roots.four.as_flattened());
        let tables = tables.chain(roots.two.as_flattened());
        let of_quads = tables.flat_map(|[z, quotient]| (0..16).map(|i| [z.0[i], quotient.0[i]]));
        factors.extend(roots.whole.into_iter().chain(of_quads));
    }
    factors.extend((0..256).map(|i| [SCALES[0][i], SCALES[1][i]]));
    factors.extend([SCALE_FACTOR, TIMES_128]);
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// Returns a bound of the product of a constant and a number of at most `a` in absolute value.
pub(super) fn of_product(a: i32) -> i32 {
    ((a * Q32) >> 16) + Q32 / 2 + 1
}

#[test]
fn products_by_constants_are_right_modulo_q_and_bounded() {
    let factors = factors();
    assert!(factors.len() > 256, "{} factors", factors.len());
    for [z, quotient] in factors {
        for a in all(i16::MIN, i16::MAX) {
            let product = a.product([Model::splat(z), Model::splat(quotient)]);
            for (a, product) in each(a, product) {
                assert_eq!((a * i32::from(z) - product) % Q32, 0, "{a} {z}");
                assert!(product.abs() <= of_product(a.abs()), "{a} {z}: {product}");
            }
        }
    }
}

/// The largest input of Barrett's reduction.
pub(super) const REDUCED: i16 = 8 * Q;

/// Returns the largest result of Barrett's reduction for numbers of at most `a` in absolute value.
pub(super) fn of_barrett(a: i32) -> i32 {
    assert!(a <= REDUCED.into(), "{a} may be too large to be reduced");
    (-a..=a).map(barrett).max().unwrap()
}

fn barrett(a: i32) -> i32 {
    (a - ((10 * a + 0x4000) >> 15) * Q32).abs()
}

#[test]
fn barretts_reduction_is_right_and_bounded() {
    for a in all(-REDUCED, REDUCED) {
        for (a, reduced) in each(a, a.barrett()) {
            assert_eq!((a - reduced) % Q32, 0, "{a}");
            assert_eq!(reduced.abs(), barrett(a), "{a}");
        }
    }
    assert!(of_barrett(REDUCED.into()) <= 2090);
}

/// Returns a bound of Montgomery's reduction of a sum of products of at most `s` in absolute value.
pub(super) fn of_reduce(s: i64) -> i32 {
    assert!(s < 1 << 30, "{s} may overflow");
    i32::try_from((s >> 16) + i64::from(Q32 / 2) + 1).unwrap()
}

fn reduce(number: i32) -> i32 {
    let lane = u64::from(number.cast_unsigned());
    let [lane, ..] = Model::from_lanes(&Lanes([lane; 4])).reduce().to_lanes();
    i32::from(i16::from_le_bytes(
        lane.to_le_bytes()[..2].try_into().unwrap(),
    ))
}

/// Shows that the number subtracted is a multiple of q and depends on the lower half only. So any
/// upper half adds itself to the result.
#[test]
fn montgomerys_reduction_is_right_and_bounded() {
    for lower in 0..1 << 16 {
        let taken_off = lower - (reduce(lower) << 16);
        assert_eq!(taken_off % Q32, 0);
        for upper in [-1 << 13, -2, -1, 0, 1, 77, (1 << 13) - 1] {
            let number = (upper << 16) + lower;
            let reduced = reduce(number);
            assert_eq!(reduced, reduce(lower) + upper);
            assert_eq!((reduced << 16) + taken_off, number);
            assert!(reduced.abs() <= of_reduce(i64::from(number).abs()));
        }
    }
}

/// Compresses (section 4.2.1): round(2^d x / q) modulo 2^d. There are no ties, since q is odd.
fn compressed(x: i32, bits: u32) -> i32 {
    ((x.rem_euclid(Q32) << bits) + Q32 / 2) / Q32 % (1 << bits)
}

/// Returns the bits per number: four in v's words, ten in u's.
fn bits(lane: usize) -> u32 {
    if lane.is_multiple_of(4) { 4 } else { 10 }
}

/// Returns each word, in all lanes.
fn each_word(first: i16, last: i16) -> impl Iterator<Item = (i32, Model)> {
    (first..=last).map(|word| (word.into(), Model::splat(word)))
}

#[test]
fn compression_and_the_message_are_the_definitions() {
    for (x, words) in each_word(-REDUCED, REDUCED) {
        for (lane, found) in coding::compress(words).0.into_iter().enumerate() {
            assert_eq!(i32::from(found), compressed(x, bits(lane)), "{x}");
        }
        let one = -i16::from(compressed(x, 1) == 1);
        assert_eq!(coding::compresses_to_one(words), Model::splat(one), "{x}");
    }
}

#[test]
fn decompression_is_the_definition() {
    for (x, words) in each_word(0, 1023) {
        for (lane, found) in coding::decompress(words).0.into_iter().enumerate() {
            if x < 1 << bits(lane) {
                assert_eq!(i32::from(found), decompressed(x, bits(lane)), "{x}");
            }
        }
    }
}

fn decompressed(x: i32, bits: u32) -> i32 {
    (x * Q32 + (1 << (bits - 1))) >> bits
}

/// The largest input of the comparison: the output of the inverse transform (`bounds`), noise, half
/// of q.
pub(super) const COMPARED: i16 = 23_000;

/// Tries all words with every received number of their lane: 1,024 in u's lanes, 16 in v's.
#[test]
fn a_number_compresses_otherwise_where_the_definition_says_so() {
    for y in 0..1024 {
        let u = Model::splat(y);
        let v = Model::splat(y % 16);
        let received = Model(std::array::from_fn(|i| {
            if i % 4 == 0 { v.0[i] } else { u.0[i] }
        }));
        let decompressed = coding::decompress(received);
        let expected_v = i32::from(y % 16);
        for x in all(-COMPARED, COMPARED) {
            let found = coding::compresses_otherwise(x, received, decompressed);
            for (i, (x, found)) in each(x, found).enumerate() {
                let expected = match i % 4 {
                    0 => compressed(x, 4) != expected_v,
                    _ => compressed(x, 10) != i32::from(y),
                };
                assert_eq!(found != 0, expected, "{x} and {y}, lane {i}");
            }
        }
    }
}

/// Tries v's numbers in the other lanes' places too, since only a fourth of the numbers are v's.
#[test]
fn every_number_of_v_compresses_otherwise_where_the_definition_says_so() {
    for y in 0..16 {
        let received = Model::splat(y);
        let decompressed = coding::decompress(received);
        for (x, words) in each_word(-COMPARED, COMPARED) {
            let found = coding::compresses_otherwise(words, received, decompressed);
            assert_eq!(found.0[0] != 0, compressed(x, 4) != i32::from(y));
        }
    }
}

/// Tries all pieces of 16 bits: nibble j of piece k of word i gives coefficient 16 i + 4 k + j.
#[test]
fn noise_is_the_binomial_distribution() {
    for bits in 0..=u16::MAX {
        let lane = u64::from(bits) * 0x0001_0001_0001_0001;
        let mut out = [Words::ZERO; 64];
        coding::noise::<Model>(&[Lanes([lane; 4]); 16], &mut out);
        for (i, words) in out.iter().enumerate() {
            let nibble = bits >> (4 * (i % 4)) & 15;
            let [plus, minus] =
                [nibble & 3, nibble >> 2].map(|two: u16| i16::try_from(two.count_ones()).unwrap());
            let expected = plus - minus;
            assert_eq!(*words, Words([expected; 16]), "{bits:x}");
        }
    }
}

/// Tries every number in each place, next to zeros: each bit of the result is a bit of the input, or
/// zero.
#[test]
fn numbers_of_twelve_bits_are_read_from_their_places() {
    for (place, number) in (0..16).flat_map(|place| (0..4096).map(move |number| (place, number))) {
        let bit = 12 * place;
        let mut words = [0; 4];
        words[bit / 64] = number << (bit % 64);
        words[bit / 64 + 1] = u64::try_from((u128::from(number) << (bit % 64)) >> 64).unwrap();
        let mut expected = [0; 16];
        expected[place] = i16::try_from(number).unwrap();
        let [a, b, c, _] = words;
        assert_eq!(coding::twelves::<Model>([a, b, c]).0, expected);
    }
}

/// Tries every number, and every set of accepted places.
#[test]
fn sampling_appends_the_numbers_below_q() {
    let accepted = |words| {
        let mut third = Third::new();
        accept(Model(words), &mut third);
        third.numbers[..third.filled].to_vec()
    };
    for number in 0..4096 {
        let expected = if number < Q { 16 } else { 0 };
        assert_eq!(accepted([number; 16]), vec![number; expected]);
    }
    for set in 0..=u16::MAX {
        let is_in = |i: &i16| set >> i & 1 == 1;
        // Below q, and other in both bytes than the other words of its half.
        let word = |i: i16| i | (i % 8) << 8;
        let words = std::array::from_fn(|i| {
            let i = i16::try_from(i).unwrap();
            if is_in(&i) { word(i) } else { Q + i }
        });
        let expected: Vec<_> = (0..16).filter(is_in).map(word).collect();
        assert_eq!(accepted(words), expected);
    }
}

#[test]
fn the_least_number_is_from_zero_to_q() {
    for a in all(-REDUCED, REDUCED) {
        for (a, least) in each(a, coding::least(a)) {
            assert_eq!(least, a.rem_euclid(Q32));
        }
    }
}
