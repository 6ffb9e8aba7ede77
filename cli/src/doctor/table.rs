//! Tables: CSV and similar formats.

use std::borrow::Cow;

use pqseal_pipeline::{Format, InputError};
use pqseal_records::{
    Framing, Problem, csv,
    detect::{Detected, detect},
    rules::SEALED,
    split,
};

use super::found::{Form, Found, add_strings, is_sealed};

/// Returns the byte between the cells of an input that looks like a table: its second row has as
/// many cells as its header, and neither is a blob.
pub(super) fn separator(input: &[u8]) -> Option<u8> {
    let separator = csv::separator(input)?;
    let mut rows = rows(input, separator);
    let mut next = || {
        let (_, row) = rows.next()?;
        let width = csv::cells(row, separator)?.len();
        (!is_sealed(row)).then_some(width)
    };
    let (header, first) = (next()?, next()?);
    (header == first).then_some(separator)
}

/// Finds the blobs in the cells of a table, and in JSON documents in the cells. In a column that
/// holds a blob, every cell that is not empty counts as one.
pub(super) fn find(input: &[u8], separator: u8) -> Found {
    let mut found = Found::new(Form::Table);
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
            let header = header(&cells);
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

/// Returns the names of the columns; empty if the first row is data.
fn header(cells: &[Cow<'_, [u8]>]) -> Vec<String> {
    let name = |cell: &Cow<'_, [u8]>| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
    match cells.iter().any(|cell| is_sealed(cell)) {
        true => Vec::new(),
        false => cells.iter().map(name).collect(),
    }
}

/// Adds the candidates of a row. Returns 1 if there are any, otherwise 0.
fn add_row(
    line: u64,
    cells: &[Cow<'_, [u8]>],
    names: &[String],
    sealed: &[bool],
    found: &mut Found,
) -> usize {
    let before = found.candidates.len();
    for (place, cell) in cells.iter().enumerate() {
        let name = || match names.get(place) {
            Some(name) => name.clone(),
            None => format!("column {}", place + 1),
        };
        let is_named = || names.get(place).is_some_and(|name| name.ends_with(SEALED));
        let is_of_blobs = sealed.get(place) == Some(&true) || is_named();
        if is_sealed(cell) || !cell.is_empty() && is_of_blobs {
            found.add(line, name(), cell);
        } else if matches!(cell.first(), Some(b'{' | b'[')) {
            let before = found.candidates.len();
            if !add_strings(line, &name(), cell, found) {
                found.candidates.truncate(before);
            }
        }
    }
    usize::from(found.candidates.len() > before)
}
