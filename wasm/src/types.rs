//! The types of plain objects, for TypeScript. wasm-bindgen writes the types of exported items.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

#[cfg(feature = "matched-data")]
#[wasm_bindgen(typescript_custom_section)]
const MATCHED_DATA: &str = include_str!("types-matched-data.ts");
