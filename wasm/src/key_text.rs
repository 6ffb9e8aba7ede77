//! Keys as text, and the arguments that say in which format.

use pqseal_hpke::{AnyPublicKey, ParseError};
use pqseal_keys::{KeyFormat, RawHalf};
use wasm_bindgen::prelude::*;

use crate::{
    Error,
    value::{bytes, text},
};

/// Returns the bytes of a key file, which a string may contain as text.
pub(crate) fn file(key: &JsValue, name: &str) -> Result<Vec<u8>, Error> {
    match key.as_string() {
        Some(text) => Ok(text.into_bytes()),
        None if key.is_object() => bytes(key, name),
        None => Err(Error::argument(name, "a string or a Uint8Array")),
    }
}

/// Returns the public key as one value. Only PEM, the content of a file, ends in a line break.
pub(crate) fn in_format(key: &AnyPublicKey, format: &JsValue) -> Result<String, Error> {
    let format = if format.is_undefined() {
        pqseal_keys::default_format(key)
    } else {
        key_format(format)?
    };
    let text = pqseal_keys::write_public(key, format)?;
    Ok(match format {
        KeyFormat::Pem => text,
        _ => text.trim_end().to_owned(),
    })
}

pub(crate) fn raw_half(value: &JsValue) -> Result<Option<RawHalf>, Error> {
    if value.is_undefined() {
        return Ok(None);
    }
    text(value, "raw")?
        .parse()
        .map(Some)
        .map_err(|error: ParseError| Error::argument("raw", error.expected()))
}

pub(crate) fn key_format(value: &JsValue) -> Result<KeyFormat, Error> {
    text(value, "format")?
        .parse()
        .map_err(|error: ParseError| Error::argument("format", error.expected()))
}
