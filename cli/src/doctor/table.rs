//! Tables: CSV and similar formats.

use std::borrow::Cow;

use pqseal_records::{Framing, Problem, csv, rules::SEALED, split};

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

/// Finds the blobs in the cells of a table, and in JSON documents in the cells.
pub(super) fn find(input: &[u8], separator: u8) -> Found {
    let mut found = Found::new(Form::Table);
    let mut names = None;
    for (line, row) in rows(input, separator) {
        let Some(cells) = csv::cells(row, separator) else {
            found.add_broken(line, Problem::BadRow);
            continue;
        };
        let Some((names, width)) = &names else {
            names = Some((header(&cells), cells.len()));
            found.records += add_row(line, &cells, &[], &mut found);
            continue;
        };
        found.records += 1;
        if cells.len() != *width {
            found.add_broken(line, Problem::BadRow);
        }
        add_row(line, &cells, names, &mut found);
    }
    found
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
fn add_row(line: u64, cells: &[Cow<'_, [u8]>], names: &[String], found: &mut Found) -> usize {
    let before = found.candidates.len();
    for (place, cell) in cells.iter().enumerate() {
        let name = || match names.get(place) {
            Some(name) => name.clone(),
            None => format!("column {}", place + 1),
        };
        let is_named = || names.get(place).is_some_and(|name| name.ends_with(SEALED));
        if is_sealed(cell) || !cell.is_empty() && is_named() {
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
