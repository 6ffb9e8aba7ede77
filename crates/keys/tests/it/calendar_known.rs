//! The calendars of `test-vectors/kit`, which other programs may read too.

use std::fs;

use pqseal_keys::calendar::{Calendar, KeyState, date};
use serde_json::Value;
use zeroize::Zeroizing;

fn file(name: &str) -> Vec<u8> {
    let kit = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test-vectors/kit/");
    fs::read(format!("{kit}{name}")).unwrap()
}

/// The word in the place of each key, or `key`.
fn states(calendar: &Calendar) -> impl Iterator<Item = &'static str> {
    (0..calendar.count()).map(|index| match calendar.state(index).unwrap() {
        KeyState::Present => "key",
        KeyState::Shredded => "shredded",
        KeyState::NotLent => "not-lent",
        KeyState::LeftOut => "left-out",
    })
}

#[test]
fn the_calendars_of_the_kit_are_read_as_it_says() {
    let answers: Value = serde_json::from_slice(&file("calendars/answers.json")).unwrap();
    for group in answers["testGroups"].as_array().unwrap() {
        for case in group["tests"].as_array().unwrap() {
            let text = |name: &str| case[name].as_str().unwrap().to_owned();
            let calendar = Calendar::parse(Zeroizing::new(text("file").into_bytes())).unwrap();
            assert_eq!(calendar.id().to_string(), group["id"]);
            assert_eq!(calendar.name(), group["name"]);
            assert_eq!(calendar.fingerprint().to_string(), group["fingerprint"]);
            let chain = group["chain"].as_array().unwrap();
            assert!(
                calendar
                    .chain()
                    .map(|hash| hash.to_string())
                    .eq(chain.iter().map(|hash| hash.as_str().unwrap()))
            );
            let periods = group["periods"].as_array().unwrap();
            assert_eq!(calendar.count(), periods.len());
            for (index, period) in periods.iter().enumerate() {
                let name = period["start"].as_str().unwrap();
                assert_eq!(calendar.period_name(index), name);
                assert_eq!(date::parse(name), period["unix"].as_u64());
                let fingerprint = calendar.key_fingerprint(index).unwrap();
                assert_eq!(fingerprint.to_string(), period["keyFingerprint"]);
                assert_eq!(fingerprint.key_id().to_string(), period["keyId"]);
            }
            let expected = case["states"].as_array().unwrap();
            assert!(states(&calendar).eq(expected.iter().map(|state| state.as_str().unwrap())));
            calendar.check().unwrap();
        }
    }
}
