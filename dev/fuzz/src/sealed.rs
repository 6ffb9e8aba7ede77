//! Sealed values of other kinds than matched data: an opened value is one that was sealed, and
//! whatever is described is of the kind that was detected.

use std::sync::LazyLock;

use pqseal_keys::{KeyText, kem_by_name};
use pqseal_matched_data::KeyRing;
use pqseal_sealed::{Keys, Kind, OtherKey, describe};
use serde_json::Value;
use test_vectors::{AgeExpect, AgeVector};

/// The keys of all seeds.
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let kem = kem_by_name("x25519").expect("a KEM");
    let mut ring = KeyRing::new();
    for vector in test_vectors::receipts().entries {
        let key = kem.deserialize_private_key(&vector.sk_r).expect("a key");
        ring.add(&key).expect("a key of a registered KEM");
    }
    for vector in test_vectors::jose_hpke_pq().entries {
        let key = pqseal_keys::read_private(vector.jwk.to_string(), None).expect("a JWK");
        ring.add(&key).expect("a key of a registered KEM");
    }
    let mut keys = Keys::new(&ring).expect("the keys are valid");
    let file = made();
    let rsa = file["keys"].as_object().expect("the keys").values();
    let rsa = rsa.map(|text| text.as_str().expect("PEM").to_owned());
    let age = age().into_iter().flat_map(|case| case.identities);
    for text in rsa.chain(age) {
        let text = KeyText::new(text.as_bytes()).expect("text");
        for key in OtherKey::read_all(&text, None, |_| ()).expect("a key").1 {
            keys.add(&key).expect("a consistent key");
        }
    }
    keys
});

/// The SHA-256 of the plaintexts of all seeds.
static PLAINTEXTS: LazyLock<Vec<[u8; 32]>> = LazyLock::new(|| {
    let opened = seeds().into_iter().filter_map(|seed| {
        let opened = KEYS.open(Kind::detect(&seed)?, &seed).ok()??;
        Some(test_vectors::sha256(&opened.plaintext))
    });
    opened.collect()
});

/// Returns the armored files of age's test kit that one of its identities opens.
fn age() -> Vec<AgeVector> {
    let cases = test_vectors::age_kit().entries.into_iter();
    cases
        .filter(|case| {
            case.armored
                && case.expect == AgeExpect::Success
                && !case.compressed
                && !case.identities.is_empty()
        })
        .collect()
}

fn made() -> Value {
    let file = include_str!("../../../crates/sealed/tests/ai_gateway.json");
    serde_json::from_str(file).expect("the file is JSON")
}

pub(crate) fn run(bytes: &[u8]) {
    let kind = Kind::detect(bytes);
    for other in Kind::ALL {
        match KEYS.open(*other, bytes) {
            Ok(None) => {}
            Ok(Some(opened)) => {
                assert!(PLAINTEXTS.contains(&test_vectors::sha256(&opened.plaintext)));
            }
            Err(error) => assert!(!error.code().is_empty()),
        }
    }
    if let Ok(Some(found)) = describe(bytes) {
        assert_eq!(Some(found.kind), kind);
        assert!(found.plaintext_len.is_none_or(|len| len < bytes.len()));
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let file = made();
    let objects = file["objects"].as_array().expect("the objects");
    let objects = objects.iter().map(|object| object["value"].to_string());
    let receipts = test_vectors::receipts().entries.into_iter();
    let receipts = receipts.map(|vector| vector.envelope.to_string());
    let jwes = test_vectors::jose_hpke_pq().entries.into_iter();
    let strings = objects
        .chain(receipts)
        .chain(jwes.map(|vector| vector.compact));
    let age = age().into_iter().map(|case| case.file);
    strings.map(String::into_bytes).chain(age).collect()
}
