//! `pqseal_keys::calendar`: a calendar that is shredded and lent, and one that opens.

use std::{hint::black_box, iter, sync::Arc};

use pqseal_hpke::Policy;
use pqseal_keys::{
    Fingerprint, KeyFormat,
    calendar::{Calendar, Error, PeriodLength},
};
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, SealedRecord, Trailing};
use zeroize::Zeroizing;

use crate::world::{AAD, INFO, World};

/// 1 December 2026.
const START: u64 = 1_796_083_200;
const DAY: u64 = 86_400;

pub(super) fn shred(world: &World) {
    let Some(calendar) = calendar(world) else {
        return;
    };
    let half = calendar.count() / 2;
    let shredded = calendar.shred(half).expect("it is private");
    drop(calendar);
    let lent = shredded.lend(half..half + 2).expect("it is private");
    assert_eq!(lent.present().count(), 2);
    lent.check().expect("its keys are right");
    let public = shredded.public(0..shredded.count()).expect("it is whole");
    drop((shredded, lent));
    assert_eq!(black_box(public).present().count(), half);
}

pub(super) fn open(world: &World) {
    let Some(calendar) = calendar(world) else {
        return;
    };
    let options = OpenOptions {
        info: INFO,
        aad: AAD,
        policy: Policy::draft(),
    };
    let blobs = world.blobs.iter();
    let blobs = blobs.map(|blob| Blob::parse(blob, Trailing::Refuse).expect("just sealed"));
    let (v4, older): (Vec<_>, Vec<_>) = blobs
        .map(|blob| SealedRecord {
            blob,
            aad: None,
            hint: None,
        })
        .partition(|record| record.blob.version() == 4);
    let mut ring = KeyRing::new();
    ring.add_calendar(Arc::new(calendar))
        .expect("it is private");
    assert!(ring.open_batch(&v4, &options).iter().all(Result::is_ok));
    assert!(ring.open_batch(&older, &options).iter().all(Result::is_err));
    for record in &v4 {
        black_box(ring.open(&record.blob, &options).expect("the key is there"));
    }
}

/// Returns a calendar of the other keys, one for each day, and of the recipient's on the last day;
/// `None` for a KEM that calendars do not have.
fn calendar(world: &World) -> Option<Calendar> {
    let keys = world.others().chain(iter::once_with(|| world.private()));
    let lines = keys.enumerate().map(|(number, key)| {
        let line = pqseal_keys::write_private(&key, KeyFormat::Line).expect("a line has any KEM");
        let public = pqseal_keys::public_key(&key).expect("the KEM is known");
        (number as u64, Fingerprint::of(&public), line)
    });
    let lines: Vec<_> = lines.collect();
    let longest = lines
        .iter()
        .map(|(.., line)| line.len() + 100)
        .sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(longest + 200));
    let kem = world.choice.kem.info().short_name;
    let id = "00112233445566778899aabbccddeeff";
    text.extend(["pqseal-calendar 1 ", id, " ", kem, " day scanned\n"]);
    for (number, fingerprint, line) in &lines {
        let day = PeriodLength::Day.name_of(START + number * DAY);
        text.extend([
            &day,
            " ",
            &fingerprint.to_string(),
            " ",
            line.trim_end(),
            "\n",
        ]);
    }
    let bytes = Zeroizing::new(std::mem::take(&mut *text).into_bytes());
    match Calendar::parse(bytes) {
        Ok(calendar) => Some(calendar),
        Err(Error::KemRefused) => None,
        Err(error) => panic!("{error}"),
    }
}
