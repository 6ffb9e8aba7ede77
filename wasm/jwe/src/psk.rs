//! A pre-shared key and its id, which are used together.

use pqseal_wasm_shared::{
    Error,
    value::{Options, list},
};
use wasm_bindgen::JsValue;

/// A pre-shared key.
pub(crate) struct Psk {
    pub(crate) key: Vec<u8>,
    pub(crate) id: Vec<u8>,
}

impl Psk {
    /// Reads the members `psk` and `pskId`, if one of them is given. One without the other, or an
    /// empty one, is an error of HPKE. It never selects the mode without a psk.
    pub(crate) fn of(options: &Options<'_>) -> Result<Option<Self>, Error> {
        let (key, id) = match (options.given("psk")?, options.given("pskId")?) {
            (None, None) => return Ok(None),
            (key, id) => (key.unwrap_or_default(), id.unwrap_or_default()),
        };
        pqseal_hpke::Psk::new(&key, &id)?;
        Ok(Some(Self { key, id }))
    }

    /// Reads an array of pre-shared keys.
    pub(crate) fn list(psks: &JsValue) -> Result<Vec<Self>, Error> {
        let one = |psk: JsValue| {
            let found = Self::of(&Options::of(&psk, &["psk", "pskId"])?)?;
            found.ok_or_else(|| Error::argument("psks", "an array of { psk, pskId }"))
        };
        list(psks, "psks")?.iter().map(one).collect()
    }
}
