//! Published vectors, on every back end that this machine has.

use test_vectors::{Curve, Verdict, wycheproof_dh};
use x25519_batch::Backend;

use crate::common::{array, backends, hex};

/// Computes a batch with the tested point at two positions: next to a point of low order, and alone
/// in a vector.
fn alone_and_in_company(backend: Backend, scalar: &[u8; 32], point: [u8; 32]) -> [u8; 32] {
    let mut points = [[9; 32]; 19];
    (points[0], points[1], points[18]) = ([0; 32], point, point);
    let results = backend.x25519(scalar, &points);
    let results = results.as_bytes();
    assert_eq!(results[1], results[18]);
    results[1]
}

/// RFC 7748, section 5.2.
#[test]
fn rfc_7748() {
    let vectors = [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ),
        (
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ),
    ];
    for backend in backends() {
        for (scalar, point, expected) in vectors {
            assert_eq!(
                alone_and_in_company(backend, &hex(scalar), hex(point)),
                hex(expected),
                "{backend:?}"
            );
        }
    }
}

/// RFC 7748, section 5.2: 1,000 times over, on four lanes at once.
#[test]
fn rfc_7748_iterated() {
    let mut base = [0; 32];
    base[0] = 9;
    for backend in backends() {
        let (mut scalar, mut point) = (base, base);
        for round in 1..=1000 {
            let results = backend.x25519(&scalar, &[point; 4]);
            assert!(
                results
                    .as_bytes()
                    .iter()
                    .all(|result| result == &results.as_bytes()[0])
            );
            (scalar, point) = (results.as_bytes()[0], scalar);
            if round == 1 {
                assert_eq!(
                    scalar,
                    hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
                );
            }
        }
        assert_eq!(
            scalar,
            hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"),
            "{backend:?}"
        );
    }
}

/// An all-zero result is "acceptable" to Wycheproof, and `None` here.
#[test]
fn wycheproof() {
    for backend in backends() {
        let (mut right, mut zero) = (0, 0);
        for vector in wycheproof_dh(Curve::X25519).entries {
            let (scalar, point, shared) = (
                array(&vector.private),
                array(&vector.public),
                array(&vector.shared),
            );
            assert_ne!(vector.result, Verdict::Invalid);
            assert_eq!(
                alone_and_in_company(backend, &scalar, point),
                shared,
                "{backend:?}, {}",
                vector.id
            );
            match backend.x25519(&scalar, &[point]).iter().next().unwrap() {
                Some(result) => {
                    assert_eq!(*result, shared);
                    right += 1;
                }
                None => zero += 1,
            }
        }
        assert_eq!((right, zero), (487, 31), "{backend:?}");
    }
}
