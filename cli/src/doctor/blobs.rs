//! The format of an input, and the texts in it that may be blobs.

use std::path::Path;

use pqseal_matched_data::{
    Blob,
    diagnosis::{looks_sealed, looks_whole},
};
use pqseal_pipeline::{Framing, InputError};
use pqseal_records::{
    csv,
    detect::{Detected, Known, detect},
    json,
};

use super::{
    found::{Form, Found, add_strings, is_sealed},
    table,
};
use crate::{
    kind,
    record::{self, Documents},
    whole::has_end,
};

/// Finds the candidates in an input; in an unknown format, the whole of it. `file` is its name,
/// which shows whether it is a table.
pub(super) fn find(input: &[u8], file: Option<&Path>) -> Found {
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    if let Some(kind) = kind::detect(input) {
        return Found::new(Form::Other(kind));
    }
    if Blob::is_binary(input) {
        return Found::whole(input);
    }
    // UTF-16 is one of the readings of a blob.
    if let Detected::Other(format) = detect(input, None, true)
        && format != Known::Utf16
    {
        return Found::new(Form::Unsupported(format));
    }
    let named = file.map_or(Framing::Auto, |file| Framing::Auto.of(file));
    if let Framing::Rows(separator) = named {
        // Spreadsheets write semicolons into files named `.csv`.
        return table::find(input, csv::separator(input).unwrap_or(separator));
    }
    let documents = record::documents(input);
    match documents {
        Some(documents) if documents.has_json() => Found {
            needs_framing: documents.over_lines && is_detected_as_lines(input),
            ..of_documents(&documents)
        },
        _ if is_one(input) => Found::whole(input),
        Some(documents) if input.trim_ascii_start().starts_with(b"{") => of_documents(&documents),
        _ => match table::separator(input) {
            Some(separator) => table::find(input, separator),
            None => of_lines(input),
        },
    }
}

fn is_detected_as_lines(input: &[u8]) -> bool {
    detect(input, None, true) == Detected::Records(pqseal_records::Framing::Lines)
}

/// Reports whether an input is one blob, in one line or several. Of several lines the first has no
/// end, and no other is a blob: neither whole nor, if the end of the whole is missing, in part.
fn is_one(input: &[u8]) -> bool {
    let mut lines = lines(input).map(|(_, line)| line);
    let first = lines.next().unwrap_or_default();
    let rest: Vec<_> = lines.collect();
    let has = |test: fn(&[u8]) -> bool| rest.iter().any(|line| test(line));
    if rest.is_empty() {
        return looks_sealed(input);
    }
    !has_end(first)
        && !has(looks_whole)
        && (looks_whole(input) || looks_sealed(input) && !has(looks_sealed))
}

/// Finds one blob per line.
fn of_lines(input: &[u8]) -> Found {
    let mut found = Found::new(Form::Blobs);
    for (line, text) in lines(input) {
        match is_sealed(text) {
            true => found.add(line, String::new(), text),
            false => found.add_broken(line, "it is not a blob; leave it out"),
        }
    }
    match found.candidates.is_empty() {
        true => Found::whole(input),
        false => found,
    }
}

/// Iterates over lines that are not blank, with their numbers.
fn lines(input: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let lines = (1..).zip(input.split(|byte| *byte == b'\n'));
    let lines = lines.map(|(number, line)| (number, line.trim_ascii()));
    lines.filter(|(_, line)| !line.is_empty())
}

/// Finds the candidates in JSON documents. A document that is not JSON may have some before its
/// damage, but they are not counted.
fn of_documents(documents: &Documents<'_>) -> Found {
    let mut found = Found::new(Form::Json);
    found.by_number = documents.over_lines;
    for (number, document) in (1..).zip(&documents.all) {
        let place = match documents.over_lines {
            true => number,
            false => document.line as u64,
        };
        if let Some(bad) = document.bad {
            found.records += 1;
            found.add_broken(place, bad);
            continue;
        }
        for record in record::records(document.text) {
            found.records += 1;
            let before = found.candidates.len();
            add_strings(place, "", record, &mut found);
            // A record that is a text can only be a blob, so this one is damaged.
            let text = json::decode_string(record.trim_ascii());
            if let Some(text) = text.filter(|_| found.candidates.len() == before) {
                found.add(place, String::new(), &text);
            }
        }
    }
    if documents.is_open {
        let place = found.records as u64 + 1;
        found.add_broken(place, InputError::OpenArray);
    }
    found
}
