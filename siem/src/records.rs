//! The records of an input, for programs that look into one and do not write it again.
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

/// What may be between the cells of a table; of those that give as many cells, the first is it.
const SEPARATORS: [u8; 4] = [b'\t', b';', b'|', b','];

/// Each record with the line that it begins on, or its number among the values of JSON; from 1. One
/// that is larger than [`Limits::record`] is empty. After an error nothing follows.
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

/// The byte between the cells of a table, by its header; `None` if that has one cell.
#[must_use]
pub fn separator(table: &[u8]) -> Option<u8> {
    let header = table.split(|byte| *byte == b'\n').next()?;
    let cells = |separator: &u8| Row::parse(header, *separator).map_or(0, |row| row.cells.len());
    // Of equal ones the last is the largest.
    let best = SEPARATORS.into_iter().rev().max_by_key(cells)?;
    (cells(&best) > 1).then_some(best)
}

/// The texts of the cells of a row (RFC 4180); `None` if a quote is never closed, text follows one that
/// closes, or a carriage return is alone.
#[must_use]
pub fn cells(row: &[u8], separator: u8) -> Option<Vec<Cow<'_, [u8]>>> {
    let row = Row::parse(row, separator).ok()?;
    Some(
        (0..row.cells.len())
            .map(|column| row.cell(column))
            .collect(),
    )
}
