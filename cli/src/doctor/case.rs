//! The findings about one blob.

use pqseal_matched_data::{
    Error as BlobError, OpenOptions,
    diagnosis::{Diagnosis, Finding, Header, Repair, diagnose},
};
use pqseal_records::looks;
use pqseal_sealed::Kind;
use serde_json::{Value, json};

use super::{
    found::Candidate,
    keys::Given,
    report::{Report, State, Subject},
};
use crate::{error::Error, record};

/// The findings about a blob, as they are reported. Equal ones are counted together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    state: State,
    code: &'static str,
    text: String,
    version: Option<u8>,
    specification: Option<&'static str>,
    repairs: Vec<&'static str>,
    pub(super) key: Key,
}

/// The key that opens a blob, or that the blob names.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// The file and the id of the key, if it opens the blob.
    pub(super) name: Option<String>,
    /// The id of the key.
    pub(super) id: Option<String>,
}

impl Case {
    pub(super) fn of(candidate: &Candidate, given: &Given, options: &OpenOptions<'_>) -> Self {
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
                true => State::Ok,
                false => State::Problem,
            },
            code: finding.code(),
            text: header.as_ref().map_or_else(String::new, dialect) + &text.join("; "),
            version: header.map(|header| header.version),
            specification: header.map(|header| header.specification),
            repairs: repairs.into_iter().map(Repair::code).collect(),
            key,
        }
    }

    /// Returns the findings about a sealed value of another kind.
    fn of_object(kind: Kind, text: &[u8], given: &Given) -> Self {
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
                Some(_) => State::Ok,
                None => State::Problem,
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
    pub(super) fn report(
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
            State::Ok => "ok",
            State::Note | State::Problem => self.code,
        };
        report.check(self.state, &subject, code, &self.text)
    }

    /// Reports whether nothing is wrong.
    pub(super) fn is_ok(&self) -> bool {
        self.state == State::Ok
    }

    /// Notes a payload that the edge left out, in a log of which other records open: as in `logs
    /// open`, it is not a failure.
    pub(super) fn excuse(&mut self) {
        if self.code == BlobError::Truncated.code() {
            self.state = State::Note;
        }
    }
}

impl Key {
    fn of(found: &Diagnosis, given: &Given) -> Self {
        let opener = found.finding.key();
        let named = || found.header.and_then(|header| header.key_id);
        let id = opener.and_then(|place| given.id(place)).or_else(named);
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

fn dialect(header: &Header) -> String {
    format!("version {} ({}): ", header.version, header.specification)
}
