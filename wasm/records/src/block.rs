//! Blocks of records in few arrays.

use pqseal_records::split::Place;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{js::Object, low};

/// The limits of a block, in records and bytes. Blocks in transit are in memory more than once.
const MAX_RECORDS: usize = 200;
const MAX_BYTES: usize = 1 << 19;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
/** Records as UTF-8, one after the other, with the end of each and the place where it begins. */
export interface Block {
    records: {
        bytes: Uint8Array<ArrayBuffer>;
        ends: Uint32Array<ArrayBuffer>;
        /** Set if a record may be a document with many events. A row of a table is one event. */
        hasEvents: boolean;
    };
    /** Lines and characters count from 1. */
    lines: Uint32Array<ArrayBuffer>;
    columns: Uint32Array<ArrayBuffer>;
    /** The number of each record in its input, or its line. */
    numbers: Uint32Array<ArrayBuffer>;
}
";

#[derive(Default)]
pub(crate) struct Block {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    lines: Vec<u32>,
    columns: Vec<u32>,
    numbers: Vec<u32>,
}

impl Block {
    pub(crate) const fn is_full(&self) -> bool {
        self.ends.len() >= MAX_RECORDS || self.bytes.len() >= MAX_BYTES
    }

    /// Adds a record with this number, which `write` appends.
    pub(crate) fn add(
        &mut self,
        number: u64,
        Place { line, column }: Place,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        self.numbers.push(low(number));
        write(&mut self.bytes);
        self.ends.push(low(self.bytes.len() as u64));
        self.lines.push(low(line));
        self.columns.push(low(column));
    }

    /// Returns the block as `Block` of the types, or `None` if it has no records.
    pub(crate) fn into_js(self, has_events: bool) -> Option<Object> {
        if self.ends.is_empty() {
            return None;
        }
        let (block, records) = (Object::new(), Object::new());
        records.set_bytes("bytes", self.bytes);
        records.set_numbers("ends", self.ends);
        records.set_flag("hasEvents", has_events);
        block.set_object("records", records);
        block.set_numbers("lines", self.lines);
        block.set_numbers("columns", self.columns);
        block.set_numbers("numbers", self.numbers);
        Some(block)
    }
}
