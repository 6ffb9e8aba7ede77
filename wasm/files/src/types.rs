//! The types of plain objects, for TypeScript. wasm-bindgen writes those of the exported items.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");
