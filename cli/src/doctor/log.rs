//! An input of blobs or records: each blob that does not open, or for many a line a field and cause.

use std::{collections::BTreeMap, io::Read};

use envelope::{
    Blob, OpenOptions, Trailing,
    diagnosis::{Diagnosis, diagnose},
};

use super::{
    blobs::{self, Candidate},
    keys::Given,
    report::Report,
};
use crate::{error::Error, input::Source};

/// How much of an input is read, in bytes after decompression: 64 MiB.
const LIMIT: u64 = 64 << 20;

/// Up to this many blobs are reported one by one.
const FEW: usize = 5;

/// The beginning of an input, decompressed, or why it cannot be read.
pub(super) fn read(source: &Source) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    source
        .records()
        .and_then(|input| input.take(LIMIT).read_to_end(&mut text))
        .map_err(|error| format!("cannot be read: {error}"))?;
    Ok(text)
}

/// Reports on every blob of an input.
pub(super) fn examine(
    source: &Source,
    text: &[u8],
    given: &Given,
    options: &OpenOptions<'_>,
    report: &mut Report,
) -> Result<(), Error> {
    let about = source.to_string();
    if text.len() as u64 == LIMIT {
        report.note(
            &about,
            "size",
            "cut_short",
            "only its first 64 MiB were read",
        )?;
    }
    let found = blobs::candidates(text);
    let few = found.len() <= FEW;
    let mut groups = BTreeMap::new();
    for candidate in &found {
        let case = Case::of(candidate, given, options);
        if few {
            case.report(&about, &candidate.place(), report)?;
        } else {
            *groups
                .entry((candidate.field.clone(), case))
                .or_insert(0_usize) += 1;
        }
    }
    for ((field, case), count) in groups {
        let field = if field.is_empty() { "blobs" } else { &field };
        case.report(&about, &format!("{field}: {count}"), report)?;
    }
    Ok(())
}

impl Candidate {
    fn place(&self) -> String {
        match self.field.as_str() {
            "" => format!("line {}", self.line),
            field => format!("line {}, {field}", self.line),
        }
    }
}

/// What was found about a blob, as it is reported: equal ones are counted together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    is_problem: bool,
    code: &'static str,
    text: String,
}

impl Case {
    fn of(candidate: &Candidate, given: &Given, options: &OpenOptions<'_>) -> Self {
        let Diagnosis { repairs, finding } = diagnose(&candidate.text, &given.ring, options);
        let mut text: Vec<String> = repairs.iter().map(ToString::to_string).collect();
        let cause = match &finding {
            envelope::diagnosis::Finding::Refused(error) => Error::blob(error).message,
            other => other.to_string(),
        };
        let with = finding
            .key()
            .map(|key| format!(" with {}", given.name(key)));
        text.push(format!("{cause}{}", with.unwrap_or_default()));
        let is_problem = finding.code() != "opens" || !repairs.is_empty();
        let version = version(&candidate.text).filter(|_| repairs.is_empty());
        let version = version.map_or_else(String::new, |version| format!("version {version}: "));
        Self {
            is_problem,
            code: finding.code(),
            text: version + &text.join("; "),
        }
    }

    fn report(&self, about: &str, name: &str, report: &mut Report) -> Result<(), Error> {
        match self.is_problem {
            true => report.problem(about, name, self.code, &self.text),
            false => report.ok(about, name, &self.text),
        }
    }
}

fn version(text: &[u8]) -> Option<u8> {
    let bytes = Blob::decode_text_or_bytes(text).ok()?;
    Some(Blob::parse(&bytes, Trailing::Ignore).ok()?.version())
}
