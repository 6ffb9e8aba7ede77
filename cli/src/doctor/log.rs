//! Checks of an input of blobs or records. Reports each blob that does not open, or for many blobs
//! a line for each field and cause, and how many blobs each key opens.

use std::collections::BTreeMap;

use pqseal_matched_data::{
    Error as BlobError, OpenOptions,
    diagnosis::{Diagnosis, Finding, Repair, diagnose},
};
use pqseal_pipeline::{Compression, Format};
use pqseal_records::looks;
use pqseal_sealed::Kind;
use serde_json::{Value, json};

use super::{Candidate, Input, InputFormat, Report, Subject, Verdict, keys::GivenKeys};

use crate::{error::Error, kind::InputKind, record};

/// The largest number of blobs that are reported one by one.
const FEW: usize = 5;

/// Reports on every blob of an input.
pub(super) fn examine(
    input: &Input<'_>,
    given: &GivenKeys,
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
    let is_log = matches!(input.found.form, InputFormat::Json | InputFormat::Table);
    // A payload that the edge left out, in a log of which other records open, is not a failure, as
    // in `logs open`.
    if is_log && cases.iter().any(|(_, case)| case.state == Verdict::Ok) {
        for (_, case) in &mut cases {
            if case.code == BlobError::Truncated.code() {
                case.state = Verdict::Note;
            }
        }
    }
    if found.len() <= FEW {
        for (candidate, case) in &cases {
            let mut shown = format!("{} {}", input.unit(), candidate.line);
            if !candidate.field.is_empty() {
                shown += &format!(", {}", candidate.field);
            }
            let place = vec![("line", json!(candidate.line)), ("count", json!(1))];
            case.report(&about, &candidate.field, shown, place, report)?;
        }
    } else {
        let mut groups = BTreeMap::new();
        for (candidate, case) in &cases {
            let group = (candidate.field.as_str(), case);
            *groups.entry(group).or_insert(0_usize) += 1;
        }
        for ((field, case), count) in groups {
            let name = if field.is_empty() { "blobs" } else { field };
            let place = vec![("count", json!(count))];
            case.report(&about, field, format!("{name}: {count}"), place, report)?;
        }
    }
    sum(&about, &cases, report)
}

/// Reports on the format of an input. Returns whether it has blobs or records.
fn format(about: &str, input: &Input<'_>, report: &mut Report) -> Result<bool, Error> {
    match input.found.form {
        InputFormat::Other(kind) => {
            other(about, kind, report)?;
            return Ok(false);
        }
        InputFormat::Unsupported(known) => {
            let text = Format::Known(known).to_string();
            report.problem(about, "input", "unsupported", &text)?;
            return Ok(false);
        }
        InputFormat::Blobs if input.compression != Compression::None => {
            let text = format!(
                "it is {} data, which only `pqseal logs open` decompresses; decompress it first",
                input.compression
            );
            report.problem(about, "input", "compressed", &text)?;
        }
        InputFormat::Blobs | InputFormat::Json | InputFormat::Table => {}
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

fn other(about: &str, kind: InputKind, report: &mut Report) -> Result<(), Error> {
    let subject = Subject {
        about,
        name: "input",
        members: vec![("kind", json!(kind.code()))],
        ..Subject::default()
    };
    let text = format!("it is {}", kind.advice(about));
    report.check(Verdict::Problem, &subject, "not_a_blob", &text)
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
        report.check(Verdict::Problem, &subject, "bad_record", &text)?;
    }
    if !found.candidates.is_empty() || found.records == found.broken_count && broken.is_some() {
        return Ok(());
    }
    let form = match (found.form, found.records) {
        (InputFormat::Table, 1) => "row of a table",
        (InputFormat::Table, _) => "rows of a table",
        (_, 1) => "JSON record",
        _ => "JSON records",
    };
    let text = format!("{} {form}, and no field holds a blob", found.records);
    report.problem(about, "records", "no_blobs", &text)
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
                Verdict::Ok,
                "ok",
                format!("{name} opens {count} of {all} blobs"),
            ),
            (None, Some(id)) => {
                let text = format!("{count} of {all} blobs name the key id {id}, and do not open");
                (Verdict::Note, "unopened", text)
            }
            (None, None) => {
                let text = format!("{count} of {all} blobs do not open, and name no key");
                (Verdict::Note, "unopened", text)
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

/// The findings about a blob, as they are reported. Equal ones are counted together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    state: Verdict,
    code: &'static str,
    text: String,
    version: Option<u8>,
    specification: Option<&'static str>,
    repairs: Vec<&'static str>,
    key: Key,
}

/// The key that opens a blob, or that the blob names.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The file and the id of the key, if it opens the blob.
    name: Option<String>,
    /// The id of the key.
    id: Option<String>,
}

