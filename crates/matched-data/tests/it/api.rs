//! The functions that front ends rely on: decoding of texts, descriptions, names, codes, and
//! detection of secrets.

use pqseal_hpke::{Status, SuiteId};
use pqseal_keys::{Fingerprint, KeyError, KeyFormat, KeyId, base64};
use pqseal_matched_data::{Blob, Error, KeyRing, OpenOptions, Trailing};

use crate::common::{self, kem, key_and_blob, pair, pairs, seal_v4};

#[test]
fn blobs_are_read_from_text_and_from_bytes() {
    let (_, blob) = key_and_blob(&common::entry("public_v3_docs"));
    let text = base64::encode(&blob);
    let wrapped = format!("\u{feff}{}\r\n{}\n", &text[..20], &text[20..]);
    assert_eq!(Blob::decode(text.as_bytes()).unwrap(), blob);
    for input in [text.as_bytes(), wrapped.as_bytes(), &blob] {
        assert_eq!(*Blob::decode_text_or_bytes(input).unwrap(), blob[..]);
    }
    for (text, error) in [
        ("", Error::Empty),
        (" \n", Error::Empty),
        (" truncated\n", Error::Truncated),
    ] {
        assert_eq!(Blob::decode(text.as_bytes()), Err(error.clone()));
        assert_eq!(Blob::decode_text_or_bytes(text.as_bytes()), Err(error));
    }
    assert_eq!(Blob::decode(b"???").unwrap_err().code(), "bad_base64");
}

#[test]
fn every_blob_is_described() {
    for entry in test_vectors::matched_data().entries {
        let (_, mut blob) = key_and_blob(&entry);
        let whole = Blob::describe(&blob).unwrap();
        assert_eq!(whole.plaintext_len, Some(entry.plaintext.len()));
        assert_eq!((whole.trailing_len, whole.problem), (0, None));
        if whole.version < 4 {
            blob.extend([0; 3]);
            assert_eq!(Blob::describe(&blob).unwrap().trailing_len, 3);
        }
    }
    let key = pair(kem("x25519"), 1);
    let mut blob = seal_v4(&key, 1, 3, [b"", b""], b"plaintext");
    let known = Blob::describe(&blob).unwrap();
    assert_eq!(known.suite, SuiteId::new(0x0020, 1, 3));
    assert_eq!(known.key_id, Some(Fingerprint::of(&key.public).key_id()));
    assert_eq!(
        (known.status, known.plaintext_len),
        (Some(Status::Standard), Some(9))
    );
    // A blob that ends after its header is too short, whether its KDF is known or not.
    let cut = &mut blob.clone()[..20];
    let too_short = Blob::parse(cut, Trailing::Refuse).unwrap_err();
    assert_eq!(too_short.code(), "bad_length");
    assert_eq!(Blob::describe(cut), Err(too_short.clone()));
    cut[3] = 0x7f;
    assert_eq!(Blob::describe(cut).unwrap().problem, Some(too_short));
    // An unknown KEM leaves the header.
    blob[1] = 0x7f;
    let unknown = Blob::describe(&blob).unwrap();
    assert_eq!(
        (unknown.status, unknown.enc, unknown.plaintext_len),
        (None, None, None)
    );
    assert_eq!(unknown.problem.unwrap().code(), "unsupported_suite");
    assert_eq!(Blob::describe(&[9]), Err(Error::UnsupportedVersion(9)));
    assert!(Blob::describe(&[]).is_err());
}

#[test]
fn names_are_read_as_they_are_written() {
    for format in KeyFormat::ALL {
        assert_eq!(format.to_string().parse(), Ok(*format));
    }
    let error = "PEM".parse::<KeyFormat>().unwrap_err();
    assert_eq!(error.to_string(), "it must be raw, json, pem, jwk or line");
    let id = KeyId::new([0, 1, 2, 3, 0xab, 0xcd, 0xef, 0xff]);
    assert_eq!(id.to_string().parse(), Ok(id));
    assert_eq!("00010203ABCDEFFF".parse(), Ok(id));
    for wrong in [
        "",
        "00",
        "+0010203abcdefff",
        "00010203abcdefff0",
        "g0010203abcdefff",
    ] {
        assert!(wrong.parse::<KeyId>().is_err(), "{wrong}");
    }
}

