//! OpenTelemetry's logs and spans in JSON (OTLP): one batch of records per line, as the file
//! exporter of a Collector writes them.
//!
//! A Collector drops members that it does not know, so everything that is written is OTLP: a sealed
//! value is a `stringValue`, and a status is an attribute. The JSON text of a value is sealed, whatever
//! its type, and opening restores that text.
//!
//! ```
//! use pqseal_records::{Answer, Finder, otlp};
//!
//! let rules = otlp::rules(["attributes[\"url.query\"]".parse()?])?;
//! let line = br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"url.query","value":{"stringValue":"AzTY"}}]}]}]}]}"#;
//! let finder = Finder::documents(&rules, true);
//! let found = finder.record(line);
//! let text = found.fields().next().unwrap().text;
//! assert_eq!(text, Ok(Some(br#"{"stringValue":"AzTY"}"#.into())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};
use core::{error, fmt};

use super::{OnField, ResultFormat, Rule, Rules, Selector, audit_log};
use crate::path::{FieldPath, Segment};

/// A field of a log record or span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtlpField {
    /// The value of the attribute with this key.
    Attribute(String),
    /// The values of the attributes whose keys begin with this text.
    Attributes(String),
    /// The body of each log record.
    Body,
    /// The body of each log record whose event's name begins with this text.
    BodyOfEvents(&'static str),
}

/// The reason why paths do not name fields of OTLP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtlpError {
    /// The path is not one of a log record or span.
    Path(FieldPath),
    /// An earlier path names this field too.
    Twice(OtlpField),
}

/// The attributes with the content of requests to language models, of the semantic conventions for
/// generative AI. Earlier conventions have it in the body of events.
const GENAI: [&str; 13] = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "gen_ai.retrieval.query.text",
    "gen_ai.retrieval.documents",
    "gen_ai.memory.query.text",
    "gen_ai.memory.records",
    "gen_ai.evaluation.explanation",
    "gen_ai.prompt",
    "gen_ai.completion",
];
/// The beginnings of keys with the content of each message, of an earlier convention.
const GENAI_MESSAGES: [&str; 2] = ["gen_ai.prompt.", "gen_ai.completion."];
/// The attributes with the content of HTTP requests, of the semantic conventions and of earlier
/// ones.
const HTTP: [&str; 7] = [
    "http.request.body.content",
    "http.response.body.content",
    "url.full",
    "url.original",
    "url.query",
    "http.url",
    "http.target",
];
/// The beginnings of the keys of headers.
const HTTP_HEADERS: [&str; 2] = ["http.request.header.", "http.response.header."];

/// Returns rules for fields of records: `body`, `attributes["KEY"]`, or `attributes["BEGINNING*"]`
/// for all attributes whose keys begin with it. They also open a line that was sealed as a whole,
/// and seal a line as a whole if it is not OTLP ([`Rules::whole`]).
///
/// # Errors
/// [`OtlpError`] for a path of another form, or two that name one field.
pub fn rules(paths: impl IntoIterator<Item = FieldPath>) -> Result<Rules, OtlpError> {
    let mut fields: Vec<OtlpField> = Vec::new();
    for path in paths {
        let field = field(path)?;
        if fields.iter().any(|other| other.overlaps(&field)) {
            return Err(OtlpError::Twice(field));
        }
        fields.push(field);
    }
    Ok(Rules {
        named: true,
        ..of_fields(fields)
    })
}

fn field(path: FieldPath) -> Result<OtlpField, OtlpError> {
    let names: Option<Vec<_>> = path.0.iter().map(Segment::name).collect();
    match names.as_deref() {
        Some(["body"]) => Ok(OtlpField::Body),
        // An index is not a key.
        Some(["attributes", key]) if key.parse::<usize>().is_err() => {
            Ok(match key.strip_suffix('*') {
                Some(start) => OtlpField::Attributes(start.to_owned()),
                None => OtlpField::Attribute((*key).to_owned()),
            })
        }
        _ => Err(OtlpError::Path(path)),
    }
}

impl OtlpField {
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Attributes(start), Self::Attribute(key))
            | (Self::Attribute(key), Self::Attributes(start)) => key.starts_with(start),
            (Self::Attributes(one), Self::Attributes(two)) => {
                one.starts_with(two) || two.starts_with(one)
            }
            _ => self == other,
        }
    }
}

/// Returns rules for the content of requests to language models.
pub(crate) fn genai() -> Rules {
    let events = [OtlpField::BodyOfEvents("gen_ai.")];
    of_fields(
        events
            .into_iter()
            .chain(attributes(&GENAI, &GENAI_MESSAGES)),
    )
}

/// Returns rules for the content of HTTP requests and responses.
pub(crate) fn http() -> Rules {
    of_fields(attributes(&HTTP, &HTTP_HEADERS))
}

fn attributes(keys: &[&str], starts: &[&str]) -> impl Iterator<Item = OtlpField> {
    let keys = keys
        .iter()
        .map(|key| OtlpField::Attribute((*key).to_owned()));
    let starts = starts.iter();
    keys.chain(starts.map(|start| OtlpField::Attributes((*start).to_owned())))
}

fn of_fields(fields: impl IntoIterator<Item = OtlpField>) -> Rules {
    let rules = fields.into_iter().map(|field| Rule {
        into: field.to_string(),
        find: Selector::Otlp(field),
    });
    Rules {
        rules: rules.collect(),
        mode: OnField::Replace,
        form: ResultFormat::Exact,
        whole: Some(audit_log::WHOLE),
        ..Rules::default()
    }
}

/// The path, or a description of the bodies of some events.
impl fmt::Display for OtlpField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(key) => write!(f, "attributes[{}]", serde_json::Value::from(&**key)),
            Self::Attributes(start) => {
                write!(
                    f,
                    "attributes[{}]",
                    serde_json::Value::from(alloc::format!("{start}*"))
                )
            }
            Self::Body => f.write_str("body"),
            Self::BodyOfEvents(start) => write!(f, "body of events {start}*"),
        }
    }
}

impl fmt::Display for OtlpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(
                f,
                "{path} is not a field of a log record or span; write body or attributes[\"KEY\"]"
            ),
            Self::Twice(field) => write!(
                f,
                "the field {field} is named twice; leave one of its names out"
            ),
        }
    }
}

impl error::Error for OtlpError {}
