//! X25519 and X448 public keys that no private key has are refused when they are read, and not by
//! `hpke`, which follows RFC 9180.

use pqseal_hpke::{AnyPublicKey, DynKem, Error as HpkeError};
use pqseal_keys::{
    KeyError, KeyFormat, read_public, read_public_der, write_public, write_public_der,
};
use test_vectors::{Curve, wycheproof_dh};

use crate::common::{self, forms, kem, pair, pairs};

/// Returns the result of every reader for a public key, after a check that all agree.
#[track_caller]
fn read(key: &AnyPublicKey, kem: &'static DynKem) -> Result<AnyPublicKey, KeyError> {
    let texts = forms(kem).filter(|form| *form != KeyFormat::Json);
    let mut read: Vec<_> = texts
        .map(|form| read_public(write_public(key, form).unwrap(), Some(kem)))
        .collect();
    if let Ok(der) = write_public_der(key) {
        read.push(read_public_der(&der));
    }
    assert!(read.iter().all(|other| *other == read[0]), "{read:?}");
    read.remove(0)
}

/// The public keys of Wycheproof whose shared secret is zero: all of low order, some not below p.
fn low_order(curve: Curve) -> Vec<Vec<u8>> {
    let tests = wycheproof_dh(curve).entries.into_iter();
    let mut points: Vec<_> = tests
        .filter(|test| !test.shared.is_empty() && test.shared.iter().all(|byte| *byte == 0))
        .map(|test| test.public)
        .collect();
    points.sort();
    points.dedup();
    points
}

fn check_low_order(name: &str, curve: Curve, of_low_order: usize, not_canonical: usize) {
    let kem = kem(name);
    let (mut low, mut above) = (0, 0);
    for point in low_order(curve) {
        let key = kem.deserialize_public_key(&point).unwrap();
        let randomness = vec![1; kem.info().n_random];
        assert_eq!(
            kem.encap(&key, &randomness).err(),
            Some(HpkeError::Validation)
        );
        match read(&key, kem) {
            Err(KeyError::LowOrder(_)) => low += 1,
            Err(KeyError::NotCanonical(_)) => above += 1,
            other => panic!("{point:02x?}: {other:?}"),
        }
    }
    assert_eq!((low, above), (of_low_order, not_canonical));
}

#[test]
fn points_of_low_order() {
    check_low_order("x25519", Curve::X25519, 5, 9);
    check_low_order("x448", Curve::X448, 3, 2);
    for (name, size) in [("x25519", 32), ("x448", 56)] {
        let zeros = kem(name).deserialize_public_key(&vec![0; size]).unwrap();
        assert!(matches!(
            read(&zeros, kem(name)),
            Err(KeyError::LowOrder(_))
        ));
    }
}

/// The last bytes of numbers around p, from p - 3 to 2^256 - 1.
#[test]
fn numbers_around_p() {
    let x25519 = |first: u8, last: u8| {
        let mut bytes = vec![0xff; 32];
        (bytes[0], bytes[31]) = (first, last);
        bytes
    };
    let x448 = |first: u8, middle: u8| {
        let mut bytes = vec![0xff; 56];
        (bytes[0], bytes[28]) = (first, middle);
        bytes
    };
    let not_canonical = |curve| Some(KeyError::NotCanonical(curve));
    let cases = [
        ("x25519", x25519(0xea, 0x7f), None),
        ("x25519", x25519(0xeb, 0x7f), None),
        (
            "x25519",
            x25519(0xec, 0x7f),
            Some(KeyError::LowOrder("X25519")),
        ),
        ("x25519", x25519(0xed, 0x7f), not_canonical("X25519")),
        ("x25519", x25519(0xff, 0x7f), not_canonical("X25519")),
        ("x25519", x25519(9, 0x80), not_canonical("X25519")),
        ("x448", x448(0xfd, 0xfe), None),
        ("x448", x448(0xfe, 0xfe), Some(KeyError::LowOrder("X448"))),
        ("x448", x448(0xff, 0xfe), not_canonical("X448")),
        ("x448", x448(0xff, 0xff), not_canonical("X448")),
    ];
    for (name, bytes, expected) in cases {
        let key = kem(name).deserialize_public_key(&bytes).unwrap();
        assert_eq!(read(&key, kem(name)).err(), expected, "{bytes:02x?}");
    }
}

/// Wherever the point is in a key: what no owner has because of it, no reader takes.
#[test]
fn points_within_hybrids() {
    let mut with_points = 0;
    for pair in pairs() {
        assert_eq!(read(&pair.public, pair.kem).as_ref(), Ok(&pair.public));
        let name = pair.kem.info().short_name;
        if !name.contains("x25519") {
            continue;
        }
        with_points += 1;
        let mut bytes = pair.public.as_ref().to_vec();
        let place = match name {
            "x25519-kyber768-draft00" => 31,
            _ => bytes.len() - 1,
        };
        bytes[place] |= 0x80;
        let key = pair.kem.deserialize_public_key(&bytes).unwrap();
        assert_eq!(read(&key, pair.kem), Err(KeyError::NotCanonical("X25519")));
    }
    assert_eq!(with_points, 6);
}

/// Half of all private keys are no public keys, which a raw text does not tell.
#[test]
fn a_private_key_in_the_place_of_a_public_one_is_asked_about() {
    let mut private = common::bytes(&pair(kem("x25519"), 1).private);
    private[31] |= 0x80;
    let error = read_public(pqseal_keys::base64::encode(&private), None).unwrap_err();
    assert!(
        error.to_string().ends_with("is it a private key?"),
        "{error}"
    );
}
