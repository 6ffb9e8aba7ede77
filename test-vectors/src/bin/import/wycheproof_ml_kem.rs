//! Wycheproof's ML-KEM files: key generation, encapsulation and decapsulation for each parameter
//! set.

use crate::sources::{Source, Sources, rename, set};
use crate::{Output, Result, wycheproof};
use data_encoding::HEXLOWER;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use test_vectors::{DecapsVector, EncapsVector, KeyGenVector, sha256};

type Object = Map<String, Value>;

/// The numbers in file names, and the names in our schema.
const SETS: [(&str, &str); 3] = [
    ("512", "ML-KEM-512"),
    ("768", "ML-KEM-768"),
    ("1024", "ML-KEM-1024"),
];

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    Ok(vec![key_gen(sources)?, encaps(sources)?, decaps(sources)?])
}

fn key_gen(sources: &Sources) -> Result<Output> {
    let note = "ek is kept as SHA-256. dk is left out: ACVP's set has 75 of them, and an implementation keeps the seed.";
    output::<KeyGenVector>(
        sources,
        "wycheproof-ml-kem-key-gen",
        "_keygen_seed",
        note,
        |test| {
            drop_fields(test, &["comment", "result", "dk"]);
            hash_field(test, "ek", "ek_sha256")
        },
    )
}

fn encaps(sources: &Sources) -> Result<Output> {
    let note = "c is kept as SHA-256. The flag ModulusOverflow became the comment. Invalid tests have an ek that must be refused.";
    output::<EncapsVector>(
        sources,
        "wycheproof-ml-kem-encaps",
        "_encaps",
        note,
        |test| {
            flags_as_comment(test);
            hash_field(test, "c", "c_sha256")
        },
    )
}

fn decaps(sources: &Sources) -> Result<Output> {
    let note = "ek is left out: it follows from the seed. The flag Strcmp became the comment. Invalid tests have a seed or a c of \
        another length; those of random or altered ciphertexts are valid, and k is the secret of the rejection.";
    output::<DecapsVector>(sources, "wycheproof-ml-kem-decaps", "", note, |test| {
        flags_as_comment(test);
        drop_fields(test, &["ek"]);
        Ok(())
    })
}

/// Makes the set of one kind of file over the parameter sets. `adapt` adds the other fields of
/// our schema to a test.
fn output<T: DeserializeOwned + serde::Serialize>(
    sources: &Sources,
    name: &str,
    suffix: &str,
    note: &str,
    adapt: impl Fn(&mut Object) -> Result<()>,
) -> Result<Output> {
    let mut files = Vec::new();
    let mut entries: Vec<T> = Vec::new();
    for (number, parameter_set) in SETS {
        let source = wycheproof::open(sources, &format!("mlkem_{number}{suffix}"))?;
        for mut test in wycheproof::objects(&source)? {
            rename(&mut test, &[("tcId", "id"), ("K", "k")]);
            test.insert("parameter_set".to_owned(), parameter_set.into());
            adapt(&mut test)?;
            entries.push(source.entry(test)?);
        }
        files.push(source);
    }
    Output::new(&set(
        &files.iter().collect::<Vec<&Source>>(),
        name,
        note,
        entries,
    ))
}

/// Moves the flag to the comment: these tests have either of them, not both.
fn flags_as_comment(test: &mut Object) {
    let flags = test.remove("flags");
    let flag = flags
        .as_ref()
        .and_then(|flags| flags.get(0))
        .cloned()
        .unwrap_or_default();
    test.entry("comment").or_insert(flag);
}

fn drop_fields(test: &mut Object, fields: &[&str]) {
    for field in fields {
        test.remove(*field);
    }
}

/// Replaces hex by the SHA-256 of its bytes, and empty hex by nothing.
fn hash_field(test: &mut Object, from: &str, to: &str) -> Result<()> {
    let value = test.remove(from);
    let hex = value.as_ref().and_then(Value::as_str).unwrap_or_default();
    let bytes = HEXLOWER
        .decode(hex.as_bytes())
        .map_err(|error| format!("{from}: {error}"))?;
    let hash = if bytes.is_empty() {
        String::new()
    } else {
        HEXLOWER.encode(&sha256(&bytes))
    };
    test.insert(to.to_owned(), hash.into());
    Ok(())
}
