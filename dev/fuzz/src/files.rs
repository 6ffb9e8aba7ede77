//! Encrypted files: a header or armor that is read is written with the same bytes, and chunks that
//! open are sealed again to the same bytes.

use std::io::{Read, Write};

use pqseal_age::{
    ArmorReader, ArmorWriter, ChunkReader, ChunkWriter, FileKey, Header, Payload, keys, object,
};

/// Checks that a header has one encoding, and armor one except for line ends and whitespace around
/// it.
pub(crate) fn run_header(bytes: &[u8]) {
    if let Ok(header) = Header::read(&mut &bytes[..]) {
        assert!(bytes.starts_with(&header.to_bytes()));
    }
    let mut binary = Vec::new();
    if ArmorReader::new(bytes).read_to_end(&mut binary).is_ok() {
        let mut armor = ArmorWriter::new(Vec::new()).expect("a Vec takes all");
        armor.write_all(&binary).expect("a Vec takes all");
        let armored = armor.finish().expect("a Vec takes all");
        let mut again = Vec::new();
        let read = ArmorReader::new(&armored[..]).read_to_end(&mut again);
        assert!(read.is_ok() && again == binary);
    }
}

/// Opens a payload under a fixed key.
pub(crate) fn run_payload(bytes: &[u8]) {
    let mut text = Vec::new();
    if ChunkReader::new(payload(), bytes)
        .read_to_end(&mut text)
        .is_ok()
    {
        assert!(seal(&text) == bytes);
    }
}

/// Checks that the header of an object has one encoding, and that opened chunks are sealed again to
/// the same bytes.
pub(crate) fn run_object(bytes: &[u8]) {
    let Ok(header) = object::Header::read(&mut &bytes[..]) else {
        return;
    };
    assert!(bytes.starts_with(header.as_bytes()));
    assert!(!header.entries().is_empty());
    let identity = keys::read_identity(IDENTITY).expect("an identity");
    if let Ok(secret) = header.open(&[&*identity], &object::Options::default().policy) {
        let chunks = &bytes[header.as_bytes().len()..];
        let key = || secret.payload(header.cipher()).expect("a key of Nk bytes");
        let mut text = Vec::new();
        if ChunkReader::new(key(), chunks)
            .read_to_end(&mut text)
            .is_ok()
        {
            let mut writer = ChunkWriter::new(key(), Vec::new());
            writer.write_all(&text).expect("a Vec takes all");
            assert!(writer.finish().expect("a Vec takes all") == chunks);
        }
    }
}

/// The identity of the first known answer.
const IDENTITY: &str = "AGE-SECRET-KEY-1QURSWPC8QURSWPC8QURSWPC8QURSWPC8QURSWPC8QURSWPC8QURSKMP32K";

/// Returns the known answers of `pqseal-age`.
pub(crate) fn object_seeds() -> Vec<Vec<u8>> {
    let vectors = include_str!("../../../crates/age/tests/object.json");
    let vectors: serde_json::Value = serde_json::from_str(vectors).expect("JSON");
    let vectors = vectors.as_array().expect("a list").iter();
    let objects = vectors.map(|vector| {
        let object = vector["object"].as_str().expect("a text");
        data_encoding::HEXLOWER
            .decode(object.as_bytes())
            .expect("digits")
    });
    objects.collect()
}

pub(crate) fn header_seeds() -> Vec<Vec<u8>> {
    let cases = test_vectors::age_kit().entries.into_iter();
    cases
        .filter(|case| !case.compressed)
        .map(|case| case.file)
        .collect()
}

pub(crate) fn payload_seeds() -> Vec<Vec<u8>> {
    [0, 5, 65_536, 65_540]
        .map(|len| seal(&vec![7; len]))
        .to_vec()
}

fn payload() -> Payload {
    Payload::new(&FileKey::new([1; 16]), [2; 16])
}

fn seal(text: &[u8]) -> Vec<u8> {
    let mut writer = ChunkWriter::new(payload(), Vec::new());
    writer.write_all(text).expect("a Vec takes all");
    writer.finish().expect("a Vec takes all")
}
