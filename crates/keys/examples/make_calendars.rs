//! Prints `test-vectors/kit/calendars/answers.json`: calendars of three KEMs with fresh keys, whole,
//! shredded, lent and cut, with what a reader must find in them.
//!
//! The file was made once and does not change. Each run prints other keys. Run it only to add a
//! group: `cargo run -p pqseal-keys --example make_calendars`.

use std::error::Error;

use getrandom::SysRng;
use pqseal_keys::{
    calendar::{Calendar, KeyState, PeriodLength, Plan},
    kem_by_name,
};
use serde_json::{Value, json};

/// Monday, 7 December 2026, in seconds since 1970.
const START: u64 = 1_796_601_600;
const COUNT: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let groups = [
        ("x25519", PeriodLength::Hour),
        ("mlkem768-x25519", PeriodLength::Day),
        ("p256", PeriodLength::Week),
    ];
    let groups = groups.map(|(kem, length)| group(kem, length));
    let groups = groups.into_iter().collect::<Result<Vec<_>, _>>()?;
    let file = json!({"algorithm": "pqseal calendar 1", "testGroups": groups});
    println!("{}", serde_json::to_string_pretty(&file)?);
    Ok(())
}

fn group(kem: &str, length: PeriodLength) -> Result<Value, Box<dyn Error>> {
    let plan = Plan {
        kem: kem_by_name(kem)?,
        length,
        start: START,
        count: COUNT,
        name: "the kit of pqseal",
    };
    let whole = Calendar::generate(&plan, &mut SysRng)?;
    let shredded = whole.shred(2)?;
    let cases = [
        ("private", &whole),
        ("public", &whole.public(0..4)?),
        ("shredded before the third period", &shredded),
        (
            "the fourth period of the shredded one, lent",
            &shredded.lend(3..4)?,
        ),
        (
            "the public keys from the second period to the third",
            &whole.public(1..3)?,
        ),
    ];
    let cases = cases.map(|(comment, calendar)| case(comment, calendar));
    let chain: Vec<_> = whole.chain().map(|hash| hash.to_string()).collect();
    Ok(json!({
        "id": whole.id().to_string(),
        "name": whole.name(),
        "fingerprint": whole.fingerprint().to_string(),
        "chain": chain,
        "periods": (0..COUNT).map(|index| period(&whole, index)).collect::<Vec<_>>(),
        "tests": cases,
    }))
}

fn case(comment: &str, calendar: &Calendar) -> Value {
    let state = |index| match calendar.state(index) {
        Some(KeyState::Present) => "key",
        Some(KeyState::Shredded) => "shredded",
        Some(KeyState::NotLent) => "not-lent",
        Some(KeyState::LeftOut) | None => "left-out",
    };
    let states: Vec<_> = (0..calendar.count()).map(state).collect();
    json!({"comment": comment, "file": calendar.as_str(), "states": states})
}

fn period(calendar: &Calendar, index: usize) -> Value {
    let fingerprint = calendar.key_fingerprint(index);
    json!({
        "start": calendar.period_name(index),
        "unix": calendar.start_of(index),
        "keyFingerprint": fingerprint.map(|print| print.to_string()),
        "keyId": fingerprint.map(|print| print.key_id().to_string()),
    })
}
