//! Private keys, which stay in Rust.

use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::KeyFormat;
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBytes, PyTuple},
};
use zeroize::Zeroizing;

use super::{Algorithm, PublicKey, public_key};
use crate::{
    buffer::Buffer,
    choice,
    error::Error,
    key_text::{KeyInput, encrypt},
};

/// A private key of one KEM. It stays in Rust and is overwritten when the last object that uses it
/// is dropped. It cannot be pickled; `serialize()` exports it.
#[pyclass(frozen, module = "pqseal.hpke")]
pub(crate) struct PrivateKey(pub(super) AnyPrivateKey);

#[pymethods]
impl PrivateKey {
    /// Reads a key in any format that `pqseal` supports: base64 (for X25519, unless `kem` is
    /// given), PEM, DER, JWK, COSE_Key, a key-pair file, or a pqseal line. With `passphrase` it is
    /// encrypted in PKCS#8, as `openssl pkcs8 -topk8` writes it.
    #[staticmethod]
    #[pyo3(signature = (key, *, kem = None, passphrase = None))]
    fn parse(
        py: Python<'_>,
        key: KeyInput,
        kem: Option<&str>,
        passphrase: Option<&str>,
    ) -> PyResult<Self> {
        let kem = choice::kem(kem)?;
        Ok(Self(py.detach(|| key.read(kem, passphrase))?))
    }

    /// DeserializePrivateKey (RFC 9180, section 4): reads Nsk bytes. For ML-KEM and the hybrids
    /// they are the seed.
    #[staticmethod]
    fn deserialize(kem: Algorithm, serialized: Buffer) -> PyResult<Self> {
        let key = kem.kem()?.deserialize_private_key(&serialized);
        Ok(Self(key.map_err(Error::from)?))
    }

    /// SerializePrivateKey: returns Nsk bytes, which Python cannot overwrite.
    fn serialize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.0.to_bytes().map_err(Error::from)?;
        Ok(PyBytes::new(py, bytes.as_ref()))
    }

    /// Returns the key as the text of a key file: `raw`, `json`, `pem`, `jwk` or `line`. With
    /// `passphrase` PEM is encrypted in PKCS#8.
    #[pyo3(signature = (format, *, passphrase = None))]
    fn export(&self, py: Python<'_>, format: &str, passphrase: Option<&str>) -> PyResult<String> {
        let format: KeyFormat =
            choice::format(Some(format))?.ok_or_else(|| Error::argument("format is missing"))?;
        if let Some(passphrase) = passphrase {
            if format != KeyFormat::Pem {
                return Err(Error::argument("only format=\"pem\" has a passphrase").into());
            }
            return Ok(py.detach(|| encrypt(&self.0, passphrase))?);
        }
        let text: Zeroizing<String> =
            pqseal_keys::write_private(&self.0, format).map_err(Error::from)?;
        Ok(text.to_string())
    }

    /// Returns the key as bytes: `der`, or `cose-key`, for which keys of ML-KEM and of hybrids need
    /// the name of an algorithm, such as HPKE-9-KE.
    #[pyo3(signature = (format, *, alg = None))]
    fn export_binary<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        alg: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let format = choice::binary_format(format, alg)?;
        let key = pqseal_keys::write_private_binary(&self.0, format).map_err(Error::from)?;
        Ok(PyBytes::new(py, &key))
    }

    /// The serialized public key, Npk bytes.
    #[getter]
    fn public_key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let key = self.0.public_key().map_err(Error::from)?;
        Ok(PyBytes::new(py, key.as_ref()))
    }

    /// Returns the public key.
    fn to_public(&self) -> PyResult<PublicKey> {
        let key = self.0.public_key().map_err(Error::from)?;
        Ok(PublicKey(key))
    }

    /// Two private keys are equal if their public keys are.
    fn __eq__(&self, other: &Self) -> bool {
        matches!((self.0.public_key(), other.0.public_key()), (Ok(one), Ok(two)) if one == two)
    }

    fn __hash__(&self) -> PyResult<u64> {
        let key = self.0.public_key().map_err(Error::from)?;
        Ok(public_key::hash(&key))
    }

    /// The name of the KEM.
    #[getter]
    fn kem(&self) -> &'static str {
        self.0.kem().short_name
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.hpke.PrivateKey of {}>", self.0.kem().short_name)
    }

    /// Refuses pickling, since a pickle would contain the key.
    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyTuple>> {
        Err(PyTypeError::new_err(
            "a PrivateKey is not pickled, since the pickle would hold the key; call serialize() to do that on purpose",
        ))
    }
}
