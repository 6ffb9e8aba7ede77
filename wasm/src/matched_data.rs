//! Matched data: blobs, and rings of keys that open them. Here is the common input of all functions
//! that open: a blob, and the values that it is bound to.

mod blob;
#[cfg(feature = "full")]
mod calendar;
pub(crate) mod packed;
mod ring;

use pqseal_hpke::{Policy, twice::opened};
use pqseal_matched_data::{Blob, KeyRing as Ring, OpenOptions, Opened, Trailing};
use wasm_bindgen::JsValue;

use crate::{
    Error,
    value::{Options, bytes},
};

pub use blob::{inspect, open, seal};
pub use calendar::Calendar;
pub use ring::KeyRing;

/// The bytes of a blob, given as base64 or as bytes.
#[derive(Debug)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    fn of(blob: &JsValue) -> Result<Self, Error> {
        match blob.as_string() {
            Some(text) => Self::decode(&text),
            None if blob.is_object() => bytes(blob, "blob").map(Self),
            None => Err(Error::argument("blob", "a string or a Uint8Array")),
        }
    }

    /// Decodes a text in base64.
    ///
    /// # Errors
    /// If it is empty, the word `truncated`, or not base64.
    pub fn decode(text: &str) -> Result<Self, Error> {
        Ok(Self(Blob::decode(text.trim().as_bytes())?))
    }

    /// Opens the blob with a ring.
    ///
    /// # Errors
    /// If they are not a blob, or if no key of the ring opens it.
    pub fn open(&self, ring: &Ring, options: &OpenOptions<'_>) -> Result<Opened, Error> {
        let blob = Blob::parse(&self.0, Trailing::Refuse)?;
        Ok(opened(
            &mut || ring.open(&blob, options),
            pqseal_matched_data::Error::is_of_decryption,
        )?)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

/// The values that the application binds a version 4 blob to, which an [`OpenOptions`] borrows.
struct BoundValues {
    info: Vec<u8>,
    aad: Vec<u8>,
    policy: Policy,
}

impl BoundValues {
    fn to_open(options: &JsValue) -> Result<Self, Error> {
        Self::of(&Options::of(options, &["info", "aad", "policy"])?)
    }

    fn of(options: &Options<'_>) -> Result<Self, Error> {
        Ok(Self {
            info: options.bytes("info")?,
            aad: options.bytes("aad")?,
            policy: options.policy()?,
        })
    }

    fn open_options(&self) -> OpenOptions<'_> {
        OpenOptions {
            info: &self.info,
            aad: &self.aad,
            policy: self.policy.clone(),
        }
    }
}

/// Opens a blob from JavaScript.
fn open_blob(ring: &Ring, blob: &JsValue, options: &OpenOptions<'_>) -> Result<Opened, Error> {
    Bytes::of(blob)?.open(ring, options)
}

/// Calendars in the module `core`, which has none. Its types are those of `full`.
#[cfg(not(feature = "full"))]
mod calendar {
    use std::convert::Infallible;

    use pqseal_keys::KeyError;
    use pqseal_matched_data::KeyRing;
    use wasm_bindgen::prelude::*;

    use crate::Error;

    /// A calendar: an independent key pair for each hour, day or week. A public one seals; a private or
    /// lent one is added to a `KeyRing`. Only `full` has calendars. Times are a `Date` or milliseconds
    /// since 1970.
    #[wasm_bindgen]
    pub struct Calendar(Infallible);

    #[wasm_bindgen]
    impl Calendar {
        /// Reads a public, private or lent calendar: text, or a file's bytes. Keys are decoded when
        /// they are used.
        pub fn parse(
            #[wasm_bindgen(js_name = calendar, unchecked_param_type = "string | Bytes")]
            _: &JsValue,
        ) -> Result<Calendar, Error> {
            Err(KeyError::UnknownKem.into())
        }
    }

    impl Calendar {
        pub(super) fn add_to(&self, _: &mut KeyRing) -> Result<(), Error> {
            match self.0 {}
        }
    }
}
