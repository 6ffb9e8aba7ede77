//! Wycheproof's keys as JWK, PEM and DER: valid keys are read and agree on the secret, invalid ones
//! are refused, and acceptable ones are refused or agree.

use std::collections::BTreeMap;

use pqseal_hpke::{
    AnyPrivateKey, AnyPublicKey,
    dhkem::{Group, P256, P384, P521, X448, X25519},
};
use pqseal_keys::{read_private, read_private_der, read_public, read_public_der};
use test_vectors::{Curve, KeyFormat, KeyFormatVector, Verdict, wycheproof_key_formats};

use crate::common::kem;

#[test]
fn keys_in_every_format_agree_or_are_refused() {
    let mut counts = BTreeMap::<_, usize>::new();
    for test in wycheproof_key_formats().entries {
        let found = agreed(&test);
        let right = match test.result {
            Verdict::Valid => found.as_ref() == Some(&test.shared),
            Verdict::Acceptable => found.as_ref().is_none_or(|found| *found == test.shared),
            Verdict::Invalid => found.is_none(),
        };
        let name = format!("{:?} {:?}", test.format, test.result);
        assert!(
            right,
            "{name}, {:?} {}: {}: {found:02x?}",
            test.curve, test.id, test.comment
        );
        *counts.entry(name).or_default() += 1;
    }
    let counts: Vec<_> = counts
        .iter()
        .map(|(name, count)| (&name[..], *count))
        .collect();
    assert_eq!(
        counts,
        [
            ("Der Acceptable", 270),
            ("Der Invalid", 159),
            ("Der Valid", 29),
            ("Jwk Acceptable", 34),
            ("Jwk Invalid", 62),
            ("Jwk Valid", 29),
            ("Pem Acceptable", 52),
            ("Pem Invalid", 36),
            ("Pem Valid", 29),
        ]
    );
}

/// The secret, if both keys can be read, are of the test's curve and agree.
fn agreed(test: &KeyFormatVector) -> Option<Vec<u8>> {
    let (private, public) = keys(test)?;
    match test.curve {
        Curve::X25519 => dh::<X25519>("x25519", &private, &public),
        Curve::X448 => dh::<X448>("x448", &private, &public),
        Curve::P256 => dh::<P256>("p256", &private, &public),
        Curve::P384 => dh::<P384>("p384", &private, &public),
        Curve::P521 => dh::<P521>("p521", &private, &public),
    }
}

fn keys(test: &KeyFormatVector) -> Option<(AnyPrivateKey, AnyPublicKey)> {
    if test.format != KeyFormat::Der {
        let private = read_private(&test.private, None).ok()?;
        return Some((private, read_public(&test.public, None).ok()?));
    }
    let der = |hex: &str| data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap();
    let (private, public) = (der(&test.private), der(&test.public));
    // Of the P-curves it is a number.
    let private = match test.curve {
        Curve::X25519 | Curve::X448 => read_private_der(&private).ok()?,
        Curve::P256 => kem("p256").deserialize_private_key(&private).ok()?,
        Curve::P384 => kem("p384").deserialize_private_key(&private).ok()?,
        Curve::P521 => kem("p521").deserialize_private_key(&private).ok()?,
    };
    Some((private, read_public_der(&public).ok()?))
}

fn dh<G: Group>(name: &str, private: &AnyPrivateKey, public: &AnyPublicKey) -> Option<Vec<u8>> {
    let of_curve = |id: u16| id == kem(name).info().id;
    if !of_curve(private.kem().id) || !of_curve(public.kem().id) {
        return None;
    }
    let scalar = G::scalar(private.to_bytes().unwrap().as_ref()).unwrap();
    let point = G::point(public.as_ref()).unwrap();
    Some(G::dh(&scalar, &point).ok()?.as_ref().to_vec())
}
