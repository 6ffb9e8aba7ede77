//! Facts that a file shows without a key.

use js_sys::Array;
use pqseal_age::{Extent, Header, InputDecoder, Payload, Stanza};
use pqseal_wasm_shared::{
    Error,
    memory::wiping_stack,
    value::{Options, bytes, object},
};
use wasm_bindgen::prelude::*;

use crate::{failed, io};

/// Describes a file without a key, from its beginning, which must include all of its header.
/// Nothing of it is authenticated before the file is opened.
#[wasm_bindgen(unchecked_return_type = "Inspected")]
pub fn inspect(
    #[wasm_bindgen(unchecked_param_type = "Bytes")] beginning: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "InspectOptions")] options: &JsValue,
) -> Result<JsValue, Error> {
    let size = size(&Options::of(options, &["fileLength"])?)?;
    wiping_stack(|| {
        let mut input = InputDecoder::default();
        let mut binary = Vec::new();
        let decoded = input.push(&bytes(beginning, "beginning")?, &mut binary);
        decoded.map_err(failed)?;
        let header = Header::read(&mut &binary[..]).map_err(failed)?;
        let length = header.to_bytes().len();
        let extent = size.filter(|_| !input.is_armored());
        let extent = extent.map(|size| extent_of(size, length)).transpose()?;
        let stanzas: Array = header.stanzas().iter().map(stanza).collect();
        Ok(object([
            ("armored", input.is_armored().into()),
            ("passphrase", header.is_passphrase().into()),
            ("postQuantum", header.post_quantum().into()),
            ("stanzas", stanzas.into()),
            ("headerLength", number(length as u64)),
            (
                "plaintextLength",
                extent.map(|extent| number(extent.plaintext)).into(),
            ),
        ]))
    })
}

/// Counts the wrong computations that this module has noticed since it started. Some JavaScript
/// engines make them.
#[wasm_bindgen(unchecked_return_type = "Faults")]
pub fn faults() -> JsValue {
    pqseal_wasm_shared::faults()
}

fn extent_of(file: u64, header: usize) -> Result<Extent, Error> {
    let chunks = file.saturating_sub((header + Payload::NONCE) as u64);
    Extent::of::<Payload>(chunks).map_err(|error| io(pqseal_age::Error::from(error).into()))
}

fn stanza(stanza: &Stanza) -> JsValue {
    let args: Array = stanza.args.iter().map(JsValue::from).collect();
    object([("type", stanza.kind.as_str().into()), ("args", args.into())])
}

/// Returns the option `fileLength`: a number of bytes that JavaScript can represent exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is within the range, and whole"
)]
fn size(options: &Options<'_>) -> Result<Option<u64>, Error> {
    let Some(value) = options.value("fileLength")? else {
        return Ok(None);
    };
    value
        .as_f64()
        .filter(|size| {
            size.fract() == 0.0 && (0.0..=js_sys::Number::MAX_SAFE_INTEGER).contains(size)
        })
        .map(|size| Some(size as u64))
        .ok_or_else(|| Error::argument("fileLength", "a whole number of bytes"))
}

/// Returns a length as a number. Lengths come from numbers of JavaScript, so they are exact.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn number(n: u64) -> JsValue {
    JsValue::from_f64(n as f64)
}