#[test]
fn errors_have_the_codes_of_every_program() {
    assert_eq!(KeyError::FormatLacksKem.code(), "bad_argument");
    assert_eq!(KeyError::Checksum.code(), "bad_key");
    let refused = pqseal_keys::read_private("pqseal-private-key:sike:AAAA", None).unwrap_err();
    assert_eq!(refused.code(), "refused_kem");
    assert_eq!(
        pqseal_keys::read_private_keys("", None).unwrap_err().code(),
        "bad_key"
    );
    assert_eq!(Error::Altered.code(), "altered");
    assert_eq!(Error::KeyOfAnotherKem.code(), "altered");
    assert_eq!(Error::NotSealed(1).code(), "bad_argument");
}

#[test]
fn private_keys_look_secret_and_public_ones_are_keys() {
    for key in pairs() {
        for format in KeyFormat::ALL {
            let Ok(private) = pqseal_keys::write_private(&key.private, *format) else {
                continue;
            };
            assert!(pqseal_keys::looks_secret(&private), "{format}");
            assert!(pqseal_keys::holds_key(&private), "{format}");
            let named = matches!(format, KeyFormat::Pem | KeyFormat::Line);
            assert_eq!(pqseal_keys::says_private(&private), named, "{format}");
        }
        let public = pqseal_keys::write_public(&key.public, KeyFormat::Line).unwrap();
        assert!(!pqseal_keys::looks_secret(&public) && !pqseal_keys::says_private(&public));
    }
    for other in ["", "k.pem", "/etc/pqseal/key", "truncated"] {
        assert!(
            !pqseal_keys::looks_secret(other) && !pqseal_keys::holds_key(other),
            "{other}"
        );
    }
    let (_, blob) = key_and_blob(&common::entry("public_v3_docs"));
    assert!(!pqseal_keys::holds_key(base64::encode(&blob)));
}

/// Escapes are JSON's; a key file of PHP has `\/` for `/`.
#[test]
fn keys_in_json_may_have_escapes() {
    let key = pair(kem("x25519"), 3);
    let json = pqseal_keys::write_private(&key.private, KeyFormat::Json).unwrap();
    let escaped = json.replace('/', "\\/").replace("A", "\\u0041");
    let read = pqseal_keys::read_private(&escaped, None).unwrap();
    assert_eq!(read.public_key().unwrap(), key.public);
    for wrong in [
        r#"{"private_key": 7}"#,
        r#"{"private_key": null}"#,
        r#"{"private_key": "\u00e4"}"#,
    ] {
        assert!(
            matches!(
                pqseal_keys::read_private(wrong, None),
                Err(KeyError::Json(_))
            ),
            "{wrong}"
        );
    }
}

#[test]
fn a_missing_key_is_named_among_a_few() {
    let mut ring = KeyRing::new();
    let key = pair(kem("x25519"), 1);
    for _ in 0..20 {
        ring.add(&key.private).unwrap();
    }
    let id = Fingerprint::of(&key.public).key_id();
    assert_eq!(
        (ring.position(id), ring.name(0).map(|name| name.id)),
        (Some(0), Some(id))
    );
    let blob = seal_v4(&pair(kem("x25519"), 2), 1, 3, [b"", b""], b"");
    let blob = Blob::parse(&blob, Trailing::Refuse).unwrap();
    let error = ring.open(&blob, &OpenOptions::default()).unwrap_err();
    assert_eq!(error.code(), "no_key_with_id");
    assert!(
        error.to_string().ends_with(&format!("{id} and 12 more")),
        "{error}"
    );
}
