//! Calendars.

use std::io::Cursor;

use pqseal_keys::{
    Fingerprint,
    calendar::{Calendar, Error, PublicCalendar},
};
use serde_json::Value;

/// Checks that a calendar that is read is the same after it is written, and that the ones that are
/// made of it have its fingerprint. Read by the line it has the same keys.
pub(crate) fn run(file: &[u8]) {
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
            Err(error) => assert!(matches!(error, Error::PublicOnly | Error::Key(..))),
        }
    }
}

/// The calendars of the kit.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let kit = include_str!("../../../test-vectors/kit/calendars/answers.json");
    let kit: Value = serde_json::from_str(kit).expect("it is JSON");
    let groups = kit["testGroups"].as_array().into_iter().flatten();
    let cases = groups.flat_map(|group| group["tests"].as_array().into_iter().flatten());
    cases
        .filter_map(|case| Some(case["file"].as_str()?.as_bytes().to_vec()))
        .collect()
}
