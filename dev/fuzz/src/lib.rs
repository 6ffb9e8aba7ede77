//! The fuzz targets: one function for each parser and each state machine that reads input of an
//! attacker.
//!
//! A target gets bytes, and panics if a parser accepts invalid input, if two implementations
//! differ, or if a state machine differs from its model. No input is an error of the target itself.
//! The seeds are made from the test vectors, so that a fuzzer begins with inputs that reach deep
//! code; small ones written by hand are in `seeds/`.

#![forbid(unsafe_code)]

mod age_keys;
mod blobs;
mod contexts;
mod edge;
mod files;
mod formats;
mod framing;
mod kems;
mod keys;
mod pieces;
mod plugin;
mod records;
mod samples;
mod sealed;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target, of its corpus and of its folder of seeds.
    pub name: &'static str,
    /// Runs the target once.
    pub run: fn(&[u8]),
    /// Returns the initial inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The number of inputs that the test on stable Rust may run if `PQSEAL_LONG` is set. It is
    /// smaller if an input takes milliseconds. Otherwise the test runs the seeds and a tenth of the
    /// changes.
    pub replayed: usize,
}

/// All targets.
pub static TARGETS: &[Target] = &[
    Target::new("blob", blobs::run_blob, samples::blobs, 20_000),
    Target::new("keys", keys::run_key, keys::key_seeds, 500),
    Target::new("calendar", keys::run_calendar, keys::calendar_seeds, 2_000),
    Target::new("base64", keys::run_base64, keys::base64_seeds, 20_000),
    Target::new("json", records::run_json, records::json_seeds, 20_000),
    Target::new("csv", records::run_csv, records::csv_seeds, 1_000),
    Target::new("age_header", files::run_header, files::header_seeds, 2_000),
    Target::new("age_payload", files::run_payload, files::payload_seeds, 200),
    Target::new("age_keys", age_keys::run, age_keys::seeds, 500),
    Target::new("ssh", age_keys::run_ssh, age_keys::ssh_seeds, 1_000),
    Target::new("pkcs8", keys::run_pkcs8, keys::pkcs8_seeds, 1_000),
    Target::new("plugin", plugin::run, plugin::seeds, 500),
    Target::new("object", files::run_object, files::object_seeds, 500),
    Target::new("jwe", formats::run_jwe, formats::jwe_seeds, 1_000),
    Target::new("cose", formats::run_cose, formats::cose_seeds, 1_000),
    Target::new("ohttp", formats::run_ohttp, formats::ohttp_seeds, 1_000),
    Target::new("framing", framing::run, framing::seeds, 2_000),
    Target::new("pieces", pieces::run, pieces::seeds, 5_000),
    Target::new("path", records::run_path, records::path_seeds, 20_000),
    Target::new("open", blobs::run_open, blobs::open_seeds, 200),
    Target::new("contexts", contexts::run, contexts::seeds, 200),
    Target::new("bike", kems::run_bike, kems::bike_seeds, 20),
    Target::new("backends", kems::run_backend, kems::backend_seeds, 200),
    Target::new("rules", edge::run_rules, edge::rule_seeds, 1_000),
    Target::new("request", edge::run_request, edge::request_seeds, 2_000),
    Target::new("sealed", sealed::run, sealed::seeds, 2_000),
    Target::new("wasm", blobs::run_wasm, blobs::wasm_seeds, 200),
];

impl Target {
    const fn new(
        name: &'static str,
        run: fn(&[u8]),
        seeds: fn() -> Vec<Vec<u8>>,
        replayed: usize,
    ) -> Self {
        Self {
            name,
            run,
            seeds,
            replayed,
        }
    }

    /// Returns the target of this name.
    pub fn of(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }
}
