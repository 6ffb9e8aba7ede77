//! Keys as text: what Python gives, and what it gets.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use pqseal_keys::KeyFormat;
use pyo3::{
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
};

use crate::error::Error;

/// A key as a Python object: the text of a key file, or its bytes.
#[derive(FromPyObject)]
pub(crate) enum KeyInput {
    #[pyo3(annotation = "str")]
    Text(PyBackedStr),
    #[pyo3(annotation = "bytes")]
    Bytes(PyBackedBytes),
}

impl KeyInput {
    pub(crate) fn read(&self, kem: Option<&'static DynKem>) -> Result<AnyPrivateKey, Error> {
        Ok(pqseal_keys::read_private(self, kem)?)
    }
}

impl AsRef<[u8]> for KeyInput {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(file) => file,
        }
    }
}

/// Returns the public key as one value. Only PEM, the content of a file, ends in a line break.
pub(crate) fn public_text(key: &AnyPublicKey, format: Option<KeyFormat>) -> Result<String, Error> {
    let format = format.unwrap_or_else(|| pqseal_keys::default_format(key));
    let text = pqseal_keys::write_public(key, format)?;
    Ok(match format {
        KeyFormat::Pem => text,
        _ => text.trim_end().to_owned(),
    })
}
