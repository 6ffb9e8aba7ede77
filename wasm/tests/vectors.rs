//! The vectors of the native tests through the functions that JavaScript calls, in Node and in a
//! browser.
#![cfg(target_arch = "wasm32")]

use js_sys::{Object, Reflect, Uint8Array};
use pqseal_kem_pq::{
    Backend,
    bike::{SecretKey, params},
};
use pqseal_wasm::{KeyRing, PrivateKey, RecipientContext, Suite, inspect, open};
use sha2::{Digest, Sha256};
use test_vectors::{BikeLevel, HpkeVector, Set};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const EXPORT_ONLY: u16 = 0xFFFF;

#[wasm_bindgen_test]
fn rfc_9180() {
    assert_eq!(check_all(&test_vectors::rfc9180()), 128);
}

#[wasm_bindgen_test]
fn draft_ietf_hpke_pq() {
    assert_eq!(check_all(&test_vectors::hpke_pq()), 13);
}

#[wasm_bindgen_test]
fn draft_ietf_hpke_hpke() {
    assert_eq!(check_all(&test_vectors::hpke_edge()), 5);
}

#[wasm_bindgen_test]
fn matched_data() {
    for vector in test_vectors::matched_data().entries {
        let key =
            PrivateKey::parse(&vector.private_key.as_str().into(), &JsValue::UNDEFINED).unwrap();
        assert_eq!(
            key.public_key(&JsValue::UNDEFINED).unwrap(),
            vector.public_key,
            "{}",
            vector.name
        );
        let blob = JsValue::from(vector.blob.as_str());
        assert_eq!(
            open(&blob, &key, &JsValue::UNDEFINED).unwrap(),
            vector.plaintext,
            "{}",
            vector.name
        );
        assert_eq!(
            member(&inspect(&blob).unwrap(), "version"),
            f64::from(vector.version)
        );
        let mut ring = KeyRing::new(&JsValue::UNDEFINED).unwrap();
        ring.add(&key).unwrap();
        let opened = ring.open(&blob, &JsValue::UNDEFINED).unwrap();
        assert_eq!(
            bytes_of(&member(&opened, "plaintext")),
            vector.plaintext,
            "{}",
            vector.name
        );
    }
}

/// Runs BIKE's own vectors of keys, ciphertexts and secrets, which HPKE does not show, on each back
/// end that WebAssembly has.
#[wasm_bindgen_test]
fn bike() {
    let backends = Backend::ALL
        .iter()
        .copied()
        .filter(|backend| backend.is_available());
    assert!(backends.clone().eq([Backend::Portable, Backend::Simd128]));
    assert_eq!(Backend::chosen(), Backend::Simd128);
    backends.for_each(bike_on);
}

fn bike_on(backend: Backend) {
    for (level, p) in [
        (BikeLevel::L1, &params::L1),
        (BikeLevel::L3, &params::L3),
        (BikeLevel::L5, &params::L5),
    ] {
        let set = test_vectors::bike(level);
        assert_eq!(set.entries.len(), 100);
        for vector in set.entries {
            let sk = SecretKey::generate(p, backend, vector.seed.as_slice().try_into().unwrap());
            assert_eq!(
                Sha256::digest(sk.public()).as_slice(),
                vector.pk_sha256,
                "{} {backend:?} {}",
                p.name,
                vector.count
            );
            let (c, sent) = sk.public().encaps(vector.m.as_slice().try_into().unwrap());
            assert_eq!(
                Sha256::digest(&c).as_slice(),
                vector.ct_sha256,
                "{} {backend:?} {}",
                p.name,
                vector.count
            );
            assert_eq!(
                (sent.as_ref(), sk.decaps(&c).unwrap().as_ref()),
                (&*vector.ss, &*vector.ss)
            );
        }
    }
}

fn check_all(set: &Set<HpkeVector>) -> usize {
    set.entries.iter().for_each(check);
    set.entries.len()
}

/// Checks the recipient's computation. The sender is random, so its output is opened again.
fn check(vector: &HpkeVector) {
    let name = format!(
        "{:04x} {:04x} {:04x} {}",
        vector.kem_id, vector.kdf_id, vector.aead_id, vector.mode
    );
    let suite = Suite::new(
        &vector.kem_id.into(),
        &vector.kdf_id.into(),
        &vector.aead_id.into(),
        &JsValue::UNDEFINED,
    )
    .unwrap();
    let derived = suite.derive_key_pair(&bytes(&vector.ikm_r)).unwrap();
    assert_eq!(
        bytes_of(&member(&derived, "publicKey")),
        vector.pk_r,
        "{name}"
    );
    let key = PrivateKey::deserialize(&vector.kem_id.into(), &bytes(&vector.sk_r)).unwrap();
    assert_eq!(key.public_key_bytes().unwrap(), vector.pk_r, "{name}");

    let options = recipient_options(vector);
    let mut context = suite.setup_r(&bytes(&vector.enc), &key, &options).unwrap();
    check_messages(vector, &mut context, &name);
    for export in &vector.exports {
        let length = u32::try_from(export.length).unwrap();
        let value = context
            .export(&bytes(&export.exporter_context), &length.into())
            .unwrap();
        assert_eq!(value, export.exported_value, "{name}");
    }
    check_seal(vector, &suite, &key, &options, &name);
}

