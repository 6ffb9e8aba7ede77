//! The format of an input, and the texts in it that may be blobs.

use std::{borrow::Cow, path::Path};

use pqseal_matched_data::{
    Blob,
    diagnosis::{looks_sealed, looks_whole},
};
use pqseal_pipeline::{Format, InputError};
use pqseal_records::{
    Framing, Problem, csv,
    detect::{Detected, Known, detect},
    json,
    rules::SEALED,
    split,
};

use super::{InputBlobs, InputFormat, add_strings, is_sealed};

use crate::{
    kind,
    record::{self, Documents, has_end},
};

/// Finds the candidates in an input; in an unknown format, the whole of it. `file` is its name,
/// which shows whether it is a table.
pub(super) fn find(input: &[u8], file: Option<&Path>) -> InputBlobs {
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    if let Some(kind) = kind::detect(input) {
        return InputBlobs::new(InputFormat::Other(kind));
    }
    if Blob::is_binary(input) {
        return InputBlobs::whole(input);
    }
    // UTF-16 is one of the readings of a blob.
    if let Detected::Other(format) = detect(input, None, true)
        && format != Known::Utf16
    {
        return InputBlobs::new(InputFormat::Unsupported(format));
    }
    let auto = pqseal_pipeline::Framing::Auto;
    let named = file.map_or(auto, |file| auto.of(file));
    if let pqseal_pipeline::Framing::Rows(separator) = named {
        // Spreadsheets write semicolons into files named `.csv`.
        return find_in_table(input, csv::separator(input).unwrap_or(separator));
    }
    let documents = record::documents(input);
    match documents {
        Some(documents) if documents.has_json() => InputBlobs {
            needs_framing: documents.over_lines
                && detect(input, None, true) == Detected::Records(Framing::Lines),
            ..of_documents(&documents)
        },
        _ if is_one(input) => InputBlobs::whole(input),
        Some(documents) if input.trim_ascii_start().starts_with(b"{") => of_documents(&documents),
        _ => match table_separator(input) {
            Some(separator) => find_in_table(input, separator),
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
    if rest.is_empty() {
        return looks_sealed(input);
    }
    !has_end(first)
        && !rest.iter().any(|line| looks_whole(line))
        && (looks_whole(input)
            || looks_sealed(input) && !rest.iter().any(|line| looks_sealed(line)))
}

/// Finds one blob per line.
fn of_lines(input: &[u8]) -> InputBlobs {
    let mut found = InputBlobs::new(InputFormat::Blobs);
    for (line, text) in lines(input) {
        match is_sealed(text) {
            true => found.add(line, String::new(), text),
            false => found.add_broken(line, "it is not a blob; leave it out"),
        }
    }
    match found.candidates.is_empty() {
        true => InputBlobs::whole(input),
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
fn of_documents(documents: &Documents<'_>) -> InputBlobs {
    let mut found = InputBlobs::new(InputFormat::Json);
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

/// Returns the byte between the cells of an input that looks like a table: its second row has as
/// many cells as its header, and neither is a blob.
fn table_separator(input: &[u8]) -> Option<u8> {
    let separator = csv::separator(input)?;
    let mut widths = rows(input, separator).map(|(_, row)| {
        let width = csv::cells(row, separator)?.len();
        (!is_sealed(row)).then_some(width)
    });
    let (header, first) = (widths.next()??, widths.next()??);
    (header == first).then_some(separator)
}

/// Finds the blobs in the cells of a table, and in JSON documents in the cells. In a column that
/// holds a blob, every cell that is not empty counts as one.
fn find_in_table(input: &[u8], separator: u8) -> InputBlobs {
    let mut found = InputBlobs::new(InputFormat::Table);
    if detect(input, Some(Framing::Rows(separator)), true) == Detected::Unknown {
        found.add_broken(1, InputError::Unsupported(Format::Unknown));
    }
    let sealed = sealed_columns(input, separator);
    let mut names = None;
    for (line, row) in rows(input, separator) {
        let Some(cells) = csv::cells(row, separator) else {
            found.add_broken(line, Problem::BadRow);
            continue;
        };
        let Some((names, width)) = &names else {
            // A row with a blob is data, and the columns have no names.
            let is_data = cells.iter().any(|cell| is_sealed(cell));
            let header = cells.iter().filter(|_| !is_data);
            let header = header
                .map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned())
                .collect::<Vec<_>>();
            let sealed = match header.is_empty() {
                true => &sealed[..],
                false => &[],
            };
            found.records += add_row(line, &cells, &[], sealed, &mut found);
            names = Some((header, cells.len()));
            continue;
        };
        found.records += 1;
        if cells.len() != *width {
            found.add_broken(line, Problem::BadRow);
        }
        add_row(line, &cells, names, &sealed, &mut found);
    }
    found
}

/// Returns for each column whether a cell in it may be a blob.
fn sealed_columns(input: &[u8], separator: u8) -> Vec<bool> {
    let mut sealed = Vec::new();
    let rows = rows(input, separator).filter_map(|(_, row)| csv::cells(row, separator));
    for cells in rows {
        if sealed.len() < cells.len() {
            sealed.resize(cells.len(), false);
        }
        for (sealed, cell) in sealed.iter_mut().zip(&cells) {
            *sealed |= is_sealed(cell);
        }
    }
    sealed
}

/// Returns the rows of a table, each with the line on which it begins.
fn rows(input: &[u8], separator: u8) -> impl Iterator<Item = (u64, &[u8])> {
    let (slots, _) = split::all(input, Framing::Rows(separator));
    slots
        .into_iter()
        .map(|slot| (slot.number, &input[slot.range]))
}

/// Adds the candidates of a row. Returns 1 if there are any, otherwise 0.
fn add_row(
    line: u64,
    cells: &[Cow<'_, [u8]>],
    names: &[String],
    sealed: &[bool],
    found: &mut InputBlobs,
) -> usize {
    let before = found.candidates.len();
    for (place, cell) in cells.iter().enumerate() {
        let name = names.get(place);
        let is_of_blobs =
            sealed.get(place) == Some(&true) || name.is_some_and(|name| name.ends_with(SEALED));
        if is_sealed(cell) || !cell.is_empty() && is_of_blobs {
            found.add(line, column(name, place), cell);
        } else if matches!(cell.first(), Some(b'{' | b'[')) {
            let before = found.candidates.len();
            if !add_strings(line, &column(name, place), cell, found) {
                found.candidates.truncate(before);
            }
        }
    }
    usize::from(found.candidates.len() > before)
}

/// Returns the name of a column, or its number from 1.
fn column(name: Option<&String>, place: usize) -> String {
    name.map_or_else(|| format!("column {}", place + 1), Clone::clone)
}
