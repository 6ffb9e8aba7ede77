//! The age test kit: a file per case, which begins with lines `key: value` and an empty line.

use crate::sources::{Binary, Sources, folder_set};
use crate::{Output, Result};
use data_encoding::HEXLOWER;
use test_vectors::{AgeExpect, AgeVector};

const CASES: usize = 143;

pub(crate) fn import(sources: &Sources) -> Result<Vec<Output>> {
    let files = sources.binaries("age-testkit")?;
    if files.len() != CASES {
        return Err(format!("age-testkit: {} cases, {CASES} expected", files.len()).into());
    }
    let entries: Result<Vec<AgeVector>> = files
        .iter()
        .map(|file| entry(file).map_err(|error| format!("{}: {error}", file.name).into()))
        .collect();
    let note = "One entry per file of the kit, in the order of their names. file is the file after the kit's \
        own header, still compressed (zlib) where compressed says so. payload is the SHA-256 of what may be \
        released, which for a payload failure is the beginning only.";
    Ok(vec![Output::new(&folder_set(
        &files, "age-kit", note, entries?,
    ))?])
}

fn entry(file: &Binary) -> Result<AgeVector> {
    let end = file.bytes.windows(2).position(|pair| pair == b"\n\n");
    let (header, body) = file.bytes.split_at(end.ok_or("no empty line")? + 2);
    let mut entry = AgeVector {
        name: file.name.clone(),
        comment: String::new(),
        expect: AgeExpect::Success,
        payload_sha256: None,
        file_key: Vec::new(),
        identities: Vec::new(),
        passphrases: Vec::new(),
        armored: false,
        compressed: false,
        file: body.to_vec(),
    };
    for line in str::from_utf8(header)?.trim_end().lines() {
        let (key, value) = line.split_once(": ").ok_or("a line without a colon")?;
        set(&mut entry, key, value)?;
    }
    Ok(entry)
}

fn set(entry: &mut AgeVector, key: &str, value: &str) -> Result<()> {
    match key {
        "expect" => entry.expect = serde_json::from_value(value.into())?,
        "payload" => entry.payload_sha256 = Some(value.to_owned()),
        "file key" => entry.file_key = decode(value)?,
        "identity" => entry.identities.push(value.to_owned()),
        "passphrase" => entry.passphrases.push(value.to_owned()),
        "armored" => entry.armored = value == "yes",
        "compressed" => entry.compressed = value == "zlib",
        "comment" => entry.comment = value.to_owned(),
        _ => return Err(format!("unknown key {key}").into()),
    }
    Ok(())
}

fn decode(hex: &str) -> Result<Vec<u8>> {
    HEXLOWER
        .decode(hex.as_bytes())
        .map_err(|error| error.to_string().into())
}
