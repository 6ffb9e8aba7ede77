//! Calendars in the module `core`, which has none. Its types are those of `full`.

use std::convert::Infallible;

use pqseal_keys::KeyError;
use pqseal_matched_data::KeyRing;
use wasm_bindgen::prelude::*;

use crate::Error;

/// A calendar: an independent key pair for each hour, day or week. A public one seals; a private or
/// lent one is added to a `KeyRing`. Only `full` has calendars. Times are a `Date` or milliseconds
/// since 1970.
#[wasm_bindgen]
pub struct Calendar(Infallible);

#[wasm_bindgen]
impl Calendar {
    /// Reads a public, private or lent calendar: text, or a file's bytes. Keys are decoded when
    /// they are used.
    pub fn parse(
        #[wasm_bindgen(js_name = calendar, unchecked_param_type = "string | Bytes")] _: &JsValue,
    ) -> Result<Calendar, Error> {
        Err(KeyError::UnknownKem.into())
    }
}

impl Calendar {
    pub(super) fn add_to(&self, _: &mut KeyRing) -> Result<(), Error> {
        match self.0 {}
    }
}
