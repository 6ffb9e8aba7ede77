//! Key files in every format, base64, private keys under a passphrase in PKCS#8 (the DER of one key,
//! and PEM with any text around it), and calendars.

use std::io::Cursor;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};
use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{
    Fingerprint, Key, KeyFormat, RawHalf,
    base64::{decode, decode_url, encode, encode_url},
    calendar::{self, Calendar, PublicCalendar},
    pbes2, public_key, read_key, read_private, read_private_der, read_private_keys, read_public,
    read_public_der, write_private, write_private_der, write_public, write_public_der,
};
use serde_json::Value;
use zeroize::Zeroizing;

use crate::samples::{self, PAIRS};

const FORMATS: [KeyFormat; 5] = [
    KeyFormat::Raw,
    KeyFormat::Json,
    KeyFormat::Pem,
    KeyFormat::Jwk,
    KeyFormat::Line,
];

/// Checks that a key which is read is the same after it is written and read again, in every
/// format that supports its KEM.
pub(crate) fn run_key(file: &[u8]) {
    if let Ok(keys) = read_private_keys(file, None) {
        assert!(!keys.is_empty());
        keys.iter().for_each(|key| check(&key.key));
    }
    if let Ok(key) = read_private_der(file) {
        assert_eq!(read_public_der(file), public_key(&key));
        check(&key);
    }
    // Only a raw key is a different key when it is read as the other half.
    if let Ok(key) = read_key(file, None, None) {
        let public = key.into_public();
        for half in [RawHalf::Private, RawHalf::Public] {
            let again = read_key(file, None, Some(half)).and_then(Key::into_public);
            assert_eq!(again, public);
        }
    }
    if let Ok(text) = str::from_utf8(file) {
        for pair in PAIRS.iter().step_by(4) {
            let _ = read_private(text, Some(pair.kem));
        }
        if let Ok(public) = read_public(text, None) {
            for text in FORMATS.map(|format| write_public(&public, format)) {
                // A raw key does not name its KEM.
                let kem = PAIRS
                    .iter()
                    .find(|pair| pair.kem.info().id == public.kem().id);
                let Ok(text) = text else { continue };
                let again = read_public(&text, kem.map(|pair| pair.kem));
                assert_eq!(again.as_ref(), Ok(&public));
            }
        }
    }
}

fn check(key: &AnyPrivateKey) {
    let public = public_key(key).expect("a private key has a public key");
    let pair = PAIRS.iter().find(|pair| pair.kem.info().id == key.kem().id);
    let kem = pair.expect("a KEM of the registry").kem;
    for text in FORMATS.map(|format| write_private(key, format)) {
        let Ok(text) = text else { continue };
        let again = read_private(&text, Some(kem)).expect("what is written is read");
        assert_eq!(public_key(&again), Ok(public.clone()));
    }
}

