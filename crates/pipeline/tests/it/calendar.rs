//! Sealing to a calendar, under a clock of the test.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use getrandom::SysRng;
use pqseal_keys::{
    calendar::{Calendar, Plan, PublicCalendar},
    kem_by_name,
};
use pqseal_matched_data::{KeyRing, SealOptions, Sealer};
use pqseal_pipeline::{CalendarSealer, FieldValue, Opener, Outcome, Transform};

/// Tuesday, 1 December 2026.
const DECEMBER: u64 = 1_796_083_200;
const DAY: u64 = 86_400;

struct Sealed {
    sealer: CalendarSealer,
    opener: Opener,
    clock: Arc<AtomicU64>,
}

fn public(private: &Calendar, with_keys: Range<usize>) -> PublicCalendar {
    private.public(with_keys).unwrap().try_into().unwrap()
}

fn sealed(skew: Option<u64>) -> Sealed {
    sealed_from(0, skew)
}

/// Returns a sealer to a public calendar whose days before the index `first` are left out.
fn sealed_from(first: usize, skew: Option<u64>) -> Sealed {
    let plan = Plan::days(kem_by_name("x25519").unwrap(), DECEMBER, 30, "logs");
    let private = Calendar::generate(&plan, &mut SysRng).unwrap();
    let clock = Arc::new(AtomicU64::new(DECEMBER));
    let make = |key: &_| {
        let options = SealOptions {
            version: Some(4),
            ..SealOptions::default()
        };
        Sealer::new(key, &options)
    };
    let now = Arc::clone(&clock);
    let now = Box::new(move || now.load(Ordering::Relaxed));
    let sealer = CalendarSealer::new(public(&private, first..30), Box::new(make), now);
    let mut ring = KeyRing::new();
    ring.add_calendar(Arc::new(private)).unwrap();
    Sealed {
        sealer: match skew {
            Some(skew) => sealer.with_skew(skew),
            None => sealer,
        },
        opener: Opener::new(ring),
        clock,
    }
}

impl Sealed {
    /// Seals one record for each time, and returns the day of the key that opens it.
    fn days(&self, times: &[&str]) -> Vec<Option<usize>> {
        let records: Vec<_> = times
            .iter()
            .map(|time| FieldValue {
                text: Some(b"text"),
                origin: time.as_bytes(),
                ..FieldValue::default()
            })
            .collect();
        let day = |outcome: &Outcome| match outcome {
            Outcome::Opened { plaintext, .. } => {
                let text = Some(&plaintext[..]);
                let blob = FieldValue {
                    text,
                    ..FieldValue::default()
                };
                match &self.opener.open_chunk(&[blob])[0] {
                    Outcome::Opened { key, .. } => Some(*key),
                    other => panic!("{other:?}"),
                }
            }
            Outcome::Failed(failure) => {
                assert_eq!(failure.code(), "no_period");
                None
            }
            other => panic!("{other:?}"),
        };
        self.sealer.chunk(&records).iter().map(day).collect()
    }
}

#[test]
fn the_key_changes_at_the_edge_of_a_day() {
    let sealed = sealed(None);
    for (now, day) in [
        (DECEMBER - 1, None),
        (DECEMBER, Some(0)),
        (DECEMBER + DAY - 1, Some(0)),
        (DECEMBER + DAY, Some(1)),
        (DECEMBER + 30 * DAY - 1, Some(29)),
        (DECEMBER + 30 * DAY, None),
        // A clock that goes back.
        (DECEMBER + 2 * DAY, Some(2)),
    ] {
        sealed.clock.store(now, Ordering::Relaxed);
        assert_eq!(sealed.days(&["", ""]), [day; 2], "{now}");
    }
    assert_eq!(sealed.sealer.other_times(), 0);
}

#[test]
fn a_record_has_the_day_of_its_time_within_the_skew() {
    let sealed = sealed(Some(3600));
    sealed.clock.store(DECEMBER + DAY, Ordering::Relaxed);
    let times = [
        "\"2026-12-01T23:00:00Z\"",
        "\"2026-12-01T22:59:59Z\"",
        "\"2026-12-02T00:00:00Z\"",
        "1796169599",
        "\"2099-01-01T00:00:00Z\"",
        "",
        "null",
    ];
    let days = [0, 1, 1, 0, 1, 1, 1].map(Some);
    assert_eq!(sealed.days(&times), days);
    assert_eq!(sealed.sealer.other_times(), 4);
    // Without a current period nothing is sealed, whatever the record says.
    sealed.clock.store(DECEMBER + 30 * DAY, Ordering::Relaxed);
    assert_eq!(sealed.days(&["\"2026-12-30T23:59:59Z\""]), [None]);
}

/// A record that is sealed as a whole has no time, and is not counted as one with another time.
#[test]
fn a_whole_record_takes_the_current_day_and_is_not_counted() {
    let sealed = sealed(Some(3600));
    sealed.clock.store(DECEMBER + DAY, Ordering::Relaxed);
    let Outcome::Opened { plaintext, .. } = sealed.sealer.whole(b"record") else {
        panic!("it is not sealed");
    };
    let blob = FieldValue::from(Some(std::str::from_utf8(&plaintext).unwrap()));
    let opened = sealed.opener.open_chunk(&[blob]);
    assert!(matches!(opened[0], Outcome::Opened { key: 1, .. }));
    assert_eq!(sealed.sealer.other_times(), 0);
    sealed.clock.store(DECEMBER - 1, Ordering::Relaxed);
    let Outcome::Failed(failure) = sealed.sealer.whole(b"record") else {
        panic!("it is sealed");
    };
    assert_eq!(failure.code(), "no_period");
}

/// A calendar that is replaced, by an extended one or one without a day, is used from then on.
#[test]
fn a_calendar_is_replaced() {
    let sealed = sealed_from(0, None);
    sealed.clock.store(DECEMBER + 30 * DAY, Ordering::Relaxed);
    assert_eq!(sealed.days(&[""]), [None]);
    let plan = Plan::days(kem_by_name("x25519").unwrap(), DECEMBER + DAY, 40, "other");
    let private = Calendar::generate(&plan, &mut SysRng).unwrap();
    sealed.sealer.set_calendar(public(&private, 0..40));
    let mut ring = KeyRing::new();
    ring.add_calendar(Arc::new(private)).unwrap();
    let opener = Opener::new(ring);
    let sealed = Sealed { opener, ..sealed };
    assert_eq!(sealed.days(&[""]), [Some(29)]);
}

/// A period that the public calendar lacks is not sealed to, and does not end the run.
#[test]
fn a_record_of_a_left_out_day_takes_the_current_one() {
    let sealed = sealed_from(1, Some(3600));
    sealed.clock.store(DECEMBER + DAY, Ordering::Relaxed);
    let times = ["\"2026-12-01T23:59:59Z\"", "\"2026-12-02T00:00:00Z\""];
    assert_eq!(sealed.days(&times), [Some(1); 2]);
    assert_eq!(sealed.sealer.other_times(), 1);
}

#[test]
fn more_days_than_are_kept_are_sealed_in_any_order() {
    let sealed = sealed(Some(40 * DAY));
    for first in [0, 7] {
        let days: Vec<_> = (0..60).map(|step| (first + step * 11) % 30).collect();
        let times: Vec<_> = days
            .iter()
            .map(|day| (DECEMBER + day * DAY).to_string())
            .collect();
        let times: Vec<_> = times.iter().map(String::as_str).collect();
        let expected: Vec<_> = days.iter().map(|day| usize::try_from(*day).ok()).collect();
        assert_eq!(sealed.days(&times), expected);
    }
}
