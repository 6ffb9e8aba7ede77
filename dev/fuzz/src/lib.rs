//! The fuzz targets: one function for each parser and each state machine that reads input of an
//! attacker.
//!
//! A target gets bytes, and panics if a parser accepts invalid input, if two implementations
//! differ, or if a state machine differs from its model. No input is an error of the target itself.
//! The seeds are made from the test vectors, so that a fuzzer begins with inputs that reach deep
//! code; small ones written by hand are in `seeds/`.

#![forbid(unsafe_code)]

mod age_keys;
mod backends;
mod base64;
mod bike;
mod blob;
mod calendar;
mod contexts;
mod cose;
mod csv;
mod edge;
mod files;
mod framing;
mod input;
mod json;
mod jwe;
mod keys;
mod ohttp;
mod open;
mod path;
mod pieces;
mod pkcs8;
mod plugin;
mod samples;
mod sealed;
mod ssh;
mod wasm;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target, of its binary, its corpus and its folder of seeds.
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
    Target::new("blob", blob::run, blob::seeds, 20_000),
    Target::new("keys", keys::run, keys::seeds, 500),
    Target::new("calendar", calendar::run, calendar::seeds, 2_000),
    Target::new("base64", base64::run, base64::seeds, 20_000),
    Target::new("json", json::run, json::seeds, 20_000),
    Target::new("csv", csv::run, csv::seeds, 1_000),
    Target::new("age_header", files::run_header, files::header_seeds, 2_000),
    Target::new("age_payload", files::run_payload, files::payload_seeds, 200),
    Target::new("age_keys", age_keys::run, age_keys::seeds, 500),
    Target::new("ssh", ssh::run, ssh::seeds, 1_000),
    Target::new("pkcs8", pkcs8::run, pkcs8::seeds, 1_000),
    Target::new("plugin", plugin::run, plugin::seeds, 500),
    Target::new("object", files::run_object, files::object_seeds, 500),
    Target::new("jwe", jwe::run, jwe::seeds, 1_000),
    Target::new("cose", cose::run, cose::seeds, 1_000),
    Target::new("ohttp", ohttp::run, ohttp::seeds, 1_000),
    Target::new("framing", framing::run, framing::seeds, 2_000),
    Target::new("pieces", pieces::run, pieces::seeds, 5_000),
    Target::new("path", path::run, path::seeds, 20_000),
    Target::new("open", open::run, open::seeds, 200),
    Target::new("contexts", contexts::run, contexts::seeds, 200),
    Target::new("bike", bike::run, bike::seeds, 20),
    Target::new("backends", backends::run, backends::seeds, 200),
    Target::new("rules", edge::run_rules, edge::rule_seeds, 1_000),
    Target::new("request", edge::run_request, edge::request_seeds, 2_000),
    Target::new("sealed", sealed::run, sealed::seeds, 2_000),
    Target::new("wasm", wasm::run, wasm::seeds, 200),
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

/// Runs the target of this name once.
///
/// # Panics
/// If there is no such target, or if the target finds an error.
pub fn run(name: &str, bytes: &[u8]) {
    (Target::of(name).expect("a target of this name").run)(bytes);
}
