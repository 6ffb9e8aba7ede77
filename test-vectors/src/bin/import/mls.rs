//! The MLS working group's vectors: from "crypto basics" only EncryptWithLabel, which
//! uses HPKE.

use crate::sources::{Sources, rename};
use crate::{Output, Result};
use serde_json::{Map, Value};
use test_vectors::MlsVector;

/// The names in the source and ours.
const NAMES: [(&str, &str); 5] = [
    ("priv", "sk_r"),
    ("pub", "pk_r"),
    ("plaintext", "pt"),
    ("kem_output", "enc"),
    ("ciphertext", "ct"),
];

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let source = sources.file("mls/crypto-basics.json")?;
    let mut entries: Vec<MlsVector> = Vec::new();
    for mut suite in source.json::<Vec<Map<String, Value>>>()? {
        let Some(Value::Object(mut message)) = suite.remove("encrypt_with_label") else {
            return Err(source.error("a cipher suite without encrypt_with_label"));
        };
        message.extend(suite.remove_entry("cipher_suite"));
        rename(&mut message, &NAMES);
        entries.push(source.entry(message)?);
    }
    source.expect_count(entries.len())?;
    let note = "encrypt_with_label of each cipher suite. What is not HPKE is left out: hashes, labels of the key \
        schedule and signatures.";
    Ok(vec![Output::new(&source.set("mls", note, entries))?])
}
