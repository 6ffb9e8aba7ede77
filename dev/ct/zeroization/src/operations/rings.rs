//! `pqseal_matched_data::KeyRing`: keys that are added while blobs are opened.

use std::hint::black_box;

use pqseal_hpke::Policy;
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, SealedRecord, Trailing};

use crate::world::{AAD, INFO, World};

pub(super) fn grow(world: &World) {
    let policy = Policy::draft().with_experimental();
    let options = OpenOptions {
        info: INFO,
        aad: AAD,
        policy,
    };
    let blobs = world
        .blobs
        .iter()
        .map(|blob| Blob::parse(blob, Trailing::Refuse).expect("just sealed"));
    let blobs: Vec<_> = blobs
        .map(|blob| SealedRecord {
            blob,
            aad: None,
            hint: None,
        })
        .collect();
    let mut ring = KeyRing::new();
    for key in world.others() {
        ring.add(&key).expect("its KEM is known");
        assert!(ring.open_batch(&blobs, &options).iter().all(Result::is_err));
    }
    ring.add_labelled(&world.private(), Some("the right one"))
        .expect("its KEM is known");
    assert!(ring.open_batch(&blobs, &options).iter().all(Result::is_ok));
    for record in &blobs {
        black_box(ring.open(&record.blob, &options).expect("the key is there"));
    }
}
