//! Many blobs and their results in few arrays. One object per result would cost JavaScript more time
//! than everything except the cryptography.

use js_sys::{Array, Uint8Array, Uint32Array};
use pqseal_matched_data::Opened;
use wasm_bindgen::JsValue;

use crate::{
    Error,
    value::{bytes, object},
};

/// Texts, one directly after another.
pub(crate) struct PackedTexts {
    bytes: Vec<u8>,
    /// The end of each text, in ascending order. The last one is the number of bytes.
    ends: Vec<usize>,
}

impl PackedTexts {
    /// Reads the arguments `texts`, of this name, and `ends`.
    pub(crate) fn of(texts: &JsValue, name: &str, ends: &JsValue) -> Result<Self, Error> {
        let (bytes, ends) = (bytes(texts, name)?, bytes(ends, "ends")?);
        let (numbers, rest) = ends.as_chunks();
        let ends: Vec<_> = numbers
            .iter()
            .map(|number| u32::from_le_bytes(*number) as usize)
            .collect();
        let last = ends.last().copied().unwrap_or(0);
        if !rest.is_empty() || !ends.is_sorted() || last != bytes.len() {
            let expected = "a Uint32Array of the end of each text, in order";
            return Err(Error::argument("ends", expected));
        }
        Ok(Self { bytes, ends })
    }

    /// Returns the texts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.bytes[start..*end])
    }
}

/// Returns the results as `PackedResults` of `types.ts`. `none` is the key of a blob that did not
/// open.
pub(crate) fn results(all: Vec<Result<Opened, Error>>, none: usize, reopened: u32) -> JsValue {
    let (mut ends, mut keys, errors) = (Vec::new(), Vec::new(), Array::new());
    let lengths = all.iter().flatten().map(|opened| opened.plaintext.len());
    // Created with its final length, since growing would leave plaintext behind.
    let mut plaintexts = Vec::with_capacity(lengths.sum());
    for result in all {
        let key = match result {
            Ok(Opened { key, plaintext }) => {
                plaintexts.extend_from_slice(&plaintext);
                key
            }
            Err(error) => {
                errors.push(&described(error));
                none
            }
        };
        // Addresses have 32 bits here.
        keys.push(u32::try_from(key).unwrap_or(u32::MAX));
        ends.push(u32::try_from(plaintexts.len()).unwrap_or(u32::MAX));
    }
    object([
        ("plaintexts", Uint8Array::from(&*plaintexts).into()),
        ("ends", Uint32Array::from(&*ends).into()),
        ("keys", Uint32Array::from(&*keys).into()),
        ("errors", errors.into()),
        ("reopened", reopened.into()),
    ])
}

/// Returns the code and message of a blob that did not open.
pub(crate) fn described(Error { code, message }: Error) -> JsValue {
    object([("code", code.into()), ("message", message.into())])
}
