//! BIKE: JSON lines.

use crate::sources::{Source, Sources, rename};
use crate::{Output, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use test_vectors::{BikeAltered, BikeVector};

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let mut outputs = Vec::new();
    for level in [1, 3, 5] {
        outputs.push(known_answers(sources, level)?);
        outputs.push(altered(sources, level)?);
    }
    Ok(outputs)
}

fn known_answers(sources: &Sources, level: u8) -> Result<Output> {
    let names = [("keygen_rand", "seed"), ("sk_spec_sha256", "sk_sha256")];
    let file = format!("bike/BIKE-L{level}.compact.jsonl");
    let note = "Specification v5.1. The known answers of the reference's DRBG, with what KeyGen and Encaps draw in place of its seed.";
    set::<BikeVector>(
        sources,
        &file,
        &format!("bike-l{level}"),
        note,
        &names,
        level,
    )
}

fn altered(sources: &Sources, level: u8) -> Result<Output> {
    let file = format!("bike/BIKE-L{level}.negative.count0.jsonl.gz");
    let note = "For the key of count 0. liboqs takes spare bits above r for the coefficients that they wrap to; a ciphertext that has \
        one is not canonical, and we refuse it: its secret is for the compatible form of Decaps.";
    let names = [("rejected_with_sigma", "rejected")];
    set::<BikeAltered>(
        sources,
        &file,
        &format!("bike-l{level}-altered"),
        note,
        &names,
        level,
    )
}

fn set<T: DeserializeOwned + serde::Serialize>(
    sources: &Sources,
    file: &str,
    name: &str,
    note: &str,
    names: &[(&str, &str)],
    level: u8,
) -> Result<Output> {
    let source = sources.file(file)?;
    let entries = source
        .text()
        .lines()
        .map(|line| entry(&source, line, names, level))
        .collect::<Result<Vec<T>>>()?;
    source.expect_count(entries.len())?;
    let mut set = source.set(name, note, entries);
    set.header.path = "not published there".to_owned();
    set.header.commit = "liboqs 8979276a".to_owned();
    Output::new(&set)
}

fn entry<T: DeserializeOwned>(
    source: &Source,
    line: &str,
    names: &[(&str, &str)],
    level: u8,
) -> Result<T> {
    let mut object: Map<String, Value> =
        serde_json::from_str(line).map_err(|error| source.error(error))?;
    // The file's name already contains the level.
    if object.remove("level").is_some_and(|found| found != level) {
        return Err(source.error(format!("an entry of another level than {level}")));
    }
    rename(&mut object, names);
    source.entry(object)
}
