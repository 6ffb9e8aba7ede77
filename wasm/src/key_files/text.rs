//! Keys as text, and the arguments that say in which format.

use pqseal_hpke::{AnyPublicKey, ParseError};
#[cfg(not(feature = "full"))]
use pqseal_keys::KeyError;
use pqseal_keys::{BinaryFormat, KeyFormat, RawHalf};
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

/// Returns the format whose keys are bytes, with its algorithm.
#[cfg(feature = "full")]
pub(crate) fn binary_format(format: &JsValue, alg: &JsValue) -> Result<BinaryFormat, Error> {
    let parsed: Result<BinaryFormat, ParseError> = text(format, "format")?.parse();
    let format = parsed.map_err(|error| Error::argument("format", error.expected()))?;
    if alg.is_undefined() {
        return Ok(format);
    }
    let named = format.with_alg(&text(alg, "alg")?);
    named.map_err(|error| Error::argument("alg", error.expected()))
}

/// Returns the only format of this module whose keys are bytes.
#[cfg(not(feature = "full"))]
pub(crate) fn binary_format(format: &JsValue, _alg: &JsValue) -> Result<BinaryFormat, Error> {
    match text(format, "format")?.as_str() {
        "der" => Ok(BinaryFormat::Der),
        _ => Err(KeyError::UnknownKem.into()),
    }
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
