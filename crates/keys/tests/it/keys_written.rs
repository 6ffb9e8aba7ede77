//! Keys that every language reads and writes: `written.json`, which the tests of Python and
//! JavaScript read too. So each reads what another wrote, in every format.

use pqseal_keys::{Fingerprint, public_key, read_key, read_private, write_private, write_public};
use pqseal_keys::{Key, RawHalf, kem_by_name};
use serde_json::Value;

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
            assert_eq!(Fingerprint::of(&key).to_string(), row["fingerprint"]);
        }
    }
    assert_eq!(rows.len(), 6);
}
