//! The records of log exports for the page in `web-ui`, by `pqseal-records`: their bounds, the
//! sealed values and members in them, and the same records with what was sealed. It is a separate
//! WebAssembly module without cryptography, so that no key is in its memory.
//!
//! No function panics on input: a panic would leave the wasm module unusable for the rest of the
//! page's life.

#![forbid(unsafe_code)]

mod answers;
mod block;
mod columns;
mod finder;
mod found;
mod js;
mod rows;
mod search;
mod texts;

use std::mem;

use block::Block;
use js::Object;
use pqseal_records::{
    Framing, Splitter, csv,
    detect::{Detected, detect, of_name, trim_start},
    split::{Place, Places, Slot, SlotKind},
    table::delimiter,
};
use rows::Rows;
use wasm_bindgen::prelude::wasm_bindgen;

/// The maximum size of a record in bytes, longer than any log record, and short enough to be held.
const LONGEST: usize = 64 << 20;

/// A reader of records from bytes in pieces. Rows of tables become JSON objects.
#[wasm_bindgen]
pub struct RecordReader {
    splitter: Splitter,
    rows: Option<Rows>,
    /// The bytes from the unfinished record on.
    held: Vec<u8>,
    slots: Vec<Slot>,
    /// The number of slots that were returned.
    taken: usize,
    /// The place after the first `counted` bytes, if records are not identified by line.
    places: Option<Places>,
    counted: usize,
    ended: InputEnd,
}

/// The facts about the input that are known at its end.
#[derive(Clone, Copy, Default)]
struct InputEnd {
    is_too_large: bool,
    is_array_open: bool,
    /// The line of a row with a quote that is never closed.
    open_quote: Option<u32>,
}

#[wasm_bindgen]
impl RecordReader {
    /// Creates a reader for an input with this beginning and the name of its file. `fields` are the
    /// names of sealed fields. Returns nothing if the input is not text.
    pub fn of(beginning: &[u8], name: &str, fields: Vec<String>) -> Option<Self> {
        let fields: Vec<_> = fields.iter().map(String::as_str).collect();
        let framing = framing(beginning, name, &fields)?;
        let rows = match framing {
            Framing::Rows(delimiter) => Some(Rows::new(beginning, delimiter, &fields)),
            _ => None,
        };
        let framing = rows
            .as_ref()
            .map_or(framing, |rows| Framing::Rows(rows.delimiter));
        Some(Self {
            splitter: Splitter::new(framing, false),
            rows,
            held: Vec::new(),
            slots: Vec::new(),
            taken: 0,
            places: (framing == Framing::Json).then(Places::default),
            counted: 0,
            ended: InputEnd::default(),
        })
    }

    /// Reads the next bytes. All blocks must have been taken.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.drop_taken();
        let from = self.held.len();
        self.held.extend_from_slice(bytes);
        self.splitter
            .split(&self.held, from, LONGEST, &mut self.slots);
    }

    /// Ends the input. The last blocks can be taken then.
    pub fn end(&mut self) {
        self.drop_taken();
        self.ended.is_array_open = self.splitter.end(&self.held, &mut self.slots).is_err();
        if let (Some(rows), Some(slot)) = (&self.rows, self.slots.last())
            && rows.has_open_quote(&self.held[slot.range.clone()])
        {
            self.ended.open_quote = Some(low(slot.number));
            self.slots.pop();
        }
    }

    /// Returns the next records, or nothing if more bytes are needed.
    #[wasm_bindgen(js_name = nextBlock, unchecked_return_type = "Block | undefined")]
    pub fn next_block(&mut self) -> Option<Object> {
        let mut block = Block::default();
        while let Some(slot) = self.slots.get(self.taken).cloned()
            && !block.is_full()
        {
            self.taken += 1;
            let place = self.place(&slot);
            if slot.kind == SlotKind::TooLarge {
                self.ended.is_too_large = true;
            }
            if slot.kind != SlotKind::Record {
                continue;
            }
            let (number, record) = (slot.number, &self.held[slot.range]);
            match &mut self.rows {
                Some(rows) => rows.add(record, number, place, &mut block),
                None => block.add(number, place, |out| out.extend_from_slice(record)),
            }
        }
        block.into_js(self.rows.is_none())
    }

    /// Set if a record is longer than 64 MiB.
    #[wasm_bindgen(getter, js_name = isTooLarge)]
    pub fn is_too_large(&self) -> bool {
        self.ended.is_too_large
    }

    /// Set if the input ended within a JSON array.
    #[wasm_bindgen(getter, js_name = isArrayOpen)]
    pub fn is_array_open(&self) -> bool {
        self.ended.is_array_open
    }

    /// The line of a row with a quote that is never closed.
    #[wasm_bindgen(getter, js_name = openQuote)]
    pub fn open_quote(&self) -> Option<u32> {
        self.ended.open_quote
    }

    /// The names of a table's columns.
    #[wasm_bindgen(getter)]
    pub fn columns(&self) -> Option<Vec<String>> {
        self.rows.as_ref().map(Rows::names)
    }
}

impl RecordReader {
    fn drop_taken(&mut self) {
        let keep = self.splitter.rebase(self.held.len(), &mut self.slots);
        let keep = keep.unwrap_or(self.held.len());
        let mut slots = mem::take(&mut self.slots).into_iter();
        self.ended.is_too_large |= slots.any(|slot| slot.kind == SlotKind::TooLarge);
        if let Some(places) = &mut self.places {
            places.after(&self.held[self.counted..keep]);
        }
        self.held.drain(..keep);
        (self.taken, self.counted) = (0, 0);
    }

    fn place(&mut self, slot: &Slot) -> Place {
        let Some(places) = &mut self.places else {
            let line = slot.number;
            return Place { line, column: 1 };
        };
        let place = places.after(&self.held[self.counted..slot.range.start]);
        self.counted = slot.range.start;
        place
    }
}

/// Returns the separation of records, or `None` if the input is not text. A table is recognized by
/// its name or header.
fn framing(beginning: &[u8], name: &str, fields: &[&str]) -> Option<Framing> {
    let text = trim_start(beginning);
    let table = match of_name(name.as_bytes()) {
        // Spreadsheets write other delimiters under this name too.
        Some(Framing::Rows(b',')) => Some(csv::separator(text).unwrap_or(b',')),
        Some(Framing::Rows(delimiter)) => Some(delimiter),
        _ => delimiter(text, fields),
    };
    match detect(beginning, table.map(Framing::Rows), true) {
        Detected::Records(framing) => Some(framing),
        _ => None,
    }
}

/// Returns a number as JavaScript gets it in a `Uint32Array`.
fn low(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns one of several texts, which are one directly after another and end at these positions.
#[inline]
fn part<'a>(texts: &'a [u8], ends: &[u32], number: usize) -> &'a [u8] {
    let before = number.checked_sub(1).and_then(|before| ends.get(before));
    let [start, end] = [before, ends.get(number)].map(|end| end.map_or(0, |end| *end as usize));
    texts.get(start..end).unwrap_or_default()
}
