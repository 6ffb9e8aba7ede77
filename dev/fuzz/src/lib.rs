//! What is fuzzed: one function for each parser and each state machine that reads what an attacker
//! may have written.
//!
//! A target is given bytes and panics if something is wrong: if a parser accepts what it must not,
//! if two implementations differ, or if a state machine does what its model does not. No input is
//! an error of the target itself. The seeds are made from the test vectors, so that a fuzzer begins
//! with inputs that go deep; small ones written by hand are in `seeds/`.

#![forbid(unsafe_code)]

mod age_keys;
mod backends;
mod base64;
mod bike;
mod blob;
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
mod pipeline;
mod pkcs8;
mod plugin;
mod samples;
mod ssh;
mod wasm;

/// Something to fuzz.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is that of its binary, its corpus and its folder of seeds.
    pub name: &'static str,
    /// Runs it once.
    pub run: fn(&[u8]),
    /// The inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The number of inputs that the test on stable Rust may run if `PQSEAL_LONG` is set: fewer where one takes
    /// milliseconds. Otherwise it runs the seeds and a tenth of the changes.
    pub replayed: usize,
}

/// Every target.
pub static TARGETS: &[Target] = &[
    Target::new("blob", blob::run, blob::seeds, 20_000),
    Target::new("keys", keys::run, keys::seeds, 500),
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
    Target::new("path", path::run, path::seeds, 20_000),
    Target::new("open", open::run, open::seeds, 200),
    Target::new("contexts", contexts::run, contexts::seeds, 200),
    Target::new("bike", bike::run, bike::seeds, 20),
    Target::new("backends", backends::run, backends::seeds, 200),
    Target::new("rules", edge::run_rules, edge::rule_seeds, 1_000),
    Target::new("request", edge::run_request, edge::request_seeds, 2_000),
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

    /// The target of this name.
    pub fn of(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }
}

/// Runs the target of this name once.
///
/// # Panics
/// If there is no such target, and if the target finds something.
pub fn run(name: &str, bytes: &[u8]) {
    (Target::of(name).expect("a target of this name").run)(bytes);
}
