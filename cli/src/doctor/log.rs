//! Checks of an input of blobs or records. Reports each blob that does not open, or for many blobs
//! a line for each field and cause, and how many blobs each key opens.

use std::{collections::BTreeMap, io::Read};

use pqseal_matched_data::OpenOptions;
use pqseal_pipeline::{Compression, Format};
use serde_json::json;

use super::{
    blobs,
    case::{Case, Key},
    found::{Candidate, Form, Found},
    keys::Given,
    report::{Report, State, Subject},
};
use crate::{error::Error, input::Source, kind::Kind};

/// The limit on an input, in bytes after decompression: 64 MiB.
const LIMIT: u64 = 64 << 20;

/// The largest number of blobs that are reported one by one.
const FEW: usize = 5;

/// An input that was read.
pub(super) struct Input<'a> {
    source: &'a Source,
    pub(super) found: Found,
    is_cut_short: bool,
    compression: Compression,
}

impl<'a> Input<'a> {
    /// Reads the beginning of an input, decompressed; the error is a sentence.
    pub(super) fn read(source: &'a Source) -> Result<Self, String> {
        let mut text = Vec::new();
        let read = source.records().and_then(|input| {
            let compression = input.compression();
            input.take(LIMIT).read_to_end(&mut text)?;
            Ok(compression)
        });
        let compression = read.map_err(|error| format!("cannot be read: {error}"))?;
        Ok(Self {
            compression,
            ..Self::new(source, &text)
        })
    }

    /// Finds the blobs in an input, of which this is the text or its beginning.
    pub(super) fn new(source: &'a Source, text: &[u8]) -> Self {
        Self {
            source,
            found: blobs::find(text, source.path()),
            is_cut_short: text.len() as u64 == LIMIT,
            compression: Compression::None,
        }
    }

    /// Returns the unit of numbers: records if documents span several lines, otherwise lines.
    const fn unit(&self) -> &'static str {
        match self.found.by_number {
            true => "record",
            false => "line",
        }
    }
}

/// Reports on every blob of an input.
pub(super) fn examine(
    input: &Input<'_>,
    given: &Given,
    options: &OpenOptions<'_>,
    report: &mut Report,
) -> Result<(), Error> {
    let about = input.source.to_string();
    if !format(&about, input, report)? {
        return Ok(());
    }
    records(&about, input, report)?;
    let found = &input.found.candidates;
    let mut cases: Vec<_> = (found.iter())
        .map(|candidate| (candidate, Case::of(candidate, given, options)))
        .collect();
    let is_log = matches!(input.found.form, Form::Json | Form::Table);
    if is_log && cases.iter().any(|(_, case)| case.is_ok()) {
        cases.iter_mut().for_each(|(_, case)| case.excuse());
    }
    match found.len() <= FEW {
        true => one_by_one(&about, input, &cases, report)?,
        false => in_groups(&about, &cases, report)?,
    }
    sum(&about, &cases, report)
}

/// Reports on the format of an input. Returns whether it has blobs or records.
fn format(about: &str, input: &Input<'_>, report: &mut Report) -> Result<bool, Error> {
    match input.found.form {
        Form::Other(kind) => {
            other(about, kind, report)?;
            return Ok(false);
        }
        Form::Unsupported(known) => {
            let text = Format::Known(known).to_string();
            report.problem(about, "input", "unsupported", &text)?;
            return Ok(false);
        }
        Form::Blobs if input.compression != Compression::None => {
            let text = format!(
                "it is {} data, which only `pqseal logs open` decompresses; decompress it first",
                input.compression
            );
            report.problem(about, "input", "compressed", &text)?;
        }
        Form::Blobs | Form::Json | Form::Table => {}
    }
    if input.is_cut_short {
        let text = "only its first 64 MiB were read";
        report.note(about, "size", "cut_short", text)?;
    }
    if input.found.needs_framing {
        let text =
            "its records are not one per line; add --input-format json to `pqseal logs open`";
        report.problem(about, "records", "input_format", text)?;
    }
    Ok(true)
}

