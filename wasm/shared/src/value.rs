//! Conversion of JavaScript values to Rust's and back. Each value is checked, since wasm-bindgen
//! alone would accept a text as bytes, and read zeros.

use js_sys::{Array, ArrayBuffer, Object, Reflect, Uint8Array};
use pqseal_hpke::{ParseError, Policy};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

use crate::Error;

/// Copies the bytes of an `ArrayBuffer` or a view of one. It accepts any view instead of checking
/// for the class `Uint8Array`, which exists once per frame of a page.
pub fn bytes(value: &JsValue, name: &str) -> Result<Vec<u8>, Error> {
    let (buffer, at, length) = match value.dyn_ref::<ArrayBuffer>() {
        Some(buffer) => (buffer.clone(), 0, buffer.byte_length()),
        None if ArrayBuffer::is_view(value) => {
            let view = value.unchecked_ref::<Uint8Array>();
            (view.buffer(), view.byte_offset(), view.byte_length())
        }
        None => return Err(Error::argument(name, BYTES)),
    };
    let view = View::new(&buffer, at, length).map_err(|_| Error::argument(name, ATTACHED))?;
    Ok(view.unchecked_into::<Uint8Array>().to_vec())
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Uint8Array)]
    type View;

    /// Creates a view. Throws if the buffer was transferred. Without `catch` the exception would
    /// pass through wasm, and leave the object that was called unusable and its key unwiped.
    #[wasm_bindgen(constructor, catch, js_class = "Uint8Array")]
    fn new(buffer: &ArrayBuffer, at: u32, length: u32) -> Result<View, JsValue>;
}

const ATTACHED: &str = "bytes whose buffer was not transferred";
const BYTES: &str =
    "a Uint8Array, another view or an ArrayBuffer (of text: new TextEncoder().encode(text))";

/// Reads a string.
pub fn text(value: &JsValue, name: &str) -> Result<String, Error> {
    value
        .as_string()
        .ok_or_else(|| Error::argument(name, "a string"))
}

/// Reads an array.
pub fn list(value: &JsValue, name: &str) -> Result<Array, Error> {
    value
        .dyn_ref()
        .cloned()
        .ok_or_else(|| Error::argument(name, "an array"))
}

/// Reads a whole number from 0 to `u32::MAX`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is within the range, and whole"
)]
pub fn length(value: &JsValue, name: &str) -> Result<u32, Error> {
    value
        .as_f64()
        .filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number))
        .map(|number| number as u32)
        .ok_or_else(|| Error::argument(name, "a whole number of bytes"))
}

/// Reads a bigint from 0 to `u64::MAX`.
pub fn sequence(value: &JsValue, name: &str) -> Result<u64, Error> {
    u64::try_from(value.clone()).map_err(|_| Error::argument(name, "a bigint, 0 or more"))
}

/// The optional last argument, an object. A member that is `undefined` counts as absent.
pub struct Options<'a>(Option<&'a JsValue>);

impl<'a> Options<'a> {
    /// Reads the options. Members other than `known` are refused, since a misspelt `aad` would
    /// otherwise be ignored silently.
    pub fn of(value: &'a JsValue, known: &[&str]) -> Result<Self, Error> {
        match value.dyn_ref::<Object>() {
            None if value.is_undefined() || value.is_null() => Ok(Self(None)),
            None => Err(Error::argument("options", "an object")),
            Some(object) => match unknown(object, known) {
                Some(name) => Err(Error::option(&name, known)),
                None => Ok(Self(Some(value))),
            },
        }
    }

    /// Returns the member with this name, if there is one.
    pub fn value(&self, name: &str) -> Result<Option<JsValue>, Error> {
        let Some(object) = self.0 else {
            return Ok(None);
        };
        let value =
            Reflect::get(object, &name.into()).map_err(|_| Error::argument(name, "readable"))?;
        Ok((!value.is_undefined()).then_some(value))
    }

    /// Returns the bytes of a member, empty if it is absent.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, Error> {
        Ok(self.given(name)?.unwrap_or_default())
    }

    /// Returns the bytes of a member. For secrets: an empty one that was given is not `None`.
    pub fn given(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let value = self.value(name)?;
        value.map(|value| bytes(&value, name)).transpose()
    }

    /// Returns the member `policy`.
    pub fn policy(&self) -> Result<Policy, Error> {
        policy(&self.value("policy")?.unwrap_or_default())
    }
}

/// Returns a member that is not one of `known`.
fn unknown(object: &Object, known: &[&str]) -> Option<String> {
    Object::keys(object)
        .iter()
        .filter_map(|name| name.as_string())
        .find(|name| !known.contains(&name.as_str()))
}

/// Reads a policy. Drafts are allowed by default, since the post-quantum KEMs are still drafts.
pub fn policy(value: &JsValue) -> Result<Policy, Error> {
    if value.is_undefined() {
        return Ok(Policy::draft());
    }
    let expected = "standard, draft or experimental";
    let name = value
        .as_string()
        .ok_or_else(|| Error::argument("policy", expected))?;
    name.parse()
        .map_err(|error: ParseError| Error::argument("policy", error.expected()))
}

/// Creates an object with these members.
pub fn object<const N: usize>(members: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // Never fails: the object is new.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}
