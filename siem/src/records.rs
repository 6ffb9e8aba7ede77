//! The records of an input, for programs that inspect an input without rewriting it.
//!
//! ```
//! use pqseal_siem::{Framing, records};
//!
//! let table = b"ray;agent\n1;\"a;b\"\n";
//! let separator = records::separator(table).expect("its header has two cells");
//! let rows: Vec<_> = records::each(&table[..], Framing::Rows(separator))
//!     .collect::<std::io::Result<_>>()?;
//! let (line, row) = &rows[1];
//! let cells = records::cells(row, separator).expect("its quotes are closed");
//! assert_eq!((*line, &*cells[1]), (2, &b"a;b"[..]));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::{
    borrow::Cow,
    io::{self, Read},
};

use crate::{
    csv::Row,
    frame::{Batches, Framing, Limits, Slot, SlotKind},
};

/// The possible delimiters of a table. Of those that give the same number of cells, the first is
/// chosen.
const SEPARATORS: [u8; 4] = [b'\t', b';', b'|', b','];

/// Returns each record with the line that it begins on, or its number among the JSON values,
/// counted from 1. A record larger than [`Limits::record`] is empty. Nothing follows an error.
pub fn each(
    reader: impl Read,
    framing: Framing,
) -> impl Iterator<Item = io::Result<(u64, Vec<u8>)>> {
    let mut batches = Batches::new(reader, framing, Limits::default());
    let batches = std::iter::from_fn(move || batches.next_batch().transpose());
    batches.flat_map(|batch| match batch {
        Ok(batch) => {
            let record = |slot: &Slot| match slot.kind {
                SlotKind::Record | SlotKind::Fragment => {
                    Some(batch.bytes[slot.range.clone()].to_vec())
                }
                SlotKind::TooLarge => Some(Vec::new()),
                SlotKind::Part(_) => None,
            };
            let slots = batch.slots.iter();
            slots
                .filter_map(|slot| Some(Ok((slot.number, record(slot)?))))
                .collect()
        }
        Err(error) => vec![Err(error)],
    })
}

/// Returns the delimiter of a table, detected from its header, or `None` if the header has one
/// cell.
#[must_use]
pub fn separator(table: &[u8]) -> Option<u8> {
    let header = table.split(|byte| *byte == b'\n').next()?;
    let cells = |separator: &u8| Row::parse(header, *separator).map_or(0, |row| row.cells.len());
    // `max_by_key` returns the last of several maxima.
    let best = SEPARATORS.into_iter().rev().max_by_key(cells)?;
    (cells(&best) > 1).then_some(best)
}

/// Returns the texts of the cells of a row (RFC 4180), or `None` if a quote is never closed, text
/// follows a closing quote, or there is a lone carriage return.
#[must_use]
pub fn cells(row: &[u8], separator: u8) -> Option<Vec<Cow<'_, [u8]>>> {
    let row = Row::parse(row, separator).ok()?;
    Some(
        (0..row.cells.len())
            .map(|column| row.cell(column))
            .collect(),
    )
}
