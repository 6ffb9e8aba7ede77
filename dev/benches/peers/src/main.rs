//! Compares HPKE with other implementations, by turns in one process. Prints for `report.py` `row
//! TAB candidate TAB us TAB ratio`, where the ratio is to the row's first candidate, which is ours.
//! Before that it prints `back end TAB` and the back end on which X25519 of that candidate runs.
//!
//! `cargo run --release [-- FILTER]`, where FILTER is a part of a row's name. Every candidate first
//! opens the same record.

mod aws_lc;
mod crate_hpke;
mod hpke_ng;
mod hpke_rs;
mod measure;
mod ours;
mod peer;

use peer::{Case, Record, Suite};

/// The numbers of records in a batch.
const BATCHES: [usize; 4] = [1, 8, 64, 4096];

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let mut cases = Vec::new();
    for (suite, size) in Suite::ALL
        .into_iter()
        .flat_map(|suite| [150, 16 << 10, 1 << 20].map(|size| (suite, size)))
    {
        let record = ours::record(suite, vec![0x41; size]);
        let candidates = [
            ours::cases,
            aws_lc::cases,
            crate_hpke::cases,
            hpke_rs::cases,
            hpke_ng::cases,
        ];
        let wanted = |case: &Case| match case.row.rsplit(' ').next() {
            Some("set-up" | "precompute") => size == 150,
            Some("stream") => size == 1 << 20,
            _ => true,
        };
        cases.extend(
            candidates
                .iter()
                .flat_map(|cases| cases(&record))
                .filter(wanted),
        );
    }
    for (suite, len) in Suite::ALL
        .into_iter()
        .flat_map(|suite| BATCHES.map(|len| (suite, len)))
    {
        let records: Vec<Record> = (0..len)
            .map(|_| ours::record(suite, vec![0x41; 150]))
            .collect();
        cases.extend(
            [ours::batch, aws_lc::batch]
                .iter()
                .flat_map(|batch| batch(&records)),
        );
    }
    cases.retain(|case| case.row.contains(&filter));
    println!("back end\t{}", x25519_batch::Backend::chosen().name());
    measure::print(&mut cases);
}
