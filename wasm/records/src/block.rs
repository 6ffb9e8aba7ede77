//! Blocks of records in few arrays.

use js_sys::{Object, Reflect, Uint8Array, Uint32Array};
use pqseal_records::split::Place;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::low;

/// The limits of a block, in records and bytes. Blocks in transit are in memory more than once.
const MAX_RECORDS: usize = 100;
const MAX_BYTES: usize = 1 << 17;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
/** Records as UTF-8, one after the other, with the end of each and the place where it begins. */
export interface Block {
    records: { bytes: Uint8Array<ArrayBuffer>; ends: Uint32Array<ArrayBuffer> };
    /** Lines and characters count from 1. */
    lines: Uint32Array<ArrayBuffer>;
    columns: Uint32Array<ArrayBuffer>;
}
";

#[derive(Default)]
pub(crate) struct Block {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    lines: Vec<u32>,
    columns: Vec<u32>,
}

impl Block {
    pub(crate) const fn is_full(&self) -> bool {
        self.ends.len() >= MAX_RECORDS || self.bytes.len() >= MAX_BYTES
    }

    /// Adds a record, which `write` appends.
    pub(crate) fn add(&mut self, Place { line, column }: Place, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(low(self.bytes.len() as u64));
        self.lines.push(low(line));
        self.columns.push(low(column));
    }

    /// Returns the block as `Block` of the types, or `undefined` if it has no records.
    pub(crate) fn into_js(self) -> JsValue {
        if self.ends.is_empty() {
            return JsValue::UNDEFINED;
        }
        let numbers = |numbers: &[u32]| Uint32Array::from(numbers).into();
        let bytes = Uint8Array::from(&*self.bytes).into();
        let records = object([("bytes", bytes), ("ends", numbers(&self.ends))]);
        object([
            ("records", records),
            ("lines", numbers(&self.lines)),
            ("columns", numbers(&self.columns)),
        ])
    }
}

/// Creates an object with these members.
fn object<const N: usize>(members: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // Never fails: the object is new.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}
