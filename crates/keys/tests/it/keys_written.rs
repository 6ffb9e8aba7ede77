//! Keys that every language reads and writes: `written.json`, which the tests of Python and
//! JavaScript read too. So each reads what another wrote, in every format.

use data_encoding::HEXLOWER;
use pqseal_keys::{
    BinaryFormat, Fingerprint, Key, KeyError, RawHalf, kem_by_name, public_key, read_key,
    read_private, write_private, write_private_binary, write_public, write_public_binary,
};
use serde_json::Value;

/// The formats that are bytes, in hexadecimal.
fn binary(row: &Value, half: &str) -> Vec<(BinaryFormat, Vec<u8>)> {
    let files = row[half].as_object().unwrap().iter();
    let format = |name: &str| match (name, row["alg"].as_str()) {
        ("cose-key", Some(alg)) => name.parse::<BinaryFormat>().unwrap().with_alg(alg).unwrap(),
        _ => name.parse().unwrap(),
    };
    let bytes = |hex: &Value| HEXLOWER.decode(hex.as_str().unwrap().as_bytes()).unwrap();
    files
        .map(|(name, hex)| (format(name), bytes(hex)))
        .collect()
}

#[test]
fn keys_of_every_language() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../written.json")).unwrap();
    let texts = |half: &Value| {
        let texts = half.as_object().unwrap().clone().into_iter();
        texts
            .map(|(format, text)| (format.parse().unwrap(), text.as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    for row in &rows {
        let kem = kem_by_name(row["kem"].as_str().unwrap()).ok();
        let (private, public) = (texts(&row["private"]), texts(&row["public"]));
        for (_, text) in &private {
            let key = read_private(text, kem).unwrap();
            for (format, expected) in &private {
                assert_eq!(*write_private(&key, *format).unwrap(), *expected);
            }
            for (format, expected) in binary(row, "private_binary") {
                assert_eq!(*write_private_binary(&key, format).unwrap(), expected);
                let read = read_private(&expected, kem).unwrap();
                assert_eq!(public_key(&read), public_key(&key));
            }
            let public = public_key(&key).unwrap();
            assert_eq!(Fingerprint::of(&public).to_string(), row["fingerprint"]);
        }
        for (_, text) in &public {
            let key = read_key(text, kem, Some(RawHalf::Public)).unwrap();
            let Key::Public(key) = key else {
                panic!("a public key was read as a private one")
            };
            for (format, expected) in &public {
                assert_eq!(write_public(&key, *format).unwrap(), *expected);
            }
            for (format, expected) in binary(row, "public_binary") {
                assert_eq!(write_public_binary(&key, format).unwrap(), expected);
                let read = read_key(&expected, kem, None).unwrap();
                assert!(matches!(read, Key::Public(read) if read == key));
                let error = read_private(&expected, kem).err();
                assert_eq!(error, Some(KeyError::PublicOnly));
            }
            assert_eq!(Fingerprint::of(&key).to_string(), row["fingerprint"]);
        }
    }
    assert_eq!(rows.len(), 11);
}
