//! Sealed values of other vendors: an opened value is one that was sealed, and whatever is described
//! is of the kind that was detected.

use std::sync::LazyLock;

use pqseal_keys::{KeyText, kem_by_name};
use pqseal_matched_data::KeyRing;
use pqseal_sealed::{Keys, Kind, OtherKey, describe};
use serde_json::Value;

/// The keys of all seeds.
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let kem = kem_by_name("x25519").expect("a KEM");
    let mut ring = KeyRing::new();
    for vector in test_vectors::receipts().entries {
        let key = kem.deserialize_private_key(&vector.sk_r).expect("a key");
        ring.add(&key).expect("a key of a registered KEM");
    }
    let mut keys = Keys::new(&ring).expect("the keys are valid");
    for text in made()["keys"].as_object().expect("the keys").values() {
        let text = KeyText::new(text.as_str().expect("PEM").as_bytes()).expect("text");
        for key in OtherKey::read_all(&text, None, |_| ()).expect("a key").1 {
            keys.add(&key).expect("a consistent key");
        }
    }
    keys
});

/// The plaintexts of all seeds that are AI Gateway objects.
static TEXTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let file = made();
    let objects = file["objects"].as_array().expect("the objects");
    let texts = objects.iter().map(|object| object["text"].as_str());
    texts.map(|text| text.expect("a text").into()).collect()
});

fn made() -> Value {
    let file = include_str!("../../../crates/sealed/tests/ai_gateway.json");
    serde_json::from_str(file).expect("the file is JSON")
}

pub(crate) fn run(bytes: &[u8]) {
    let kind = Kind::detect(bytes);
    for other in [Kind::AiGateway, Kind::AgentReceipt] {
        match KEYS.open(other, bytes) {
            Ok(None) => {}
            Ok(Some(opened)) if other == Kind::AiGateway => {
                assert!(TEXTS.contains(&opened.plaintext));
            }
            Ok(Some(opened)) => {
                let hash = test_vectors::sha256(&opened.plaintext);
                let known = test_vectors::receipts().entries;
                assert!(known.iter().any(|vector| vector.pt_sha256 == hash));
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
    objects.chain(receipts).map(String::into_bytes).collect()
}