impl Case {
    fn of(candidate: &Candidate, given: &GivenKeys, options: &OpenOptions<'_>) -> Self {
        if let Some(kind) = Kind::detect(&candidate.text) {
            return Self::of_object(kind, &candidate.text, given);
        }
        let found = diagnose(&candidate.text, &given.ring, options);
        let key = Key::of(&found, given);
        let Diagnosis {
            repairs,
            finding,
            header,
        } = found;
        let mut text: Vec<_> = repairs.iter().map(ToString::to_string).collect();
        let with = key.name.as_ref().map(|name| format!(" with {name}"));
        let like = match candidate.field.as_str() {
            "" => like(&finding, &candidate.text),
            _ => String::new(),
        };
        text.push(cause(&finding) + &like + &with.unwrap_or_default());
        Self {
            state: match finding.code() == "opens" && repairs.is_empty() {
                true => Verdict::Ok,
                false => Verdict::Problem,
            },
            code: finding.code(),
            text: header.map_or_else(String::new, |header| {
                format!("version {} ({}): ", header.version, header.specification)
            }) + &text.join("; "),
            version: header.map(|header| header.version),
            specification: header.map(|header| header.specification),
            repairs: repairs.into_iter().map(Repair::code).collect(),
            key,
        }
    }

    /// Returns the findings about a sealed value of another kind.
    fn of_object(kind: Kind, text: &[u8], given: &GivenKeys) -> Self {
        let (code, text, opener) = match given.others.open(kind, text) {
            Ok(Some(opened)) => {
                let name = given.name(opened.key);
                (
                    "opens",
                    format!("{kind}: it opens with {name}"),
                    Some(opened.key),
                )
            }
            Ok(None) => ("absent", format!("{kind}: it is in the clear"), None),
            Err(error) => (error.code(), format!("{kind}: {error}"), None),
        };
        Self {
            state: match opener {
                Some(_) => Verdict::Ok,
                None => Verdict::Problem,
            },
            code,
            text,
            version: None,
            specification: None,
            repairs: Vec::new(),
            key: Key {
                name: opener.map(|place| given.name(place)),
                id: opener
                    .and_then(|place| given.id(place))
                    .map(|id| id.to_string()),
            },
        }
    }

    /// Reports the findings at `place`, which is shown as `shown`.
    fn report(
        &self,
        about: &str,
        field: &str,
        shown: String,
        place: Vec<(&'static str, Value)>,
        report: &mut Report,
    ) -> Result<(), Error> {
        let mut members = place;
        members.extend((!field.is_empty()).then(|| ("field", json!(field))));
        members.extend(self.key.id.as_ref().map(|id| ("key_id", json!(id))));
        members.extend(self.version.map(|version| ("version", json!(version))));
        members.extend(
            self.specification
                .map(|name| ("specification", json!(name))),
        );
        members.push(("repairs", json!(self.repairs)));
        let subject = Subject {
            about,
            name: if field.is_empty() { "blob" } else { field },
            shown,
            members,
        };
        let code = match self.state {
            Verdict::Ok => "ok",
            Verdict::Note | Verdict::Problem => self.code,
        };
        report.check(self.state, &subject, code, &self.text)
    }
}

impl Key {
    fn of(found: &Diagnosis, given: &GivenKeys) -> Self {
        let opener = found.finding.key();
        let id = opener
            .and_then(|place| given.id(place))
            .or_else(|| found.header.and_then(|header| header.key_id));
        Self {
            name: opener.map(|place| given.name(place)),
            id: id.map(|id| id.to_string()),
        }
    }
}

/// Describes the finding in a sentence, with what to do.
fn cause(finding: &Finding) -> String {
    match finding {
        Finding::Refused(error) => Error::blob(error).message,
        Finding::AlteredOrCut { .. } => {
            let advice = Error::blob(&BlobError::Altered).message;
            finding
                .to_string()
                .replacen(&BlobError::Altered.to_string(), &advice, 1)
        }
        other => other.to_string(),
    }
}

/// Describes a text that is not a blob by what it looks like.
fn like(finding: &Finding, text: &[u8]) -> String {
    match finding {
        Finding::Refused(BlobError::Base64(_)) => match looks::like(text) {
            Some(looks) => format!("; it looks like {looks}"),
            None => record::hint(text).to_owned(),
        },
        _ => String::new(),
    }
}
