//! The records of an input, for programs that inspect an input without rewriting it.
//!
//! ```
//! use pqseal_pipeline::{Framing, reader};
//! use pqseal_records::csv;
//!
//! let table = b"ray;agent\n1;\"a;b\"\n";
//! let separator = csv::separator(table).expect("its header has two cells");
//! let rows: Vec<_> = reader::each(&table[..], Framing::Rows(separator))
//!     .collect::<std::io::Result<_>>()?;
//! let (line, row) = &rows[1];
//! let cells = csv::cells(row, separator).expect("its quotes are closed");
//! assert_eq!((*line, &*cells[1]), (2, &b"a;b"[..]));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io::{self, Read};

use pqseal_records::split::{Slot, SlotKind};

use crate::frame::{Batches, Framing, Limits};

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
