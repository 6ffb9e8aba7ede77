//! The texts of an input that may be blobs, and their places.

use pqseal_matched_data::{TRUNCATED, diagnosis::looks_sealed};
use pqseal_records::json;

use crate::{kind::Kind, record::is_expected};

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

/// Adds the strings of a record that may be blobs. `field` is the path of the record. Returns `false`
/// if it is not JSON.
pub(super) fn add_strings(line: u64, field: &str, record: &[u8], found: &mut Found) -> bool {
    let read = json::strings(record, &mut |place, string| {
        let Some(text) = json::decode_string(string).filter(|text| is_sealed(text)) else {
            return;
        };
        let path = format!("{field}{place}");
        // The word stands for a blob only where one is expected.
        if *text != *TRUNCATED.as_bytes() || is_expected(&path) {
            found.add(line, path, &text);
        }
    });
    for (path, object) in pqseal_sealed::objects(record).unwrap_or_default() {
        found.add(line, format!("{field}{path}"), object);
    }
    read.is_ok()
}

/// Reports whether a line or a cell may be a blob.
pub(super) fn is_sealed(text: &[u8]) -> bool {
    text.trim_ascii() == TRUNCATED.as_bytes() || looks_sealed(text)
}
