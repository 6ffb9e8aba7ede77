//! What Python passes: bytes, keys as text, and names of algorithms, formats and policies.

use std::{ops::Deref, str::FromStr};

use pqseal_hpke::{Aead, AnyPrivateKey, AnyPublicKey, DynKem, ParseError, Policy};
use pqseal_keys::{
    BinaryFormat, KeyFormat, RawHalf, aead_by_name, kdf_by_name, kem_by_name, pbes2,
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    types::PyMemoryView,
};
use zeroize::Zeroizing;

use crate::error::Error;

/// The bytes of any object that has Python's buffer protocol, such as `memoryview`, and items of one
/// byte. Larger items are numbers in the machine's order, or addresses. All objects except `bytes`
/// are copied, since others may change while the interpreter's lock is released.
pub(crate) struct Buffer(PyBackedBytes);

impl<'py> FromPyObject<'_, 'py> for Buffer {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.extract() {
            return Ok(Self(bytes));
        }
        let view = PyMemoryView::from(&object)?;
        let format: String = view.getattr("format")?.extract()?;
        if !matches!(format.as_str(), "B" | "b" | "c") {
            return Err(PyTypeError::new_err(format!(
                "bytes are needed, and the items of this buffer have the format '{format}'"
            )));
        }
        Ok(Self(view.call_method0("tobytes")?.extract()?))
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Returns the bytes of an argument, which are empty if it was left out.
pub(crate) fn bytes(given: Option<&Buffer>) -> &[u8] {
    given.map_or(b"", |bytes| bytes)
}

/// A text, or bytes.
#[derive(FromPyObject)]
pub(crate) enum TextOrBytes {
    #[pyo3(annotation = "str")]
    Text(PyBackedStr),
    #[pyo3(annotation = "bytes")]
    Bytes(Buffer),
}

impl AsRef<[u8]> for TextOrBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// A key as a Python object: the text of a key file, or its bytes.
#[derive(FromPyObject)]
pub(crate) struct KeyInput(TextOrBytes);

impl KeyInput {
    /// Reads a private key, decrypted if a passphrase is given.
    pub(crate) fn read(
        &self,
        kem: Option<&'static DynKem>,
        passphrase: Option<&str>,
    ) -> Result<AnyPrivateKey, Error> {
        refuse_age(self.as_ref())?;
        Ok(match passphrase {
            None => pqseal_keys::read_private(self, kem)?,
            Some(passphrase) => pqseal_keys::read_private(&*decrypt(self, passphrase)?, kem)?,
        })
    }
}

impl AsRef<[u8]> for KeyInput {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

/// Refuses a key file or calendar that is encrypted as an age file.
pub(crate) fn refuse_age(file: &[u8]) -> Result<(), Error> {
    let file = file.trim_ascii_start();
    let is_age = [
        "age-encryption.org/v1",
        "-----BEGIN AGE ENCRYPTED FILE-----",
    ]
    .iter()
    .any(|mark| file.starts_with(mark.as_bytes()));
    match is_age {
        true => Err(Error::of_code(
            "bad_key",
            "it is an age file; decrypt it first with `pqseal file decrypt`",
        )),
        false => Ok(()),
    }
}

/// Returns a key file with its keys in PKCS#8 decrypted. Takes as long as the file asks, up to
/// seconds.
pub(crate) fn decrypt(
    file: impl AsRef<[u8]>,
    passphrase: &str,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let decrypted = pbes2::decrypt(file, || {
        Ok::<_, pbes2::Error>(Zeroizing::new(passphrase.to_owned()))
    });
    Ok(decrypted?)
}

/// Returns a private key as PEM under a passphrase, which is not empty.
pub(crate) fn encrypt(key: &AnyPrivateKey, passphrase: &str) -> Result<String, Error> {
    if passphrase.is_empty() {
        return Err(Error::argument("the passphrase is empty"));
    }
    let der = pqseal_keys::write_private_der(key)?;
    Ok(pbes2::encrypt(&der, passphrase)?)
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

/// Returns the KEM of that name, if one is given.
pub(crate) fn kem(name: Option<&str>) -> Result<Option<&'static DynKem>, Error> {
    name.map(|name| Ok(kem_by_name(name)?)).transpose()
}

/// Returns the id of the KDF of that name, if one is given.
pub(crate) fn kdf(name: Option<&str>) -> Result<Option<u16>, Error> {
    name.map(|name| Ok(kdf_by_name(name)?.info().id))
        .transpose()
}

/// Returns the id of the AEAD of that name, if one is given.
pub(crate) fn aead(name: Option<&str>) -> Result<Option<u16>, Error> {
    name.map(|name| Ok(aead_by_name(name)?.info().id))
        .transpose()
}

/// Returns the key format of that name, if one is given.
pub(crate) fn format(name: Option<&str>) -> Result<Option<KeyFormat>, Error> {
    name.map(|name| parse("format", name)).transpose()
}

/// Returns the format of that name whose keys are bytes, with its algorithm.
pub(crate) fn binary_format(name: &str, alg: Option<&str>) -> Result<BinaryFormat, Error> {
    let format: BinaryFormat = parse("format", name)?;
    let Some(alg) = alg else {
        return Ok(format);
    };
    format
        .with_alg(alg)
        .map_err(|error| Error::argument(format!("alg must be {}", error.expected())))
}

/// Returns the half of a key pair that base64 contains, if it is given.
pub(crate) fn raw(name: Option<&str>) -> Result<Option<RawHalf>, Error> {
    name.map(|name| parse("raw", name)).transpose()
}

/// Returns the policy of that name. The default of every `policy` argument is `draft`, since
/// the post-quantum KEMs are still drafts.
pub(crate) fn policy(name: &str) -> Result<Policy, Error> {
    parse("policy", name)
}

fn parse<T: FromStr<Err = ParseError>>(argument: &str, name: &str) -> Result<T, Error> {
    name.parse().map_err(|error: ParseError| {
        Error::argument(format!("{argument} must be {}", error.expected()))
    })
}
