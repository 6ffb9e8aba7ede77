//! JOSE-HPKE and COSE-HPKE: examples of the drafts.

use crate::sources::{Source, Sources, set};
use crate::{Output, Result};
use data_encoding::HEXLOWER;
use serde_json::Value;
use test_vectors::{CoseVector, JoseVector};

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    Ok(vec![
        jose(sources)?,
        jose_pq(sources)?,
        jose_pq_00(sources)?,
        cose(
            sources,
            "cose-hpke/testvectors.txt",
            "cose-hpke",
            "Where the content is AES-GCM, its IV is as long as its key, 16 or 32 bytes.",
        )?,
        cose(
            sources,
            "cose-hpke/hpke-js-testvectors.txt",
            "cose-hpke-js",
            "Made by another implementation, with 12-byte IVs and kid in the unprotected header of a recipient. \
             The keys are those of cose-hpke.",
        )?,
    ])
}

fn jose(sources: &Sources) -> Result<Output> {
    let source = sources.file("jose-hpke/jose-vectors.json")?;
    let entries: Vec<JoseVector> = source.json()?;
    source.expect_count(entries.len())?;
    let note = "The draft's 48 files of examples/jwe and examples/jwks have the same content.";
    Output::new(&source.set("jose-hpke", note, entries))
}

fn jose_pq(sources: &Sources) -> Result<Output> {
    let source = sources.file("jose-hpke-pq/jose-vectors.json")?;
    let entries: Vec<JoseVector> = source.json()?;
    source.expect_count(entries.len())?;
    let note = "The numbers of the working group's draft. jose-hpke-pq-00 has those before it.";
    Output::new(&source.set("jose-hpke-pq", note, entries))
}

/// Reads the 60 files of the draft's first numbering, three for each algorithm.
fn jose_pq_00(sources: &Sources) -> Result<Output> {
    let algorithms: Vec<String> = (8..=17)
        .flat_map(|n| [format!("HPKE-{n}"), format!("HPKE-{n}-KE")])
        .collect();
    let read = |folder: &str, alg: &str, end: &str| {
        sources.file(&format!("jose-hpke-pq-00/{folder}/{alg}{end}"))
    };
    let mut files: [Vec<Source>; 3] = Default::default();
    let mut entries = Vec::new();
    for alg in algorithms {
        let [jwk, flattened, compact] = [
            read("jwks", &alg, ".json")?,
            read("jwe", &alg, "-flattened.json")?,
            read("jwe", &alg, "-compact.txt")?,
        ];
        entries.push(JoseVector {
            jwk: jwk.json::<Value>()?,
            flattened: flattened.json::<Value>()?,
            compact: compact.text().trim().to_owned(),
            alg,
        });
        for (kind, source) in files.iter_mut().zip([jwk, flattened, compact]) {
            kind.push(source);
        }
    }
    let files: Vec<&Source> = files.iter().flatten().collect();
    let note = "60 files, three for each algorithm, with the numbers of the draft before a working group had it: \
        HPKE-8 to HPKE-17 are its five KEMs, each with AES-256-GCM and then ChaCha20Poly1305.";
    Output::new(&set(&files, "jose-hpke-pq-00", note, entries))
}

fn cose(sources: &Sources, file: &str, name: &str, note: &str) -> Result<Output> {
    let source = sources.file(file)?;
    let mut entries = Vec::new();
    let (mut key, mut title) = (Vec::new(), "");
    for line in source.text().lines().map(str::trim) {
        if let Some((_, hex)) = line.split_once("COSE_Key:") {
            key = bytes(&source, hex.trim_start_matches(':'))?;
        } else if let Some(hex) = line.strip_prefix("Ciphertext:") {
            entries.push(vector(title, key.clone(), bytes(&source, hex)?));
        } else if !line.is_empty() {
            title = line;
        }
    }
    source.expect_count(entries.len())?;
    Output::new(&source.set(name, note, entries))
}

/// Makes an entry from a title such as `HPKE-0-KE KE+PSK with default aad, external info,
/// default hpke aad`.
fn vector(title: &str, key: Vec<u8>, message: Vec<u8>) -> CoseVector {
    let (alg, rest) = title.split_once(' ').unwrap_or((title, ""));
    let external = |what: &str| rest.contains(&format!("external {what}"));
    CoseVector {
        alg: alg.to_owned(),
        key,
        psk: rest.contains("PSK"),
        aad: external("aad"),
        info: external("info"),
        hpke_aad: external("hpke aad"),
        message,
    }
}

fn bytes(source: &Source, hex: &str) -> Result<Vec<u8>> {
    HEXLOWER
        .decode(hex.trim().as_bytes())
        .map_err(|error| source.error(error))
}
