//! The common input of all functions that open: a blob, and the values that it is bound to.

use pqseal_hpke::{Policy, twice::opened};
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, Opened, Trailing};
use wasm_bindgen::JsValue;

use crate::{
    Error,
    value::{Options, bytes},
};

/// The bytes of a blob, given as base64 or as bytes.
#[derive(Debug)]
pub struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    pub(crate) fn of(blob: &JsValue) -> Result<Self, Error> {
        match blob.as_string() {
            Some(text) => Self::decode(&text),
            None if blob.is_object() => bytes(blob, "blob").map(Self),
            None => Err(Error::argument("blob", "a string or a Uint8Array")),
        }
    }

    pub(crate) fn parse(&self) -> Result<Blob<'_>, Error> {
        Ok(Blob::parse(&self.0, Trailing::Refuse)?)
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
    pub fn open(&self, ring: &KeyRing, application: &OpenOptions<'_>) -> Result<Opened, Error> {
        let blob = self.parse()?;
        let mut open = || ring.open(&blob, application);
        Ok(opened(
            &mut open,
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
pub(crate) struct Bound {
    pub(crate) info: Vec<u8>,
    pub(crate) aad: Vec<u8>,
    pub(crate) policy: Policy,
}

impl Bound {
    pub(crate) fn to_open(options: &JsValue) -> Result<Self, Error> {
        Self::of(&Options::of(options, &["info", "aad", "policy"])?)
    }

    pub(crate) fn of(options: &Options<'_>) -> Result<Self, Error> {
        Ok(Self {
            info: options.bytes("info")?,
            aad: options.bytes("aad")?,
            policy: options.policy()?,
        })
    }

    pub(crate) fn application(&self) -> OpenOptions<'_> {
        OpenOptions {
            info: &self.info,
            aad: &self.aad,
            policy: self.policy.clone(),
        }
    }
}

/// Opens a blob from JavaScript.
pub(crate) fn open(
    ring: &KeyRing,
    blob: &JsValue,
    application: &OpenOptions<'_>,
) -> Result<Opened, Error> {
    Bytes::of(blob)?.open(ring, application)
}
