//! Recipients and identities from JavaScript: texts, passphrases, or an array of both.

use js_sys::{Array, ArrayBuffer};
use pqseal_age::{DEFAULT_MAX_WORK, DEFAULT_WORK};
use pqseal_wasm_shared::{
    Error,
    value::{Options, bytes, length},
};
use wasm_bindgen::{JsCast, JsValue};
use zeroize::Zeroizing;

/// One recipient or identity.
pub(crate) enum Given {
    /// A text with one key or several, as in a file.
    Keys(Zeroizing<String>),
    /// A passphrase, and the work factor given with it.
    Passphrase(Zeroizing<String>, Option<u32>),
}

/// Reads one value or an array of them. `work` is the name of the work factor of a passphrase.
pub(crate) fn given(value: &JsValue, name: &str, work: &str) -> Result<Vec<Given>, Error> {
    match value.dyn_ref::<Array>() {
        Some(all) => all.iter().map(|one| of(&one, name, work)).collect(),
        None => Ok(vec![of(value, name, work)?]),
    }
}

fn of(value: &JsValue, name: &str, work: &str) -> Result<Given, Error> {
    let is_bytes = value.is_instance_of::<ArrayBuffer>() || ArrayBuffer::is_view(value);
    if !value.is_object() || is_bytes {
        return Ok(Given::Keys(text(value, name)?));
    }
    let options = Options::of(value, &["passphrase", work])?;
    let passphrase = options.value("passphrase")?.unwrap_or_default();
    let work = options
        .value(work)?
        .map(|value| length(&value, work))
        .transpose()?;
    let passphrase = text(&passphrase, "passphrase")?;
    match passphrase.is_empty() {
        true => Err(Error::argument("passphrase", "one that is not empty")),
        false => Ok(Given::Passphrase(passphrase, work)),
    }
}

/// Reads a text, from a string or bytes of UTF-8.
pub(crate) fn text(value: &JsValue, name: &str) -> Result<Zeroizing<String>, Error> {
    if let Some(text) = value.as_string() {
        return Ok(text.into());
    }
    let expected = || Error::argument(name, "a string or bytes of UTF-8 text");
    let bytes = bytes(value, name).map_err(|_| expected())?;
    let text = String::from_utf8(bytes).map_err(|_| expected())?;
    Ok(text.into())
}

/// Returns the binary logarithm of scrypt's work, for encryption.
pub(crate) fn work(given: Option<u32>) -> Result<u8, Error> {
    number(given, DEFAULT_WORK, "scryptWorkFactor")
}

/// Returns the largest work factor of a file that is accepted, as a binary logarithm.
pub(crate) fn max_work(given: Option<u32>) -> Result<u8, Error> {
    number(given, DEFAULT_MAX_WORK, "maxScryptWorkFactor")
}

/// Checks that a work factor is from 1 to 20. Above, scrypt needs 2 GiB of memory, more than one
/// block of WebAssembly can have.
fn number(given: Option<u32>, default: u8, name: &str) -> Result<u8, Error> {
    let number = u8::try_from(given.unwrap_or(default.into())).ok();
    number
        .filter(|number| (1..=20).contains(number))
        .ok_or_else(|| Error::argument(name, "a whole number from 1 to 20"))
}
