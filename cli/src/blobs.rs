//! Splits text into blobs: one blob, wrapped or not, or one per line.

use pqseal_matched_data::{Blob, Error};

use crate::{
    escape,
    record::{self, Decoded, Documents, has_end, whole_blob},
};

/// One blob of an input.
#[derive(Debug)]
pub struct BlobEntry {
    /// Its line, counted from 1, if the input has one blob per line.
    pub line: Option<usize>,
    /// The field that it was taken from, if the input is a record.
    pub field: Option<String>,
    /// The advice for text that is not a blob.
    hint: &'static str,
    /// A sealed value of another kind than matched data. The blob is empty then.
    pub other: Option<Vec<u8>>,
    /// The decoded bytes.
    pub blob: Decoded,
}

impl BlobEntry {
    fn new(line: Option<usize>, text: &[u8]) -> Self {
        let blob = match text.trim_ascii() {
            b"null" => Err(Error::Empty),
            _ => Blob::decode(text),
        };
        Self {
            line,
            field: None,
            hint: record::hint(text),
            other: None,
            blob,
        }
    }

    /// Returns the error with the hint and the place of this entry.
    pub fn problem(&self, error: &Error) -> crate::error::Error {
        let mut problem = crate::error::Error::blob(error);
        // The word in place of a blob, and a blob that other bytes follow, need no advice.
        let is_blob = matches!(error, Error::Truncated | Error::TrailingBytes(_));
        if !self.hint.is_empty() && !is_blob {
            problem.message = match error {
                // Its first byte is not a version.
                Error::UnsupportedVersion(_) => format!("it is not a blob{}", self.hint),
                error => format!("{error}{}", self.hint),
            };
        }
        self.placed(problem)
    }

    /// Adds the place of the blob to an error: its line, its field.
    pub fn placed(&self, mut error: crate::error::Error) -> crate::error::Error {
        if let Some(field) = &self.field {
            error.message = format!("{}: {}", escape::bytes(field.as_bytes()), error.message);
        }
        match self.line {
            Some(line) => error.on_line(line),
            None => error,
        }
    }
}

/// Returns every blob of an input, in order; at least one: the bytes of a blob, the fields of JSON
/// records, a blob in each line, or one wrapped blob.
pub fn all(input: &[u8]) -> Vec<BlobEntry> {
    let input = without_mark(input);
    if Blob::is_binary(input) {
        return vec![BlobEntry {
            line: None,
            field: None,
            hint: "",
            other: None,
            blob: Ok(input.to_vec()),
        }];
    }
    if let Some(documents) = record::documents(input).filter(Documents::has_json) {
        return of_documents(&documents);
    }
    let lines: Vec<_> = lines(input).collect();
    if one_per_line(&lines) {
        return lines
            .into_iter()
            .map(|(number, line)| BlobEntry::new(Some(number), line))
            .collect();
    }
    vec![BlobEntry::new(None, input)]
}

/// Returns every blob of JSON records, in order. A record without a blob gives an [`Error::Empty`],
/// and a document that is not JSON the error in its text.
fn of_documents(documents: &Documents<'_>) -> Vec<BlobEntry> {
    let mut entries = Vec::new();
    for document in &documents.all {
        let line = Some(document.line).filter(|_| documents.all.len() > 1);
        if document.bad.is_some() {
            entries.push(BlobEntry::new(line, document.text));
            continue;
        }
        for record in record::records(document.text) {
            entries.extend(of_record(line, record));
        }
    }
    // An array may have no items.
    if entries.is_empty() {
        entries.push(without_blob(None));
    }
    entries
}

fn of_record(line: Option<usize>, record: &[u8]) -> Vec<BlobEntry> {
    let objects = pqseal_sealed::objects(record).unwrap_or_default();
    // The whole input may be a sealed object.
    let objects = objects.into_iter().map(|(path, object)| BlobEntry {
        line,
        field: Some(path).filter(|path| !path.is_empty()),
        hint: "",
        other: Some(object.to_vec()),
        blob: Err(Error::Empty),
    });
    let blobs = record::fields(record).into_iter().map(|field| BlobEntry {
        line,
        // A record may itself be the text of a blob.
        field: Some(field.path).filter(|path| !path.is_empty()),
        hint: "",
        other: field.other,
        blob: field.blob,
    });
    let fields: Vec<_> = objects.chain(blobs).collect();
    match fields.is_empty() {
        true => vec![without_blob(line)],
        false => fields,
    }
}

/// Returns the entry of a record without a blob.
const fn without_blob(line: Option<usize>) -> BlobEntry {
    BlobEntry {
        line,
        field: None,
        hint: "; this is a JSON record, and none of its fields holds a whole blob",
        other: None,
        blob: Err(Error::Empty),
    }
}

/// Reports whether each line is a blob. A line that is a complete blob shows it, since no later
/// line of a wrapped blob begins as a blob does (for version 4, one in 2^48 does). A first line of
/// version 4 does not show it: version 4 has no length field, so any beginning that holds the
/// encapsulated key looks whole.
fn one_per_line(lines: &[(usize, &[u8])]) -> bool {
    match lines {
        [] | [_] => false,
        [(_, first), rest @ ..] => {
            has_end(first) || rest.iter().any(|(_, line)| whole_blob(line).is_some())
        }
    }
}

/// Returns the first blob of an input, and whether lines after it were left out.
pub fn first(input: &[u8]) -> (Decoded, bool) {
    let input = without_mark(input);
    let mut lines = lines(input);
    let first = lines.next().and_then(|(_, line)| whole_blob(line));
    match first {
        Some(blob) => (blob, lines.next().is_some()),
        None => (Blob::decode(input), false),
    }
}

/// Iterates over lines that are not blank, with their numbers.
fn lines(input: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let numbered = input.split(|byte| *byte == b'\n').enumerate();
    numbered
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// Removes the byte order mark that editors on Windows put before text.
fn without_mark(input: &[u8]) -> &[u8] {
    input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input)
}
