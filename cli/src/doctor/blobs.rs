//! The format of an input, and the texts in it that may be blobs.

use std::path::Path;

use pqseal_matched_data::{
    Blob,
    diagnosis::{looks_sealed, looks_whole},
};
use pqseal_pipeline::{Framing, reader};
use pqseal_records::csv;
use serde_json::Value;

use super::{
    found::{Form, Found, is_sealed, of_value},
    table,
};
use crate::{kind, whole::has_end};

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
    let named = file.map_or(Framing::Auto, |file| Framing::Auto.of(file));
    if let Framing::Rows(separator) = named {
        // Spreadsheets write semicolons into files named `.csv`.
        return table::find(input, csv::separator(input).unwrap_or(separator));
    }
    let json = matches!(input.trim_ascii_start().first(), Some(b'{' | b'['));
    let json = json.then(|| of_json(input));
    match json {
        Some(found) if found.records > found.broken_count => found,
        _ if is_one(input) => Found::whole(input),
        Some(found) if input.trim_ascii_start().starts_with(b"{") => found,
        _ => match table::separator(input) {
            Some(separator) => table::find(input, separator),
            None => of_lines(input),
        },
    }
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
    for (line, text) in lines(input).filter(|(_, text)| is_sealed(text)) {
        found.add(line, String::new(), text);
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

/// Reads one document per line, or documents over several lines, whichever leaves fewer unread.
fn of_json(input: &[u8]) -> Found {
    let per_line = json_in(input, Framing::Lines);
    if per_line.broken_count == 0 {
        return per_line;
    }
    let over_lines = json_in(input, Framing::Json);
    match over_lines.broken_count < per_line.broken_count {
        true => Found {
            by_number: true,
            ..over_lines
        },
        false => per_line,
    }
}

fn json_in(input: &[u8], framing: Framing) -> Found {
    let mut found = Found::new(Form::Json);
    for record in reader::each(input, framing) {
        let (line, bytes) = match record {
            Ok(record) => record,
            Err(error) => {
                let line = found.records as u64 + 1;
                found.add_broken(line, error);
                break;
            }
        };
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(Value::Array(items)) => items
                .iter()
                .for_each(|item| add_document(line, item, &mut found)),
            Ok(value) => add_document(line, &value, &mut found),
            Err(error) => {
                found.records += 1;
                found.add_broken(line, error);
            }
        }
    }
    found
}

fn add_document(line: u64, value: &Value, found: &mut Found) {
    found.records += 1;
    of_value(value, String::new(), &mut |field, text| {
        found.add(line, field, text);
    });
}
