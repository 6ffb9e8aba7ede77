//! Wycheproof's Diffie-Hellman tests with JWK, PEM or DER keys: 15 files with the same
//! computations as those of raw keys, and some thousand tests of format errors.

use crate::sources::{Source, Sources, rename, set};
use crate::wycheproof::{objects, open};
use crate::{Output, Result};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use test_vectors::{Curve, KeyFormat, KeyFormatVector, Verdict};

/// The curves, the names of their files for each format, and the length of a private key that is a
/// number.
const CURVES: [(Curve, [&str; 3], Option<usize>); 5] = [
    (
        Curve::X25519,
        ["x25519_jwk", "x25519_pem", "x25519_asn"],
        None,
    ),
    (Curve::X448, ["x448_jwk", "x448_pem", "x448_asn"], None),
    (
        Curve::P256,
        [
            "ecdh_secp256r1_webcrypto",
            "ecdh_secp256r1_pem",
            "ecdh_secp256r1",
        ],
        Some(32),
    ),
    (
        Curve::P384,
        [
            "ecdh_secp384r1_webcrypto",
            "ecdh_secp384r1_pem",
            "ecdh_secp384r1",
        ],
        Some(48),
    ),
    (
        Curve::P521,
        [
            "ecdh_secp521r1_webcrypto",
            "ecdh_secp521r1_pem",
            "ecdh_secp521r1",
        ],
        Some(66),
    ),
];

const FORMATS: [KeyFormat; 3] = [KeyFormat::Jwk, KeyFormat::Pem, KeyFormat::Der];

const NOTE: &str = "Of the tests of a file that have the same flags and the same result, one: the computations are those of the sets of \
    bare keys. But of invalid tests in JWK and DER all except InvalidCurveAttack, and of P-256 in DER all InvalidAsn. A JWK is text here, \
    and DER hex. HPKE rejects a zero shared secret and compressed points, and its readers what is not below p.";

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let (mut files, mut entries) = (Vec::new(), Vec::new());
    for (curve, names, number) in CURVES {
        for (name, format) in names.into_iter().zip(FORMATS) {
            let source = open(sources, name)?;
            let mut seen = BTreeSet::new();
            for test in objects(&source)? {
                let vector = vector(&source, test, curve, format, number)?;
                let is_new = seen.insert(format!("{:?} {:?}", vector.result, vector.flags));
                if is_new || is_of_a_format(&vector) {
                    entries.push(vector);
                }
            }
            files.push(source);
        }
    }
    let files: Vec<&Source> = files.iter().collect();
    let set = set(&files, "wycheproof-key-formats", NOTE, entries);
    Ok(vec![Output::new(&set)?])
}

/// Reports whether a test is kept even if others of its kind already were.
fn is_of_a_format(vector: &KeyFormatVector) -> bool {
    let has = |flag: &str| vector.flags.iter().any(|found| found == flag);
    let of_p256_der = vector.curve == Curve::P256 && has("InvalidAsn");
    let invalid = vector.result == Verdict::Invalid && vector.format != KeyFormat::Pem;
    of_p256_der || invalid && !has("InvalidCurveAttack")
}

fn vector(
    source: &Source,
    mut test: Map<String, Value>,
    curve: Curve,
    format: KeyFormat,
    number: Option<usize>,
) -> Result<KeyFormatVector> {
    rename(&mut test, &[("tcId", "id")]);
    for half in ["public", "private"] {
        if let Some(jwk @ Value::Object(_)) = test.get(half) {
            let text = jwk.to_string();
            test.insert(half.to_owned(), text.into());
        }
    }
    test.insert("curve".to_owned(), serde_json::to_value(curve)?);
    test.insert("format".to_owned(), serde_json::to_value(format)?);
    let mut vector: KeyFormatVector = source.entry(test)?;
    if let (KeyFormat::Der, Some(length)) = (format, number) {
        let digits = vector.private.trim_start_matches('0');
        vector.private = format!("{digits:0>width$}", width = 2 * length);
    }
    Ok(vector)
}
