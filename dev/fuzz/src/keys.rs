//! Key files in every format.

use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{
    Key, KeyFormat, RawHalf, public_key, read_key, read_private, read_private_der,
    read_private_keys, read_public, read_public_der, write_private, write_private_der,
    write_public, write_public_der,
};

use crate::samples::PAIRS;

const FORMATS: [KeyFormat; 5] = [
    KeyFormat::Raw,
    KeyFormat::Json,
    KeyFormat::Pem,
    KeyFormat::Jwk,
    KeyFormat::Line,
];

/// Checks that a key which is read is the same after it is written and read again, in every
/// format that supports its KEM.
pub(crate) fn run(file: &[u8]) {
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
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let formats = |pair: &crate::samples::Pair| {
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
    };
    PAIRS.iter().flat_map(formats).collect()
}