/// Returns every key in every format, and as DER.
pub(crate) fn key_seeds() -> Vec<Vec<u8>> {
    PAIRS
        .iter()
        .flat_map(|pair| {
            let private = FORMATS.map(|format| {
                Some(
                    write_private(&pair.private, format)
                        .ok()?
                        .as_bytes()
                        .to_vec(),
                )
            });
            let public =
                FORMATS.map(|format| Some(write_public(&pair.public, format).ok()?.into_bytes()));
            let der = [
                write_private_der(&pair.private)
                    .ok()
                    .map(|der| der.to_vec()),
                write_public_der(&pair.public).ok(),
            ];
            private
                .into_iter()
                .chain(public)
                .chain(der)
                .flatten()
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Checks that both decoders accept the same text, once blanks, padding and the second alphabet
/// are normalized.
pub(crate) fn run_base64(text: &[u8]) {
    let ours = decode(text);
    let theirs = BASE64_NOPAD.decode(&canonical(text));
    if let Ok(bytes) = &ours {
        assert_eq!(Ok(bytes.to_vec()), theirs.clone().map_err(|_| ()));
    }
    // Without `=` both have the same rules.
    if !text.contains(&b'=') {
        assert_eq!(ours.is_ok(), theirs.is_ok());
    }
    if let Ok(bytes) = decode_url(text) {
        let text: Vec<u8> = text
            .iter()
            .copied()
            .filter(|byte| !is_blank(*byte))
            .collect();
        assert_eq!(
            Ok(bytes.to_vec()),
            BASE64URL_NOPAD.decode(&text).map_err(|_| ())
        );
    }
    assert_eq!(
        decode(encode(text).as_bytes()).as_deref(),
        Ok(&text.to_vec())
    );
    assert_eq!(
        decode_url(encode_url(text).as_bytes()).as_deref(),
        Ok(&text.to_vec())
    );
    if let Err(error) = ours {
        assert!(error.offset <= text.len());
    }
}

fn canonical(text: &[u8]) -> Vec<u8> {
    let text = text
        .iter()
        .copied()
        .filter(|byte| !is_blank(*byte) && *byte != b'=');
    text.map(|byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    })
    .collect()
}

fn is_blank(byte: u8) -> bool {
    b" \t\r\n".contains(&byte)
}

pub(crate) fn base64_seeds() -> Vec<Vec<u8>> {
    let texts = samples::published().into_iter().map(|vector| vector.blob);
    texts.map(String::into_bytes).collect()
}

/// The passphrase of every seed.
const PASSPHRASE: &str = "correct horse";

const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";

/// The reason why decryption stopped: the passphrase was requested, or the text was refused.
enum Stopped {
    Asked,
    Failed,
}

impl From<pbes2::Error> for Stopped {
    fn from(_: pbes2::Error) -> Self {
        Self::Failed
    }
}

/// Checks that opening puts a key in the place of each block, and leaves no block.
pub(crate) fn run_pkcs8(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        check_text(text);
    }
    let block = format!("{BEGIN}\n{}\n{END}", BASE64.encode(bytes));
    let text = format!("before\n{block}\nafter");
    if check_text(&text) && is_cheap(bytes) {
        check_opened(&text);
    }
}

/// Reports whether a passphrase is requested, which only happens for text with such a block.
fn check_text(text: &str) -> bool {
    let asked = matches!(
        pbes2::decrypt(text, || Err(Stopped::Asked)),
        Err(Stopped::Asked)
    );
    assert!(!asked || pbes2::is_in(text.as_bytes()));
    asked
}

fn check_opened(text: &str) {
    let opened = pbes2::decrypt(text, || {
        Ok::<_, pbes2::Error>(Zeroizing::new(PASSPHRASE.to_owned()))
    });
    let Ok(opened) = opened else {
        return;
    };
    assert!(opened.starts_with(b"before\n-----BEGIN PRIVATE KEY-----\n"));
    assert!(opened.ends_with(b"-----END PRIVATE KEY-----\nafter"));
    assert!(!pbes2::is_in(&opened));
}

/// Reports whether no INTEGER seems to have more than a byte. Such numbers may be iteration counts,
/// which take seconds. The same bytes after f7 0d are the end of a hash function's identifier.
fn is_cheap(der: &[u8]) -> bool {
    !der.windows(4)
        .any(|bytes| matches!(bytes, [_, _, 0x02, 2..=9]) && !matches!(bytes, [0xf7, 0x0d, ..]))
}

/// Returns a key under a passphrase, as text. `seeds/pkcs8` has DER with small numbers.
pub(crate) fn pkcs8_seeds() -> Vec<Vec<u8>> {
    let text = pbes2::encrypt(&[0x30, 3, 2, 1, 5], PASSPHRASE).expect("random numbers");
    vec![text.into_bytes()]
}

/// Checks that a calendar that is read is the same after it is written, and that the ones that are
/// made of it have its fingerprint. Read by the line it has the same keys.
pub(crate) fn run_calendar(file: &[u8]) {
    let by_line = PublicCalendar::by_line(Cursor::new(file.to_vec()));
    let Ok(calendar) = Calendar::parse(file.to_vec().into()) else {
        return;
    };
    let count = calendar.count();
    if let Some(by_line) = by_line {
        assert_eq!(by_line.id(), calendar.id());
        assert_eq!(by_line.start(), calendar.start_of(0));
        for index in [0, count / 2, count - 1] {
            assert_eq!(by_line.at(calendar.start_of(index)), Some(index));
            let keys = [by_line.public_key(index), calendar.public_key(index)];
            let [one, whole] = keys.map(|key| key.ok().map(|key| Fingerprint::of(&key)));
            assert_eq!(one, whole);
        }
    }
    assert!(count > 0);
    for index in [0, count / 2, count - 1] {
        let start = calendar.start_of(index);
        assert_eq!(calendar.at(start), Some(index));
        assert_eq!(calendar.beginning(start), Ok(index));
        let _ = (calendar.private_key(index), calendar.public_key(index));
    }
    if calendar.is_cut() {
        return assert!(calendar.check().is_err());
    }
    let made = [
        calendar.public(0..0),
        calendar.shred(count / 2),
        calendar.lend(0..count / 2),
    ];
    for other in made {
        match other {
            Ok(other) => {
                assert_eq!(other.fingerprint(), calendar.fingerprint());
                let again = Calendar::parse(other.as_str().as_bytes().to_vec().into());
                assert_eq!(again.expect("it was written").as_str(), other.as_str());
            }
            Err(error) => assert!(matches!(
                error,
                calendar::Error::PublicOnly | calendar::Error::Key(..)
            )),
        }
    }
}

/// The calendars of the kit.
pub(crate) fn calendar_seeds() -> Vec<Vec<u8>> {
    let kit = include_str!("../../../test-vectors/kit/calendars/answers.json");
    let kit: Value = serde_json::from_str(kit).expect("it is JSON");
    let groups = kit["testGroups"].as_array().into_iter().flatten();
    let cases = groups.flat_map(|group| group["tests"].as_array().into_iter().flatten());
    cases
        .filter_map(|case| Some(case["file"].as_str()?.as_bytes().to_vec()))
        .collect()
}
