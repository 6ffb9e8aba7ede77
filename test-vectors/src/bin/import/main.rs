//! Writes `data/*.json` from the official files: `cargo run -p test-vectors --bin import --
//! <folder>`.
//!
//! The folder holds the files and a `manifest.json` that names the source, licence and SHA-256 of
//! each. One module per source format; [`FORMATS`] is the list to extend.

mod acvp;
mod age_kit;
mod bike;
mod cctv;
mod formats;
mod hpke_json;
mod hpke_markdown;
mod json;
mod sources;
mod wycheproof;
mod wycheproof_keys;
mod wycheproof_ml_kem;

use serde::Serialize;
use sources::Sources;
use std::path::{Path, PathBuf};
use test_vectors::Set;

/// A result with a message for the person who runs the importer, which names the file.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A function that reads its files and returns the sets made from them.
type Format = fn(&Sources) -> Result<Vec<Output>>;

/// Every supported format.
const FORMATS: &[Format] = &[
    hpke_json::import,
    hpke_markdown::import,
    json::import,
    wycheproof::import,
    wycheproof_keys::import,
    wycheproof_ml_kem::import,
    acvp::import,
    bike::import,
    cctv::import,
    age_kit::import,
    formats::import,
];

fn main() -> Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("usage: import <folder with manifest.json>")?;
    let sources = Sources::open(PathBuf::from(folder))?;
    for import in FORMATS {
        for output in import(&sources)? {
            output.write()?;
        }
    }
    Ok(())
}

/// A file of `data/` to be written.
struct Output {
    file: String,
    text: String,
    count: usize,
}

impl Output {
    fn new<T: Serialize>(set: &Set<T>) -> Result<Self> {
        Ok(Self {
            file: format!("{}.json", set.header.name),
            text: set.render()?,
            count: set.entries.len(),
        })
    }

    fn write(&self) -> Result<()> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("data")
            .join(&self.file);
        std::fs::write(&path, &self.text)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        println!(
            "data/{}: {} entries, {} bytes",
            self.file,
            self.count,
            self.text.len()
        );
        Ok(())
    }
}
