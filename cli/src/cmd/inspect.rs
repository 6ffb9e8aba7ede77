//! `pqseal inspect`: what a blob says of itself, without any key.

use std::fmt::Write;

use clap::Args;
use envelope::{
    Blob, Error as BlobError, Frame, FrameV4, HeaderV4, Trailing, Version, caution,
    hpke::{Policy, Status, SuiteId},
    kem_by_id,
};
use serde_json::{Value, json};

use crate::{
    blobs::{self, Entry},
    error::{Error, Exit},
    input::Source,
    output::to_stdout,
    suite,
};

/// The arguments of `pqseal inspect`.
#[derive(Args)]
pub struct Inspect {
    /// The blob
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

/// One line of what is shown: the member in JSON, the label in text, the value in either.
type Fact = (&'static str, &'static str, Value);

impl Inspect {
    /// Runs it.
    ///
    /// # Errors
    /// See [`Error`]; blobs that cannot be taken apart, or not be opened by any key, are reported
    /// here and give [`Exit::Incomplete`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        let (mut text, mut errors) = (String::new(), Vec::new());
        for entry in blobs::all(&self.input.read()?) {
            let (facts, error) = facts(&entry);
            match facts {
                facts if facts.is_empty() => {}
                facts if json => text += &as_json(facts),
                facts => text += &as_text(&facts, !text.is_empty()),
            }
            errors.extend(error);
        }
        to_stdout(text.as_bytes())?;
        errors.iter().for_each(|error| error.report(json));
        Ok(if errors.is_empty() {
            Exit::Done
        } else {
            Exit::Incomplete
        })
    }
}

/// What a blob says of itself, and what is wrong with it: both, for a version 4 blob of a suite
/// that is not to be had.
fn facts(entry: &Entry) -> (Vec<Fact>, Option<Error>) {
    let (facts, error) = match &entry.blob {
        Ok(blob) => of_blob(blob),
        Err(BlobError::Truncated) => (vec![("truncated", "truncated", json!(true))], None),
        Err(error) => (Vec::new(), Some(error.clone())),
    };
    let error = error.map(|error| match entry.line {
        Some(line) => Error::blob(&error).on_line(line),
        None => Error::blob(&error),
    });
    (facts, error)
}

fn of_blob(blob: &[u8]) -> (Vec<Fact>, Option<BlobError>) {
    let check = |header: &HeaderV4| header.check(&Policy::draft().with_experimental());
    match Blob::parse(blob, Trailing::Ignore) {
        Ok(Blob::V1to3(frame)) => (of_frame(&frame, blob.len()), None),
        Ok(Blob::V4(frame)) => {
            let header = HeaderV4 {
                suite: frame.suite(),
                key_id: frame.key_id(),
            };
            (
                of_v4(&header, Some(&frame), blob.len()),
                check(&header).err(),
            )
        }
        // The sizes of an unknown KEM are not known, but the header has its place.
        Err(error) => match HeaderV4::parse(blob) {
            Ok(header) if check(&header).is_err() => {
                (of_v4(&header, None, blob.len()), Some(error))
            }
            _ => (Vec::new(), Some(error)),
        },
    }
}

fn of_frame(frame: &Frame<'_>, blob_len: usize) -> Vec<Fact> {
    let (specification, status) = specification(frame.version);
    let hex: String = frame.enc.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut facts = vec![
        ("version", "version", json!(frame.version as u8)),
        ("specification", "HPKE", json!(specification)),
        ("status", "status", json!(status.to_string())),
    ];
    facts.extend(suite_facts(frame.suite()));
    facts.extend([
        ("blob_bytes", "blob bytes", json!(blob_len)),
        (
            "plaintext_bytes",
            "plaintext bytes",
            json!(frame.plaintext_len()),
        ),
        (
            "trailing_bytes",
            "trailing bytes",
            json!(blob_len - frame.write().len()),
        ),
        ("truncated", "truncated", json!(false)),
        ("encapsulated_key", "encapsulated key", json!(hex)),
    ]);
    facts
}

/// The encapsulated key is too long to be read, so its size is shown.
fn of_v4(header: &HeaderV4, frame: Option<&FrameV4<'_>>, blob_len: usize) -> Vec<Fact> {
    let status = suite::status(header.suite)
        .map_or("not to be had here".to_owned(), |status| status.to_string());
    let mut facts = vec![
        ("version", "version", json!(4)),
        ("specification", "HPKE", json!("RFC 9180")),
        ("status", "status", json!(status)),
    ];
    facts.extend(suite_facts(header.suite));
    if let Some(caution) = kem_by_id(header.suite.kem).and_then(|kem| caution(kem.info())) {
        facts.push(("caution", "caution", json!(caution)));
    }
    facts.push(("key_id", "key id", json!(header.key_id.to_string())));
    facts.push(("blob_bytes", "blob bytes", json!(blob_len)));
    if let Some(frame) = frame {
        facts.push((
            "plaintext_bytes",
            "plaintext bytes",
            json!(frame.plaintext_len()),
        ));
        facts.push((
            "encapsulated_key_bytes",
            "enc bytes",
            json!(frame.enc.len()),
        ));
    }
    facts.push(("truncated", "truncated", json!(false)));
    facts
}

fn specification(version: Version) -> (&'static str, Status) {
    match version {
        Version::V1 => (
            "draft-irtf-cfrg-hpke-05",
            Status::Draft("draft-irtf-cfrg-hpke-05"),
        ),
        Version::V2 => (
            "draft-irtf-cfrg-hpke-06",
            Status::Draft("draft-irtf-cfrg-hpke-06"),
        ),
        Version::V3 => ("RFC 9180", Status::Standard),
    }
}

fn suite_facts(id: SuiteId) -> [Fact; 3] {
    let [kem, kdf, aead] = suite::rows(id);
    [
        ("kem", "KEM", kem),
        ("kdf", "KDF", kdf),
        ("aead", "AEAD", aead),
    ]
}

fn as_json(facts: Vec<Fact>) -> String {
    let object: serde_json::Map<_, _> = facts
        .into_iter()
        .map(|(member, _, value)| (member.to_owned(), value))
        .collect();
    format!("{}\n", Value::Object(object))
}

fn as_text(facts: &[Fact], after_another: bool) -> String {
    let mut text = String::from(if after_another { "\n" } else { "" });
    for (_, label, value) in facts {
        let _ = writeln!(text, "{:18}{}", format!("{label}:"), shown(value));
    }
    text
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => {
            "yes: the payload was too large to be logged, and nothing can be opened".to_owned()
        }
        Value::Bool(false) => "no".to_owned(),
        Value::Object(row) => row
            .values()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("  "),
        other => other.to_string(),
    }
}
