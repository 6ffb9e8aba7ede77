//! The texts of an input that may be blobs, and their places.

use pqseal_matched_data::{TRUNCATED, diagnosis::looks_sealed};
use serde_json::Value;

use crate::kind::Kind;

/// A text that may be a blob.
pub(super) struct Candidate {
    /// The line or the number of the record, from 1.
    pub(super) line: u64,
    /// The field in a record or the column in a table; otherwise empty.
    pub(super) field: String,
    /// The text.
    pub(super) text: Vec<u8>,
}

/// The format of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One blob, or one per line.
    Blobs,
    /// Documents of JSON.
    Json,
    /// Rows of cells.
    Table,
    /// Another format.
    Other(Kind),
}

/// The candidates in an input.
pub(super) struct Found {
    pub(super) form: Form,
    pub(super) candidates: Vec<Candidate>,
    /// The number of records.
    pub(super) records: usize,
    /// `true` if records are counted instead of their lines.
    pub(super) by_number: bool,
    /// The first record that cannot be read, with the reason.
    pub(super) broken: Option<(u64, String)>,
    pub(super) broken_count: usize,
}

impl Found {
    pub(super) const fn new(form: Form) -> Self {
        Self {
            form,
            candidates: Vec::new(),
            records: 0,
            by_number: false,
            broken: None,
            broken_count: 0,
        }
    }

    /// Creates a result of one blob, which is the whole input.
    pub(super) fn whole(input: &[u8]) -> Self {
        let mut found = Self::new(Form::Blobs);
        found.add(1, String::new(), input);
        found
    }

    pub(super) fn add(&mut self, line: u64, field: String, text: &[u8]) {
        self.candidates.push(Candidate {
            line,
            field,
            text: text.to_vec(),
        });
    }

    /// Adds a record that cannot be read.
    pub(super) fn add_broken(&mut self, line: u64, why: impl ToString) {
        self.broken_count += 1;
        self.broken.get_or_insert_with(|| (line, why.to_string()));
    }
}

/// Passes the texts of a document that may be blobs to `add`.
pub(super) fn of_value(value: &Value, path: String, add: &mut impl FnMut(String, &[u8])) {
    match value {
        Value::String(text) if text == TRUNCATED && path.contains("encrypted") => {
            add(path, text.as_bytes());
        }
        Value::String(text) if looks_sealed(text.as_bytes()) => add(path, text.as_bytes()),
        Value::Object(members) => (members.iter())
            .for_each(|(name, value)| of_value(value, format!("{path}.{name}"), add)),
        Value::Array(items) => (items.iter().enumerate())
            .for_each(|(place, item)| of_value(item, format!("{path}[{place}]"), add)),
        _ => {}
    }
}

/// Reports whether a line or a cell may be a blob.
pub(super) fn is_sealed(text: &[u8]) -> bool {
    text.trim_ascii() == TRUNCATED.as_bytes() || looks_sealed(text)
}
