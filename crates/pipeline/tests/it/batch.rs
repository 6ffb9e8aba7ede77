//! Texts and their outcomes.

use getrandom::SysRng;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
use pqseal_keys::{Fingerprint, base64, kem_by_name};
use pqseal_matched_data::{Blob, Error, KeyRing, SealOptions, Sealer};
use pqseal_pipeline::{Failure, FieldValue, Opener, Outcome, Pipeline, Reason};
use pqseal_records::{JsonValues, Rules};

use crate::common::{Silent, fields};

fn pair(kem: &str, number: u8) -> (AnyPrivateKey, AnyPublicKey) {
    kem_by_name(kem)
        .unwrap()
        .derive_key_pair(&[number; 66])
        .unwrap()
}

fn opener(keys: &[&AnyPrivateKey]) -> Opener {
    let mut ring = KeyRing::new();
    keys.iter().for_each(|key| ring.add(key).unwrap());
    Opener::new(ring)
}

fn v3(key: &AnyPublicKey, plaintext: &[u8]) -> String {
    base64::encode(
        &Sealer::new(key, &SealOptions::default())
            .unwrap()
            .seal(b"", plaintext, &mut SysRng)
            .unwrap(),
    )
}

fn v4(key: &AnyPublicKey, aad: &[u8], plaintext: &[u8]) -> String {
    let options = SealOptions {
        version: Some(4),
        with_aad: true,
        ..SealOptions::default()
    };
    let sealer = Sealer::new(key, &options).unwrap();
    base64::encode(&sealer.seal(aad, plaintext, &mut SysRng).unwrap())
}

fn opened(key: usize, plaintext: &[u8]) -> Outcome {
    Outcome::Opened {
        plaintext: plaintext.to_vec(),
        key,
    }
}

/// More records than a chunk, of every kind, from two keys and two origins. The outcomes are in
/// order.
#[test]
fn every_record_has_its_outcome_in_its_place() {
    let [(a, a_public), (b, b_public)] = [1, 2].map(|number| pair("x25519", number));
    let (h, h_public) = pair("mlkem768-x25519", 3);
    let (_, stranger) = pair("x25519", 4);
    let opener = opener(&[&a, &b, &h]);
    let ids = [&a_public, &b_public]
        .map(|key| Fingerprint::of(key).key_id().into())
        .to_vec();
    let failed = |error, keys| {
        let reason = Reason::Blob(error);
        Outcome::Failed(Failure { reason, keys })
    };
    let mut texts = Vec::new();
    for n in 0..60_u8 {
        texts.push((Some(v3(&a_public, &[n])), opened(0, &[n])));
        texts.push((Some(v3(&b_public, &[n])), opened(1, &[n])));
        texts.push((Some(v4(&h_public, &[n], &[n])), opened(2, &[n])));
        texts.push((None, Outcome::Absent));
        texts.push((Some(" truncated\n".to_owned()), Outcome::Truncated));
        texts.push((
            Some(v3(&stranger, &[n])),
            failed(Error::NoKeyOpens, ids.clone()),
        ));
        texts.push((
            Some("A2nf*".to_owned()),
            failed(Blob::decode(b"A2nf*").unwrap_err(), vec![]),
        ));
    }
    let aads: Vec<[u8; 1]> = (0..60).map(|n| [n]).collect();
    let records = texts.iter().enumerate().map(|(n, (text, _))| FieldValue {
        text: text.as_deref().map(str::as_bytes),
        aad: if n % 7 == 2 { &aads[n / 7] } else { b"" },
        origin: if n % 7 == 1 { b"b" } else { b"a" },
        ..FieldValue::default()
    });
    let records: Vec<_> = records.collect();
    // The second time the hints of the first are used.
    for _ in 0..2 {
        for (outcome, (text, expected)) in opener.open_batch(&records).iter().zip(&texts) {
            assert_eq!(outcome, expected, "{text:?}");
        }
    }
}

#[test]
fn the_code_says_what_is_wrong() {
    let (key, public) = pair("x25519", 1);
    let (_, other) = pair("mlkem768-x25519", 1);
    let opener = opener(&[&key]);
    let code = |text: &str| match opener.open_batch(&[Some(text).into()]).remove(0) {
        Outcome::Failed(failure) => failure.code(),
        other => panic!("{other:?}"),
    };
    assert_eq!(code("Bmnf"), "unsupported_version");
    assert_eq!(code("BGnf"), "bad_length");
    assert_eq!(
        code(&(v3(&public, b"x").trim_end_matches('=').to_owned() + "AAAA")),
        "trailing_bytes"
    );
    assert_eq!(code(&v4(&other, b"", b"x")), "no_key_with_id");
    assert_eq!(code(&v4(&public, b"bound", b"x")), "altered");
    assert_eq!(
        opener.open_batch(&[Some("").into(), None.into()]),
        [Outcome::Absent, Outcome::Absent]
    );
}

/// Another vendor's sealed value may be an object. Text is a blob, whatever it begins like.
#[test]
fn only_an_object_is_not_a_string() {
    let (key, _) = pair("x25519", 1);
    let mut ring = KeyRing::new();
    ring.add(&key).unwrap();
    let others = pqseal_sealed::Keys::new(&ring).unwrap();
    let rules = Rules {
        json: JsonValues::Objects,
        ..fields(&["s"])
    };
    let pipeline = Pipeline::new(Opener::new(ring).with_others(others, None), rules, 1).unwrap();
    for (value, code) in [
        (r#"{"a":1}"#, "not_a_string"),
        (r#"{"type":"encrypted","size":5}"#, "not_a_string"),
        ("7", "not_a_string"),
        (r#""{oops""#, "bad_base64"),
        (r#""{\"a\":1}""#, "bad_base64"),
    ] {
        let (input, mut out) = (format!("{{\"s\":{value}}}\n"), Vec::new());
        let stats = pipeline.run(input.as_bytes(), &mut out, "test", &mut Silent);
        let failed = stats.unwrap().failed;
        assert!(failed.keys().eq([&code]), "{value}: {failed:?}");
    }
}
