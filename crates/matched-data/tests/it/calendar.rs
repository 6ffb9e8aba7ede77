//! A key ring with calendars.

use std::{sync::Arc, thread};

use getrandom::SysRng;
use pqseal_keys::{
    calendar::{Calendar, Plan},
    kem_by_name,
};
use pqseal_matched_data::{
    Blob, Error, KeyRing, OpenOptions, Opened, SealOptions, SealedRecord, Sealer, Trailing,
};

use crate::common::{kem, pair, v3_sealer};

/// Tuesday, 1 December 2026.
const DECEMBER: u64 = 1_796_083_200;

fn calendar(name: &str, kem: &str, days: usize) -> Calendar {
    let plan = Plan::days(kem_by_name(kem).unwrap(), DECEMBER, days, name);
    Calendar::generate(&plan, &mut SysRng).unwrap()
}

fn byte(day: usize) -> u8 {
    u8::try_from(day).unwrap()
}

fn seal(calendar: &Calendar, day: usize) -> Vec<u8> {
    let public = calendar.public(day..day + 1).unwrap();
    let options = SealOptions {
        version: Some(4),
        ..SealOptions::default()
    };
    let sealer = Sealer::new(&public.public_key(day).unwrap(), &options).unwrap();
    sealer.seal(b"", &[byte(day)], &mut SysRng).unwrap()
}

fn open(ring: &KeyRing, blob: &[u8]) -> Result<Opened, Error> {
    let blob = Blob::parse(blob, Trailing::Refuse).unwrap();
    ring.open(&blob, &OpenOptions::default())
}

fn ring(calendars: impl IntoIterator<Item = Calendar>) -> KeyRing {
    let mut ring = KeyRing::new();
    for calendar in calendars {
        ring.add_calendar(Arc::new(calendar)).unwrap();
    }
    ring
}

#[test]
fn each_day_opens_with_its_key() {
    for kem_name in ["x25519", "mlkem768-x25519"] {
        let whole = calendar("logs", kem_name, 3);
        let blobs: Vec<_> = (0..3).map(|day| seal(&whole, day)).collect();
        let mut ring = KeyRing::new();
        ring.add(&pair(kem("p256"), 1).private).unwrap();
        assert_eq!(ring.add_calendar(Arc::new(whole)), Ok(1..4));
        for (day, blob) in blobs.iter().enumerate() {
            let opened = Opened {
                key: day + 1,
                plaintext: vec![byte(day)],
            };
            assert_eq!(open(&ring, blob), Ok(opened));
        }
        let name = ring.name(2).unwrap().to_string();
        assert!(name.ends_with("(logs 2026-12-02)"), "{name}");
    }
}

#[test]
fn a_missing_day_is_named_with_its_reason() {
    let whole = calendar("logs", "x25519", 3);
    let blobs: Vec<_> = (0..3).map(|day| seal(&whole, day)).collect();
    let part = whole.shred(1).unwrap().lend(2..3).unwrap();
    let places = KeyRing::new().add_calendar(Arc::new(whole.lend(0..0).unwrap()));
    assert_eq!(places, Ok(0..0));
    let mut ring = ring([part]);
    for (blob, code, day) in [
        (&blobs[0], "key_shredded", "2026-12-01 of logs"),
        (&blobs[1], "key_not_lent", "2026-12-02 of logs"),
    ] {
        let error = open(&ring, blob).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(day), "{error}");
    }
    assert_eq!(open(&ring, &blobs[2]).unwrap().key, 0);
    // Nobody can lend a key that was shredded, whichever file comes first.
    let [lent, shredded] = [whole.lend(2..3), whole.shred(1)].map(Result::unwrap);
    let [lent, shredded] = [lent, shredded].map(Arc::new);
    for calendars in [[&lent, &shredded], [&shredded, &lent]] {
        let mut ring = KeyRing::new();
        for calendar in calendars {
            ring.add_calendar(Arc::clone(calendar)).unwrap();
        }
        assert_eq!(open(&ring, &blobs[0]).unwrap_err().code(), "key_shredded");
    }
    // The same key elsewhere in the ring is not hidden.
    ring.add_calendar(Arc::new(whole)).unwrap();
    assert_eq!(open(&ring, &blobs[0]).unwrap().key, 1);
    assert_eq!(open(&ring, &blobs[2]).unwrap().key, 0);
}

#[test]
fn public_calendars_are_refused() {
    let public = calendar("logs", "x25519", 1).public(0..1).unwrap();
    let refused = KeyRing::new().add_calendar(Arc::new(public)).unwrap_err();
    assert_eq!(refused.code(), "bad_key");
}

/// More keys than a ring keeps, from several threads, in single calls and in batches.
#[test]
fn a_ring_opens_more_days_than_it_keeps() {
    let whole = calendar("logs", "x25519", 150);
    let blobs: Vec<_> = (0..150).map(|day| seal(&whole, day)).collect();
    let ring = ring([whole]);
    let open_all = |first: usize| {
        for step in 0..150 {
            let day = (first + step * 7) % 150;
            assert_eq!(open(&ring, &blobs[day]).unwrap().key, day);
        }
    };
    thread::scope(|scope| {
        for first in [0, 50, 99] {
            scope.spawn(move || open_all(first));
        }
    });
    let records: Vec<_> = blobs
        .iter()
        .map(|blob| SealedRecord {
            blob: Blob::parse(blob, Trailing::Refuse).unwrap(),
            aad: None,
            hint: Some(3),
        })
        .collect();
    let opened = ring.open_batch(&records, &OpenOptions::default());
    for (day, opened) in opened.into_iter().enumerate() {
        assert_eq!(opened.unwrap().plaintext, [byte(day)]);
    }
}

#[test]
fn calendars_are_not_tried_on_version_3() {
    let whole = calendar("logs", "x25519", 2);
    let key = whole.private_key(0).unwrap();
    let public = pqseal_keys::public_key(&key).unwrap();
    let blob = v3_sealer(&public).unwrap();
    let blob = blob.seal(b"", b"v3", &mut SysRng).unwrap();
    let mut ring = ring([whole]);
    assert!(matches!(open(&ring, &blob), Err(Error::NoX25519Key(_))));
    assert_eq!(ring.legacy_key_names().count(), 0);
    ring.add(&key).unwrap();
    assert_eq!(open(&ring, &blob).unwrap().key, 2);
}

/// The wrong key is noticed when a blob first names it.
#[test]
fn a_wrong_key_is_an_error_of_its_day() {
    let whole = calendar("logs", "x25519", 2);
    let blobs = [seal(&whole, 0), seal(&whole, 1)];
    let lines: Vec<_> = whole.as_str().lines().collect();
    let key = |line: &str| line.rsplit_once(' ').unwrap().1.to_owned();
    let text = whole.as_str().replace(&key(lines[2]), &key(lines[1]));
    let swapped = Calendar::parse(text.into_bytes().into()).unwrap();
    let ring = ring([swapped]);
    assert!(open(&ring, &blobs[0]).is_ok());
    for _ in 0..2 {
        let error = open(&ring, &blobs[1]).unwrap_err();
        assert!(matches!(error, Error::Calendar(_)), "{error}");
    }
}
