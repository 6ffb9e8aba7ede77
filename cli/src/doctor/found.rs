//! The texts of an input that may be blobs, and their places.

use pqseal_matched_data::{TRUNCATED, diagnosis::looks_sealed};
use pqseal_records::{Preset, detect::Known, json, rules::SEALED};
use pqseal_sealed::Kind as Sealed;

use crate::{kind::Kind, record::is_expected};

/// The most bytes that are kept of the name of a field or column.
const LONGEST_NAME: usize = 512;

/// A text that may be a blob.
pub(super) struct Candidate {
    /// The line or the number of the record, from 1.
    pub(super) line: u64,
    /// The beginning of the name of the field in a record or of the column in a table; otherwise
    /// empty.
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
    /// A format in which no records are found.
    Unsupported(Known),
}

/// The candidates in an input.
pub(super) struct Found {
    pub(super) form: Form,
    pub(super) candidates: Vec<Candidate>,
    /// The number of records.
    pub(super) records: usize,
    /// `true` if records are counted instead of their lines.
    pub(super) by_number: bool,
    /// `true` if the records are found only by a framing that `pqseal logs open` has to be given.
    pub(super) needs_framing: bool,
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
            needs_framing: false,
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

    pub(super) fn add(&mut self, line: u64, mut field: String, text: &[u8]) {
        // A table of many rows has the name of a column once, and this has it once per row.
        if field.len() > LONGEST_NAME {
            field = field[..field.floor_char_boundary(LONGEST_NAME)].to_owned();
        }
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

/// Adds the strings of a record that may be blobs. `field` is the path of the record. Returns
/// `false` if it is not JSON.
pub(super) fn add_strings(line: u64, field: &str, record: &[u8], found: &mut Found) -> bool {
    let before = found.candidates.len();
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
    if read.is_ok() {
        for (path, object) in pqseal_sealed::objects(record).unwrap_or_default() {
            found.add(line, format!("{field}{path}"), object);
        }
        add_named(line, record, before, found);
    }
    read.is_ok()
}

/// Adds the fields that `pqseal logs open` opens and that are not found yet: damaged blobs. `first`
/// is the number of candidates before the record.
fn add_named(line: u64, record: &[u8], first: usize, found: &mut Found) {
    let rules = Preset::Auto.rules();
    let Ok(fields) = json::locate(record, &rules.rules, rules.max_fields) else {
        return;
    };
    for field in &fields.found {
        let raw = fields.value(record, field);
        let text = json::decode_string(raw).unwrap_or(raw.into());
        let is_known = (found.candidates[first..].iter()).any(|known| *known.text == *text);
        if !text.is_empty() && raw != b"null" && !is_known {
            found.add(line, SEALED.to_owned(), &text);
        }
    }
}

/// Reports whether a line or a cell may be a blob, or is sealed in another format.
pub(super) fn is_sealed(text: &[u8]) -> bool {
    text.trim_ascii() == TRUNCATED.as_bytes()
        || looks_sealed(text)
        || Sealed::detect_supported(text).is_some()
}
