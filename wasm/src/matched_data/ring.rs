//! A ring of several private keys, which opens many blobs at once.

use js_sys::Array;
use pqseal_matched_data::{KeyRing as Ring, Opened};
use pqseal_wasm_shared::reopened;
use wasm_bindgen::prelude::*;

use crate::{
    Calendar, Error, PrivateKey,
    memory::wiping_stack,
    value::{Options, list, object},
};

use super::{
    BoundValues, Bytes, open_blob,
    packed::{PackedTexts, described, results},
};

/// Private keys that open blobs. A version 4 blob names its key; for versions 1 to 3 each `x25519`
/// key is tried, in the order of adding.
#[wasm_bindgen]
pub struct KeyRing(Ring);

#[wasm_bindgen]
impl KeyRing {
    /// Creates an empty ring. With `minVersion` it refuses blobs of lower versions. Only version 4
    /// can be bound to its record with `aad`, so 4 prevents that a blob is replaced by an older
    /// one.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "KeyRingOptions")] options: &JsValue,
    ) -> Result<Self, Error> {
        let mut ring = Ring::new();
        if let Some(minimum) = Options::of(options, &["minVersion"])?.value("minVersion")? {
            ring.require_version(version(&minimum)?);
        }
        Ok(Self(ring))
    }

    /// Adds a key at the end. The ring keeps a reference: the handle may be freed, and the key is
    /// wiped when both are.
    pub fn add(&mut self, key: &PrivateKey) -> Result<(), Error> {
        wiping_stack(|| Ok(self.0.add(key.key())?))
    }

    /// Adds the keys of a private or lent calendar at the end. They are not tried for versions 1 to
    /// 3. The ring keeps a reference: the handle may be freed.
    #[wasm_bindgen(js_name = addCalendar)]
    pub fn add_calendar(&mut self, calendar: &Calendar) -> Result<(), Error> {
        calendar.add_to(&mut self.0)
    }

    /// Returns the ids of the keys, in the order of adding.
    #[wasm_bindgen(getter, js_name = keyIds)]
    pub fn key_ids(&self) -> Vec<String> {
        self.0.key_ids().map(|key_id| key_id.to_string()).collect()
    }

    /// Opens one blob: base64, or its bytes.
    #[wasm_bindgen(unchecked_return_type = "Opened")]
    pub fn open(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | Bytes")] blob: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "OpenOptions")] options: &JsValue,
    ) -> Result<JsValue, Error> {
        let bound = BoundValues::to_open(options)?;
        wiping_stack(|| {
            let opened = open_blob(&self.0, blob, &bound.open_options())?;
            Ok(object(self.members(opened.key, &opened.plaintext)))
        })
    }

    /// Opens many blobs under the same options. One result per blob, in order; a blob that does not
    /// open does not stop the others.
    #[wasm_bindgen(js_name = openMany, unchecked_return_type = "OpenResult[]")]
    pub fn open_many(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly (string | Bytes)[]")] blobs: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "OpenOptions")] options: &JsValue,
    ) -> Result<Array, Error> {
        let (blobs, bound) = (list(blobs, "blobs")?, BoundValues::to_open(options)?);
        let options = bound.open_options();
        wiping_stack(|| {
            Ok(blobs
                .iter()
                .map(|blob| self.result(open_blob(&self.0, &blob, &options)))
                .collect())
        })
    }

    /// Opens many blobs like `openMany`. They are in base64, one directly after another in `blobs`,
    /// and `ends` has the end of each. The results are in few arrays too, which is faster than an
    /// object for each.
    #[wasm_bindgen(js_name = openPacked, unchecked_return_type = "PackedResults")]
    pub fn open_packed(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] blobs: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint32Array")] ends: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "OpenOptions")] options: &JsValue,
    ) -> Result<JsValue, Error> {
        let blobs = PackedTexts::of(blobs, "blobs", ends)?;
        let bound = BoundValues::to_open(options)?;
        let options = bound.open_options();
        let none = self.0.key_ids().count();
        wiping_stack(|| {
            let before = reopened();
            // Bytes that are not UTF-8 are replaced, since they are not base64 either way.
            let all = blobs
                .iter()
                .map(|text| Bytes::decode(&String::from_utf8_lossy(text))?.open(&self.0, &options));
            Ok(results(all.collect(), none, reopened() - before))
        })
    }

    fn result(&self, result: Result<Opened, Error>) -> JsValue {
        match result {
            Ok(Opened { key, plaintext }) => {
                let [plaintext, key_id] = self.members(key, &plaintext);
                object([("ok", true.into()), plaintext, key_id])
            }
            Err(error) => object([("ok", false.into()), ("error", described(error))]),
        }
    }

    fn members(&self, key: usize, plaintext: &[u8]) -> [(&'static str, JsValue); 2] {
        let key_id = self.0.key_ids().nth(key).map(|key_id| key_id.to_string());
        let bytes = js_sys::Uint8Array::from(plaintext);
        [("plaintext", bytes.into()), ("keyId", key_id.into())]
    }
}

#[cfg(feature = "sealed")]
impl KeyRing {
    /// Returns the keys.
    pub(crate) const fn ring(&self) -> &Ring {
        &self.0
    }
}

fn version(value: &JsValue) -> Result<u8, Error> {
    let number = value.as_f64();
    (1..=4)
        .find(|version| number == Some(f64::from(*version)))
        .ok_or_else(|| Error::argument("minVersion", "1, 2, 3 or 4"))
}
