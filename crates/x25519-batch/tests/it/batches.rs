//! The results of batches: one per point, in order, each of which depends only on its own
//! point.

use proptest::prelude::*;
use x25519_batch::Backend;

use crate::common::{backends, dalek, hex};

/// Points without order in them, which a seed gives.
fn points(seed: u8, count: usize) -> Vec<[u8; 32]> {
    let mut point = [seed; 32];
    std::iter::repeat_with(|| {
        point = dalek(&[seed; 32], &point);
        point
    })
    .take(count)
    .collect()
}

fn expected(scalar: &[u8; 32], points: &[[u8; 32]]) -> Vec<[u8; 32]> {
    points.iter().map(|point| dalek(scalar, point)).collect()
}

/// Checks both forms of the result.
fn check(backend: Backend, scalar: &[u8; 32], points: &[[u8; 32]], expected: &[[u8; 32]]) {
    let results = backend.x25519(scalar, points);
    assert_eq!(
        (results.len(), results.is_empty()),
        (points.len(), points.is_empty())
    );
    assert_eq!(
        results.as_bytes(),
        expected,
        "{backend:?}, {} points",
        points.len()
    );
    let options: Vec<_> = expected
        .iter()
        .map(|result| Some(result).filter(|result| **result != [0; 32]))
        .collect();
    assert_eq!(results.iter().collect::<Vec<_>>(), options);
}

/// A part of a vector, whole ones, pairs of them with and without a rest, and several inverses.
#[test]
fn every_size() {
    let scalar = [0xa5; 32];
    let points = points(1, 1000);
    let expected = expected(&scalar, &points);
    for backend in backends() {
        for size in (0..=40).chain([63, 64, 65, 127, 128, 129, 1000]) {
            check(backend, &scalar, &points[..size], &expected[..size]);
        }
    }
}

/// The points of order 1, 2, 4 and 8, and their forms from p on and with bit 255.
fn low_order() -> Vec<[u8; 32]> {
    let canonical = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    let with_bit_255 = |mut point: [u8; 32]| {
        point[31] |= 0x80;
        point
    };
    canonical
        .map(hex)
        .into_iter()
        .flat_map(|point| [point, with_bit_255(point)])
        .collect()
}

/// Tests a point of low order at each position in turn, and at all: it does not change the
/// results of other points.
#[test]
fn only_a_point_of_low_order_is_refused() {
    let scalar = [0x5a; 32];
    let honest = points(2, 20);
    for backend in backends() {
        for (place, low) in low_order().into_iter().enumerate() {
            let mut points = honest.clone();
            points[place] = low;
            let expected = expected(&scalar, &points);
            assert_eq!(expected[place], [0; 32]);
            check(backend, &scalar, &points, &expected);
        }
        check(backend, &scalar, &low_order(), &[[0; 32]; 14]);
    }
}

/// Numbers from p to 2^255 - 1, each with and without bit 255.
#[test]
fn every_non_canonical_point() {
    let scalar = [0x33; 32];
    let points: Vec<[u8; 32]> = (0xed..=0xff)
        .flat_map(|low| {
            [0x7f, 0xff].map(|high| {
                let mut point = [0xff; 32];
                (point[0], point[31]) = (low, high);
                point
            })
        })
        .collect();
    let expected = expected(&scalar, &points);
    for pair in expected.chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
    for backend in backends() {
        check(backend, &scalar, &points, &expected);
    }
}

/// The five bits that clamping sets or clears, in all 32 ways, of two scalars.
#[test]
fn scalars_are_clamped() {
    let points = points(3, 11);
    for backend in backends() {
        for byte in [0x00, 0x5a] {
            let expected = expected(&[byte; 32], &points);
            for bits in 0..32_u8 {
                let mut scalar = [byte; 32];
                scalar[0] = scalar[0] & !7 | bits & 7;
                scalar[31] = scalar[31] & !0xc0 | bits >> 3 << 6;
                check(backend, &scalar, &points, &expected);
                let one = backend.x25519_one(&scalar, &points[0]);
                assert_eq!(*one, expected[0], "{backend:?}, {scalar:x?}");
            }
        }
    }
}

/// Tests each bit that clamping keeps, set alone and cleared alone, in a vector and for one
/// point.
#[test]
fn every_bit_of_the_scalar_has_its_place() {
    let points = points(5, 3);
    for backend in backends() {
        for (bit, byte) in (3..254).flat_map(|bit| [(bit, 0), (bit, 0xff)]) {
            let mut scalar = [byte; 32];
            scalar[bit / 8] ^= 1 << (bit % 8);
            let expected = expected(&scalar, &points);
            check(backend, &scalar, &points, &expected);
            let one = backend.x25519_one(&scalar, &points[0]);
            assert_eq!(*one, expected[0], "{backend:?}, bit {bit}");
        }
    }
}

#[test]
fn results_are_not_shown() {
    let results = x25519_batch::x25519(&[1; 32], &points(4, 2));
    assert_eq!(format!("{results:?}"), "SharedSecrets(2 results, redacted)");
}

/// Returns the number of cases: fewer on an emulator, which takes a thousand times as long.
fn cases() -> u32 {
    let cases = std::env::var("PQSEAL_TEST_CASES");
    cases.map_or(200, |cases| {
        cases.parse().expect("PQSEAL_TEST_CASES is a number")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Any scalar and any bytes for points.
    #[test]
    fn like_dalek(scalar: [u8; 32], points in prop::collection::vec(any::<[u8; 32]>(), 0..20)) {
        let expected = expected(&scalar, &points);
        for backend in Backend::ALL.iter().filter(|backend| backend.is_available()) {
            check(*backend, &scalar, &points, &expected);
        }
    }
}
