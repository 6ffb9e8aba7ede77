//! Sealed strings: every published JWE and armored age file opens, and others have a reason.

use std::io::{Read, Write};

use flate2::read::ZlibDecoder;
use pqseal_age::{ArmorWriter, Encryptor, Recipient, keys::recipient_of};
use pqseal_keys::{KeyText, kem_by_name};
use pqseal_matched_data::KeyRing;
use pqseal_sealed::{Error, Keys, Kind, OtherKey, describe};
use test_vectors::{AgeExpect, AgeVector, JoseVector};

/// Returns the keys of files in any format, each in a file of its own.
fn keys<'a>(files: impl IntoIterator<Item = &'a str>) -> Keys {
    let (mut ring, mut all) = (KeyRing::new(), Vec::new());
    for file in files {
        let text = KeyText::new(file.as_bytes()).unwrap();
        let (keys, others) = OtherKey::read_all(&text, None, |_| panic!("skipped")).unwrap();
        keys.iter().for_each(|key| ring.add(&key.key).unwrap());
        all.extend(others);
    }
    let mut keys = Keys::new(&ring).unwrap();
    all.iter().for_each(|key| keys.add(key).unwrap());
    keys
}

fn open(keys: &Keys, kind: Kind, text: &[u8]) -> Result<(usize, Vec<u8>), Error> {
    let opened = keys.open(kind, text)?.expect("it is sealed");
    Ok((opened.key, opened.plaintext))
}

fn jose() -> Vec<JoseVector> {
    let sets = [test_vectors::jose_hpke(), test_vectors::jose_hpke_pq()];
    sets.into_iter().flat_map(|set| set.entries).collect()
}

#[test]
fn every_published_jwe_opens() {
    let vectors = jose();
    assert_eq!(vectors.len(), 26);
    for vector in &vectors {
        let (jwk, jwe) = (vector.jwk.to_string(), &vector.compact);
        let keys = keys(["AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=", &jwk]);
        assert_eq!(Kind::detect(jwe.as_bytes()), Some(Kind::Jwe));
        let (place, plaintext) = open(&keys, Kind::Jwe, format!(" {jwe}\n").as_bytes()).unwrap();
        assert_eq!(place, 1, "{}", vector.alg);
        assert!(plaintext.starts_with(b"You can trust us to stick with you"));
        let found = describe(jwe.as_bytes()).unwrap().unwrap();
        assert!(found.algorithm.starts_with(&vector.alg), "{found:?}");
        assert_eq!(found.kid.as_deref(), vector.jwk["kid"].as_str());
    }
}

