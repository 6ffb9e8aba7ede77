//! A pre-shared key and its id, which go together.

use formats::hpke;
use wasm_bindgen::JsValue;
use wasm_shared::{
    Error,
    value::{Options, list},
};

/// A pre-shared key.
pub(crate) struct Psk {
    pub(crate) key: Vec<u8>,
    pub(crate) id: Vec<u8>,
}

impl Psk {
    /// The members `psk` and `pskId`, if one of them is there. One without the other, or one that is
    /// empty, is an error of HPKE, and never the mode without.
    pub(crate) fn of(options: &Options<'_>) -> Result<Option<Self>, Error> {
        let (key, id) = match (options.given("psk")?, options.given("pskId")?) {
            (None, None) => return Ok(None),
            (key, id) => (key.unwrap_or_default(), id.unwrap_or_default()),
        };
        hpke::Psk::new(&key, &id)?;
        Ok(Some(Self { key, id }))
    }

    /// An array of them.
    pub(crate) fn list(psks: &JsValue) -> Result<Vec<Self>, Error> {
        let one = |psk: JsValue| {
            let found = Self::of(&Options::of(&psk, &["psk", "pskId"])?)?;
            found.ok_or_else(|| Error::argument("psks", "an array of { psk, pskId }"))
        };
        list(psks, "psks")?.iter().map(one).collect()
    }
}