fn other(about: &str, kind: Kind, report: &mut Report) -> Result<(), Error> {
    let subject = Subject {
        about,
        name: "input",
        members: vec![("kind", json!(kind.code()))],
        ..Subject::default()
    };
    let text = format!("it is {}", kind.advice(about));
    report.check(State::Problem, &subject, "not_a_blob", &text)
}

/// Reports records that cannot be read, and a log without blobs.
fn records(about: &str, input: &Input<'_>, report: &mut Report) -> Result<(), Error> {
    let found = &input.found;
    // The last record is incomplete if the input was cut short.
    let broken = (found.broken.as_ref()).filter(|_| !input.is_cut_short || found.broken_count > 1);
    if let Some((number, why)) = broken {
        let (count, unit) = (found.broken_count, input.unit());
        let subject = Subject {
            about,
            name: "records",
            members: vec![("count", json!(count)), ("line", json!(number))],
            ..Subject::default()
        };
        let text = format!("{count} cannot be read, the first on {unit} {number}: {why}");
        report.check(State::Problem, &subject, "bad_record", &text)?;
    }
    if !found.candidates.is_empty() || found.records == found.broken_count && broken.is_some() {
        return Ok(());
    }
    let form = match (found.form, found.records) {
        (Form::Table, 1) => "row of a table",
        (Form::Table, _) => "rows of a table",
        (_, 1) => "JSON record",
        _ => "JSON records",
    };
    let text = format!("{} {form}, and no field holds a blob", found.records);
    report.problem(about, "records", "no_blobs", &text)
}

fn one_by_one(
    about: &str,
    input: &Input<'_>,
    cases: &[(&Candidate, Case)],
    report: &mut Report,
) -> Result<(), Error> {
    for (candidate, case) in cases {
        let mut shown = format!("{} {}", input.unit(), candidate.line);
        if !candidate.field.is_empty() {
            shown += &format!(", {}", candidate.field);
        }
        let place = vec![("line", json!(candidate.line)), ("count", json!(1))];
        case.report(about, &candidate.field, shown, place, report)?;
    }
    Ok(())
}

fn in_groups(about: &str, cases: &[(&Candidate, Case)], report: &mut Report) -> Result<(), Error> {
    let mut groups = BTreeMap::new();
    for (candidate, case) in cases {
        let group = (candidate.field.as_str(), case);
        *groups.entry(group).or_insert(0_usize) += 1;
    }
    for ((field, case), count) in groups {
        let name = if field.is_empty() { "blobs" } else { field };
        let place = vec![("count", json!(count))];
        case.report(about, field, format!("{name}: {count}"), place, report)?;
    }
    Ok(())
}

/// Reports how many of several blobs each key opens, and the key ids of blobs that do not open.
fn sum(about: &str, cases: &[(&Candidate, Case)], report: &mut Report) -> Result<(), Error> {
    let all = cases.len();
    let mut keys: BTreeMap<&Key, usize> = BTreeMap::new();
    for (_, case) in cases.iter().filter(|_| all > 1) {
        *keys.entry(&case.key).or_default() += 1;
    }
    for (key, count) in keys {
        let (state, code, text) = match (&key.name, &key.id) {
            (Some(name), _) => (
                State::Ok,
                "ok",
                format!("{name} opens {count} of {all} blobs"),
            ),
            (None, Some(id)) => {
                let text = format!("{count} of {all} blobs name the key id {id}, and do not open");
                (State::Note, "unopened", text)
            }
            (None, None) => {
                let text = format!("{count} of {all} blobs do not open, and name no key");
                (State::Note, "unopened", text)
            }
        };
        let id = key.id.as_ref().map(|id| ("key_id", json!(id)));
        let count = [("count", json!(count))];
        let subject = Subject {
            about,
            name: "sum",
            members: count.into_iter().chain(id).collect(),
            ..Subject::default()
        };
        report.check(state, &subject, code, &text)?;
    }
    Ok(())
}
