//! The types of plain objects, for TypeScript. wasm-bindgen writes the types of exported items.
//!
//! They are one section, since the linker decides on the order of several, and the reference at the
//! head of `types.ts` counts only if nothing precedes it.

use wasm_bindgen::prelude::*;

#[cfg(feature = "matched-data")]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = concat!(
    include_str!("types.ts"),
    "\n",
    include_str!("types-matched-data.ts")
);

#[cfg(not(feature = "matched-data"))]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");
