//! HPKE (RFC 9180) for Python: the module `pqseal.hpke`. Here are its algorithms and keys. Private
//! keys stay in Rust.

mod context;
mod suite;

use std::hash::{DefaultHasher, Hash, Hasher};

use pqseal_hpke::{
    AnyAead, AnyPrivateKey, AnyPublicKey, Component, DynKdf, DynKem, aead_by_id, kdf_by_id,
};
use pqseal_keys::{
    Fingerprint, Key, KeyFormat, NameError, aead_by_name, kdf_by_name, kem_by_id, kem_by_name,
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    pybacked::PyBackedStr,
    types::{PyBytes, PyTuple},
};
use zeroize::Zeroizing;

pub(crate) use context::{RecipientContext, SenderContext};
pub(crate) use suite::Suite;

use crate::{
    argument::{self, Buffer, KeyInput, encrypt, public_text},
    error::Error,
};

/// An algorithm, by its name or its id.
#[derive(FromPyObject)]
pub(crate) enum Algorithm {
    #[pyo3(annotation = "str")]
    Name(PyBackedStr),
    #[pyo3(annotation = "int")]
    Id(u16),
}

impl Algorithm {
    fn kem(&self) -> Result<&'static DynKem, Error> {
        Ok(match self {
            Self::Id(id) => kem_by_id(*id).ok_or_else(|| NameError::of_id(Component::Kem, *id)),
            Self::Name(name) => kem_by_name(name),
        }?)
    }

    fn kdf(&self) -> Result<&'static DynKdf, Error> {
        Ok(match self {
            Self::Id(id) => kdf_by_id(*id).ok_or_else(|| NameError::of_id(Component::Kdf, *id)),
            Self::Name(name) => kdf_by_name(name),
        }?)
    }

    fn aead(&self) -> Result<&'static AnyAead, Error> {
        Ok(match self {
            Self::Id(id) => aead_by_id(*id).ok_or_else(|| NameError::of_id(Component::Aead, *id)),
            Self::Name(name) => aead_by_name(name),
        }?)
    }
}

/// A private key of one KEM. It stays in Rust and is overwritten when the last object that uses it
/// is dropped. It cannot be pickled; `serialize()` exports it.
#[pyclass(frozen, module = "pqseal.hpke")]
pub(crate) struct PrivateKey(AnyPrivateKey);

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
        let kem = argument::kem(kem)?;
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
            argument::format(Some(format))?.ok_or_else(|| Error::argument("format is missing"))?;
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
        let format = argument::binary_format(format, alg)?;
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
        Ok(hash(&key))
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
        let (kem, raw) = (argument::kem(kem)?, argument::raw(raw)?);
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
        let format: Option<KeyFormat> = argument::format(format)?;
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
        let format = argument::binary_format(format, alg)?;
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
fn hash(key: &AnyPublicKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    (key.kem().id, key.as_ref()).hash(&mut hasher);
    hasher.finish()
}
