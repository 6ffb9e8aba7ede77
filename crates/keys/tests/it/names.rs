//! Names of algorithms: those of `names.json`, which the tests of every front end read too, and
//! those that the documents print.

use std::{fs, path::Path};

use pqseal_hpke::Aead;
use pqseal_keys::{aead_by_name, kdf_by_name, kem_by_name};
use serde_json::Value;

fn id(kind: &str, name: &str) -> Option<u16> {
    match kind {
        "kem" => kem_by_name(name).map(|kem| kem.info().id).ok(),
        "kdf" => kdf_by_name(name).map(|kdf| kdf.info().id).ok(),
        _ => aead_by_name(name).map(|aead| aead.info().id).ok(),
    }
}

#[test]
fn names_in_any_case() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../names.json")).unwrap();
    for row in rows {
        let (kind, name) = (row["kind"].as_str().unwrap(), row["name"].as_str().unwrap());
        let expected = row["id"].as_u64().and_then(|id| u16::try_from(id).ok());
        for name in [name, &name.to_uppercase(), &name.to_lowercase()] {
            assert_eq!(id(kind, name), expected, "{name}");
        }
    }
    for (kind, name) in [
        ("kem", "hkdf-sha256"),
        ("kdf", "x25519"),
        ("aead", "sha256"),
        ("aead", ""),
    ] {
        assert_eq!(id(kind, name), None, "{name}");
    }
    for number in ["", "0x", "0x10000", "65536", "-1", "+32", "0x+20", "0x 20"] {
        assert_eq!(id("kem", number), None, "{number:?}");
    }
}

/// Every name that a document prints is one that programs take, and is in `names.json`, so that the
/// other front ends' tests take it too.
#[test]
fn every_name_that_the_documents_print() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../names.json")).unwrap();
    let listed = |kind: &str, name: &str| {
        let same = |row: &&Value| letters(row["name"].as_str().unwrap()) == letters(name);
        let row = rows.iter().filter(|row| row["kind"] == kind).find(same);
        row.is_some_and(|row| row["id"].is_u64())
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = 0;
    for folder in [
        ".",
        "docs",
        "hpke",
        "kem-pq",
        "crates/keys",
        "bindings/python",
        "bindings/c",
        "wasm/npm",
    ] {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(&path).unwrap();
                for (kind, name) in names(&text) {
                    let place = format!("{}: {kind} {name}", path.display());
                    assert!(id(kind, name).is_some(), "{place}");
                    assert!(listed(kind, name), "{place} is not in names.json");
                    found += 1;
                }
            }
        }
    }
    assert!(found > 100, "{found}");
}

/// Returns a name without its case and punctuation.
fn letters(name: &str) -> String {
    name.to_lowercase()
        .replace(|c: char| !c.is_alphanumeric(), "")
}

/// Finds the words that are written as names of algorithms are.
fn names(text: &str) -> Vec<(&'static str, &str)> {
    let dhkems = text.match_indices("DHKEM(").filter_map(|(at, _)| {
        let name = text[at..].split_inclusive(')').next()?;
        (name.len() < 40 && name.contains(',')).then_some(("kem", name))
    });
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let kind = |word: &str| {
        let numbered = word.ends_with(|c: char| c.is_ascii_digit());
        let is = |start: &str| word.starts_with(start);
        Some(match word {
            "X-Wing" | "X25519" | "X448" | "P-256" | "P-384" | "P-521" => "kem",
            _ if is("X25519Kyber") || is("BIKE-L") => "kem",
            _ if numbered && (is("ML-KEM-") || is("MLKEM")) => "kem",
            _ if numbered && (is("HKDF-SHA") || is("SHAKE") || is("TurboSHAKE")) => "kdf",
            _ if is("ChaCha20") || is("AES-") && word.ends_with("-GCM") && word.len() == 11 => {
                "aead"
            }
            _ => return None,
        })
    };
    let words = words.filter_map(|word| Some((kind(word)?, word)));
    dhkems.chain(words).collect()
}
