//! JSON: a text, bytes of text or an object as input, objects as output.

use js_sys::{ArrayBuffer, JSON, Object};
use pqseal_formats::jwe::Header;
use pqseal_wasm_shared::{Error, value::bytes};
use wasm_bindgen::{JsCast, JsValue};

/// Returns the text of a message or a key, as it is given or from an object.
pub(crate) fn text(value: &JsValue, name: &str) -> Result<String, Error> {
    if let Some(text) = value.as_string() {
        return Ok(text);
    }
    let expected = || Error::argument(name, "a string, bytes of UTF-8 text or an object");
    if value.is_instance_of::<ArrayBuffer>() || ArrayBuffer::is_view(value) {
        return String::from_utf8(bytes(value, name)?).map_err(|_| expected());
    }
    match value.is_object() {
        true => stringify(value).ok_or_else(expected),
        false => Err(expected()),
    }
}

/// Returns the output of `JSON.stringify`, which calls functions of the object.
pub(crate) fn stringify(value: &JsValue) -> Option<String> {
    JSON::stringify(value).ok()?.as_string()
}

/// Converts a header to an object.
pub(crate) fn object(header: &Header) -> JsValue {
    let text = serde_json::to_string(header).unwrap_or_default();
    JSON::parse(&text).unwrap_or_else(|_| Object::new().into())
}
