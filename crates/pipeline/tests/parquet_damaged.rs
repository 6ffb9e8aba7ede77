//! A separate program, since it silences the panics of the process.
//!
//! Damaged Parquet is an error, whichever byte is wrong and wherever the file
//! ends.

#![cfg(target_endian = "little")]

#[allow(dead_code, reason = "this program uses a part")]
#[path = "it/common/mod.rs"]
mod common;

use backend_from_env as _;
use std::{
    io::{Seek, Write},
    panic,
};

use common::{
    Silent, fields,
    parquet::{Row, file, on_disk},
    pipeline,
};
use parquet::basic::Compression;
use pqseal_pipeline::{Error, Framing};

const ROWS: [Row<'_>; 3] = [
    (
        "open:x",
        Some(Some("open:y")),
        Some(7),
        Some(r#"{"encrypted_matched_data":"open:z"}"#),
    ),
    ("", Some(None), None, None),
    ("open:x", None, Some(8), Some("{}")),
];

#[test]
fn every_byte_and_every_length() {
    // The parquet crate panics at some of these, which the pipeline catches.
    panic::set_hook(Box::new(|_| {}));
    let good = file(&[&ROWS, &ROWS], Compression::SNAPPY);
    let pipeline = pipeline(
        fields(&["s", "doc.encrypted_matched_data"]),
        Framing::Parquet,
    );
    let mut on_disk = on_disk(&good);
    let mut ran = |bytes: &[u8]| {
        on_disk.rewind().unwrap();
        on_disk.set_len(0).unwrap();
        on_disk.write_all(bytes).unwrap();
        pqseal_pipeline::parquet::run(&pipeline, &on_disk, &mut Vec::new(), "test", &mut Silent)
    };
    assert!(ran(&good).is_ok());
    for length in 0..good.len() {
        let error = ran(&good[..length]);
        assert!(
            matches!(error, Err(Error::Input(_) | Error::Read(_))),
            "{length} bytes of {}",
            good.len()
        );
    }
    let mut refused = 0;
    for place in 0..good.len() {
        for change in [1, 0x10, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[place] ^= change;
            refused += usize::from(ran(&bad).is_err());
        }
    }
    assert!(refused > good.len(), "{refused} of {}", 4 * good.len());
}