fn check_messages(vector: &HpkeVector, context: &mut RecipientContext, name: &str) {
    for message in &vector.encryptions {
        let (ct, aad) = (bytes(&message.ct), bytes(&message.aad));
        // A bigint.
        let seq = JsValue::from(u64::from(message.seq));
        assert_eq!(
            context.open_at(&seq, &ct, &aad).unwrap(),
            message.pt,
            "{name}"
        );
        if u64::from(message.seq) == context.sequence() {
            assert_eq!(context.open(&ct, &aad).unwrap(), message.pt, "{name}");
        }
    }
    if vector.aead_id == EXPORT_ONLY {
        assert_eq!(
            context
                .open(&bytes(&[0; 16]), &JsValue::UNDEFINED)
                .unwrap_err()
                .code,
            "export_only"
        );
    }
}

fn check_seal(
    vector: &HpkeVector,
    suite: &Suite,
    key: &PrivateKey,
    recipient: &JsValue,
    name: &str,
) {
    if vector.aead_id == EXPORT_ONLY {
        return;
    }
    let sender = options(&[
        ("info", Some(&vector.info)),
        ("psk", vector.psk.as_ref()),
        ("pskId", vector.psk_id.as_ref()),
    ]);
    if let Some(sk_s) = &vector.sk_s {
        let sender_key = PrivateKey::deserialize(&vector.kem_id.into(), &bytes(sk_s)).unwrap();
        Reflect::set(&sender, &"senderKey".into(), &sender_key.into()).unwrap();
    }
    let sealed = suite
        .seal(&bytes(&vector.pk_r), &bytes(b"message"), &sender)
        .unwrap();
    let (enc, ct) = (member(&sealed, "enc"), member(&sealed, "ct"));
    assert_eq!(
        suite.open(&enc, key, &ct, recipient).unwrap(),
        b"message",
        "{name}"
    );
    assert!(
        suite
            .open(
                &enc,
                key,
                &ct,
                &options(&[("info", Some(&b"other".to_vec()))])
            )
            .is_err(),
        "{name}"
    );
}

fn recipient_options(vector: &HpkeVector) -> JsValue {
    options(&[
        ("info", Some(&vector.info)),
        ("psk", vector.psk.as_ref()),
        ("pskId", vector.psk_id.as_ref()),
        ("senderPublicKey", vector.pk_s.as_ref()),
    ])
}

fn options(members: &[(&str, Option<&Vec<u8>>)]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        let value = value.map(|value| bytes(value)).unwrap_or_default();
        Reflect::set(&object, &(*name).into(), &value).unwrap();
    }
    object.into()
}

fn bytes(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}

fn bytes_of(value: &JsValue) -> Vec<u8> {
    value.unchecked_ref::<Uint8Array>().to_vec()
}

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

/// Every byte at every place of texts of every length up to three vectors.
#[wasm_bindgen_test]
fn base64() {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let expected = |text: &[u8]| {
        let values: Option<Vec<usize>> = text
            .iter()
            .map(|byte| ALPHABET.iter().position(|known| known == byte))
            .collect();
        let bits: Vec<bool> = values?
            .iter()
            .flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1 == 1))
            .collect();
        let (bytes, rest) = bits.as_chunks::<8>();
        let fits = text.len() % 4 != 1 && !rest.contains(&true);
        let byte = |bits: &[bool; 8]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        fits.then(|| bytes.iter().map(byte).collect::<Vec<u8>>())
    };
    // Other characters are spaces, padding, or of the URL alphabet.
    let others: Vec<u8> = (0..=255)
        .filter(|byte| !b" \t\r\n=-_".contains(byte))
        .collect();
    for length in 0..=48 {
        let text: Vec<u8> = (0..length).map(|at| ALPHABET[at * 37 % 64]).collect();
        for at in 0..length {
            for other in &others {
                let mut text = text.clone();
                text[at] = *other;
                let decoded = pqseal_keys::base64::decode(&text).ok();
                assert_eq!(decoded.as_deref(), expected(&text).as_ref(), "{text:?}");
            }
        }
    }
}