#[test]
fn jwes_that_do_not_open_have_a_reason() {
    let vectors = jose();
    let find = |alg: &str| vectors.iter().find(|vector| vector.alg == alg).unwrap();
    let (vector, other) = (find("HPKE-9"), find("HPKE-4"));
    let key = vector.jwk.to_string();
    let code = |files: &[&str], jwe: &str| {
        let opened = open(&keys(files.iter().copied()), Kind::Jwe, jwe.as_bytes());
        opened.unwrap_err().code()
    };
    assert_eq!(code(&[], &vector.compact), "wrong_kem");
    assert_eq!(
        code(&[&other.jwk.to_string()], &vector.compact),
        "wrong_kem"
    );
    let mut altered = vector.compact.clone().into_bytes();
    let at = altered.len() - 10;
    altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
    assert_eq!(
        code(&[&key], str::from_utf8(&altered).unwrap()),
        "no_key_matched"
    );

    let with_header = |json: &str| {
        let header = data_encoding::BASE64URL_NOPAD.encode(json.as_bytes());
        let (_, rest) = vector.compact.split_once('.').unwrap();
        format!("{header}.{rest}")
    };
    let cut = vector.compact.rsplit_once('.').unwrap().0;
    assert_eq!(code(&[&key], cut), "bad_object");
    let rsa = with_header(r#"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#);
    assert_eq!(code(&[&key], &rsa), "unsupported_suite");
    assert_eq!(Kind::detect_supported(rsa.as_bytes()), None);
    assert_eq!(
        code(&[&key], &with_header(r#"{"alg":"HPKE-9","crit":["x"]}"#)),
        "refused"
    );
    assert_eq!(
        code(&[&key], &with_header(r#"{"alg":1}"#)),
        "unsupported_suite"
    );
    assert_eq!(code(&[&key], &with_header(r#"{"alg"#)), "malformed");
}

/// Tokens of other programs have dots too: a signed JWT has two.
#[test]
fn other_tokens_are_in_the_clear() {
    let keys = keys([]);
    for clear in [
        "",
        "e",
        "eyJ.",
        "eyJhbGciOiJIUzI1NiJ9.e30.AAAA",
        "eyJhbGciOiJIUzI1NiJ9.e30.A A.AAAA.AAAA",
        "eyJhbGciOiJIUzI1NiJ9.a.b.c.d.e",
        "example.com.a.b.c",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN AGE",
    ] {
        assert_eq!(Kind::detect(clear.as_bytes()), None, "{clear}");
        assert_eq!(describe(clear.as_bytes()), Ok(None), "{clear}");
        for kind in [Kind::Jwe, Kind::Age] {
            assert_eq!(keys.open(kind, clear.as_bytes()), Ok(None), "{clear}");
        }
    }
}

fn file(case: &AgeVector) -> Vec<u8> {
    let mut file = Vec::new();
    match case.compressed {
        true => ZlibDecoder::new(&case.file[..])
            .read_to_end(&mut file)
            .map(drop)
            .unwrap(),
        false => file.clone_from(&case.file),
    }
    file
}

#[test]
fn every_armored_file_of_the_kit_ends_as_it_says() {
    let mut opened = 0;
    let cases = test_vectors::age_kit().entries;
    for case in cases.iter().filter(|case| case.armored) {
        let (file, name) = (file(case), &case.name);
        let keys = keys(case.identities.iter().map(String::as_str));
        let Some(kind) = Kind::detect(&file) else {
            assert_eq!(case.expect, AgeExpect::Armor, "{name}");
            continue;
        };
        assert_eq!(kind, Kind::Age, "{name}");
        match (case.expect, open(&keys, kind, &file)) {
            (AgeExpect::Success, Ok((0, plaintext))) => {
                let hash = data_encoding::HEXLOWER.encode(&test_vectors::sha256(&plaintext));
                assert_eq!(Some(hash), case.payload_sha256, "{name}");
                let found = describe(&file).unwrap().unwrap();
                assert_eq!(found.plaintext_len, Some(plaintext.len()), "{name}");
                opened += 1;
            }
            (AgeExpect::Success, Err(error)) => {
                assert_eq!((&**name, error), ("armor_scrypt", Error::Passphrase));
            }
            (AgeExpect::NoMatch, Err(error)) => assert_eq!(error, Error::NoKeyOpens),
            (_, result) => assert!(result.is_err(), "{name}: {result:?}"),
        }
    }
    assert_eq!(opened, 6);
}

fn age(recipients: &[&dyn Recipient], plaintext: &[u8]) -> Vec<u8> {
    let armor = ArmorWriter::new(Vec::new()).unwrap();
    let mut encryptor = Encryptor::new(recipients, armor).unwrap();
    encryptor.write_all(plaintext).unwrap();
    encryptor.finish().unwrap().finish().unwrap()
}

/// Keys of every KEM open age files, whether age itself has recipients of the kind or not.
#[test]
fn keys_of_a_ring_open_age_files() {
    for kem in [
        "x25519",
        "p256",
        "p384",
        "mlkem768-x25519",
        "mlkem768-p256",
        "mlkem1024",
    ] {
        let kem = kem_by_name(kem).unwrap();
        let (private, public) = kem.derive_key_pair(&[7; 64]).unwrap();
        let mut ring = KeyRing::new();
        ring.add(&private).unwrap();
        let keys = Keys::new(&ring).unwrap();
        let recipient = recipient_of(public).unwrap();
        for len in [0, 1, 65_536, 65_537] {
            let text = age(&[&*recipient], &vec![1; len]);
            assert_eq!(open(&keys, Kind::Age, &text), Ok((0, vec![1; len])));
            let found = describe(&text).unwrap().unwrap();
            assert_eq!(found.plaintext_len, Some(len), "{}", kem.info().short_name);
        }
    }
}

/// The number of recipients comes from the input.
#[test]
fn a_value_for_many_recipients_is_refused() {
    let kem = kem_by_name("x25519").unwrap();
    let (_, public) = kem.derive_key_pair(&[7; 64]).unwrap();
    let recipient = recipient_of(public).unwrap();
    for count in [100, 101] {
        let text = age(&vec![&*recipient; count], b"");
        let expected = match count {
            100 => Error::NoAgeKey,
            _ => Error::ManyRecipients(count),
        };
        assert_eq!(open(&keys([]), Kind::Age, &text), Err(expected));
    }
}

/// An identity is a key only for age files.
#[test]
fn identities_are_read_beside_other_keys() {
    let identity = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0";
    let file = format!("# created: now\n# public key: age1x\n{identity} # of the mail gate\n");
    let text = KeyText::new(file.as_bytes()).unwrap();
    let (keys, others) = OtherKey::read_all(&text, None, |_| panic!("skipped")).unwrap();
    assert_eq!((keys.len(), others.len()), (0, 1));
    let label = others[0].name().label.as_deref();
    assert_eq!(label.map(String::as_str), Some("of the mail gate"));
    assert_eq!(others[0].description(), "x25519, an age identity");
    assert_eq!(&**others[0].to_bytes().unwrap(), identity.as_bytes());
    assert!(!format!("{others:?}").contains("EGTZVFFV"));
    let commented = format!("# {identity}\n{identity} # {identity}\n");
    let text = KeyText::new(commented.as_bytes()).unwrap();
    let (_, others) = OtherKey::read_all(&text, None, |_| ()).unwrap();
    assert_eq!(others[0].name().label, None, "a key is no label");
    assert!(pqseal_keys::looks_secret(identity) && pqseal_keys::holds_key(identity));
    let damaged = identity.replace("EGTZ", "EGTX");
    let text = KeyText::new(damaged.as_bytes()).unwrap();
    let error = OtherKey::read_all(&text, None, |_| ()).unwrap_err();
    assert!(
        error.error.to_string().contains("age identity"),
        "{error:?}"
    );
}
