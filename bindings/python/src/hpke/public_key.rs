//! Public keys.

use std::hash::{DefaultHasher, Hash, Hasher};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{Fingerprint, Key, KeyFormat};
use pyo3::{prelude::*, types::PyBytes};

use super::Algorithm;
use crate::{
    buffer::Buffer,
    choice,
    error::Error,
    key_text::{KeyInput, public_text},
};

/// A public key, which knows its KEM. `bytes(key)` are its Npk bytes (SerializePublicKey).
#[pyclass(frozen, module = "pqseal.hpke")]
pub(crate) struct PublicKey(pub(crate) AnyPublicKey);

/// A public key of a suite's KEM, as an object or as its bytes.
#[derive(FromPyObject)]
pub(crate) enum PublicInput {
    #[pyo3(annotation = "PublicKey")]
    Key(Py<PublicKey>),
    #[pyo3(annotation = "bytes")]
    Bytes(Buffer),
}

#[pymethods]
impl PublicKey {
    /// Reads a public key, or the public half of a private one, in any format that `pqseal`
    /// supports. `kem` is the KEM of a key in base64 (default x25519). `raw`, which base64
    /// requires, is the half of the key pair that it contains: "private" or "public".
    #[staticmethod]
    #[pyo3(signature = (key, *, kem = None, raw = None))]
    fn parse(key: KeyInput, kem: Option<&str>, raw: Option<&str>) -> PyResult<Self> {
        let (kem, raw) = (choice::kem(kem)?, choice::raw(raw)?);
        let key = pqseal_keys::read_key(&key, kem, raw).and_then(Key::into_public);
        Ok(Self(key.map_err(Error::from)?))
    }

    /// DeserializePublicKey (RFC 9180, section 4): reads Npk bytes.
    #[staticmethod]
    fn deserialize(kem: Algorithm, serialized: Buffer) -> PyResult<Self> {
        let key = kem.kem()?.deserialize_public_key(&serialized);
        Ok(Self(key.map_err(Error::from)?))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_ref())
    }

    /// Returns the key as text: `raw`, `pem`, `jwk` or `line`. The default is base64 for x25519, as
    /// dashboards use it, and a pqseal line for other KEMs.
    #[pyo3(signature = (format = None))]
    fn export(&self, format: Option<&str>) -> PyResult<String> {
        let format: Option<KeyFormat> = choice::format(format)?;
        Ok(public_text(&self.0, format)?)
    }

    /// Returns the key as bytes, like `PrivateKey.export_binary`.
    #[pyo3(signature = (format, *, alg = None))]
    fn export_binary<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        alg: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let format = choice::binary_format(format, alg)?;
        let key = pqseal_keys::write_public_binary(&self.0, format).map_err(Error::from)?;
        Ok(PyBytes::new(py, &key))
    }

    /// The name of the KEM.
    #[getter]
    fn kem(&self) -> &'static str {
        self.0.kem().short_name
    }

    /// SHA-256 over KEM and public key in hexadecimal, to compare keys. It begins with `key_id`.
    #[getter]
    fn fingerprint(&self) -> String {
        Fingerprint::of(&self.0).to_string()
    }

    /// Eight bytes in hexadecimal, by which a version 4 blob names the key that it was sealed to.
    #[getter]
    fn key_id(&self) -> String {
        Fingerprint::of(&self.0).key_id().to_string()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        hash(&self.0)
    }

    fn __repr__(&self) -> String {
        let name = self.0.kem().short_name;
        format!("<pqseal.hpke.PublicKey of {name}, {}>", self.key_id())
    }
}

/// Hashes a key for Python's sets and dictionaries.
pub(super) fn hash(key: &AnyPublicKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key.kem().id, key.as_ref()).hash(&mut hasher);
    hasher.finish()
}
