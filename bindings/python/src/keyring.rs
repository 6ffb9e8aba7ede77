//! Rings of private keys for opening. The keys stay in Rust: the Python object neither shows nor
//! pickles them.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::RwLock,
};

use pqseal_hpke::{AnyPrivateKey, DynKem};
use pqseal_keys::LabelledKey;
use pqseal_matched_data::KeyRing as Ring;
use pyo3::{
    exceptions::{PyOSError, PyTypeError},
    prelude::*,
    types::PyTuple,
};
use zeroize::Zeroizing;

use crate::{
    choice,
    error::Error,
    key_text::{KeyInput, decrypt},
};

/// The maximum size of a key file, in bytes.
const LIMIT: usize = pqseal_keys::MAX_LEN;

/// Private keys for opening. A version 4 blob names its key. For versions 1 to 3 each x25519 key is
/// tried, in the order of addition.
///
/// `KeyRing(key, ...)` reads keys as text or bytes in any format; `KeyRing.from_files(path, ...)`
/// reads key files. With `min_version` the ring refuses blobs of lower versions. Only version 4 can
/// be bound to its record with an aad, so 4 prevents the substitution of an older blob. The keys
/// never become Python objects, and are overwritten when the ring is dropped. A ring cannot be
/// pickled: give other machines the path of a key file.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct KeyRing(RwLock<Ring>);

#[pymethods]
impl KeyRing {
    #[new]
    #[pyo3(signature = (*keys, min_version = 1))]
    fn new(keys: Vec<KeyInput>, min_version: u8) -> PyResult<Self> {
        let ring = Self::requiring(min_version)?;
        keys.iter()
            .try_for_each(|key| ring.push(&key.read(None, None)?, None))?;
        Ok(ring)
    }

    /// Creates a ring of the keys in these files: one or more in base64, matched-data-cli's JSON,
    /// PEM, JWK or pqseal lines, or one in DER. `#` starts a comment, which labels the key beside
    /// it, or else the key on the next line. With `passphrase` all are encrypted in PKCS#8.
    #[staticmethod]
    #[pyo3(signature = (*paths, min_version = 1, passphrase = None))]
    fn from_files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        min_version: u8,
        passphrase: Option<&str>,
    ) -> PyResult<Self> {
        let ring = Self::requiring(min_version)?;
        paths
            .into_iter()
            .try_for_each(|path| ring.add_file(py, path, None, passphrase))?;
        Ok(ring)
    }

    /// Adds a key at the end, given as the text or the bytes of a key file. `kem` is the KEM of a
    /// key in base64 (default x25519). With `passphrase` it is encrypted in PKCS#8, as
    /// `openssl pkcs8 -topk8` writes it.
    #[pyo3(signature = (key, *, kem = None, passphrase = None))]
    fn add(
        &self,
        py: Python<'_>,
        key: KeyInput,
        kem: Option<&str>,
        passphrase: Option<&str>,
    ) -> PyResult<()> {
        let kem = choice::kem(kem)?;
        let key = py.detach(|| key.read(kem, passphrase))?;
        Ok(self.push(&key, None)?)
    }

    /// Adds the keys in a file at the end, in the formats of `from_files`, or none if one of them
    /// is not valid. With `passphrase` they are encrypted in PKCS#8.
    #[pyo3(signature = (path, *, kem = None, passphrase = None))]
    fn add_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        kem: Option<&str>,
        passphrase: Option<&str>,
    ) -> PyResult<()> {
        let kem = choice::kem(kem)?;
        let keys = py
            .detach(|| read_keys(&path, kem, passphrase))
            .map_err(|error| unreadable(&path, &error))??;
        Ok(keys
            .iter()
            .try_for_each(|found| self.push(&found.key, found.label.as_deref()))?)
    }

    /// The ids of the keys, in the order of addition: eight bytes in hexadecimal, by which version
    /// 4 blobs name their key.
    #[getter]
    fn key_ids(&self) -> Vec<String> {
        self.with(|ring| ring.key_ids().map(|id| id.to_string()).collect())
    }

    /// The labels of the keys, from the comments in their files, in the order of addition, or None
    /// for a key without a label.
    #[getter]
    fn labels(&self) -> Vec<Option<String>> {
        self.with(|ring| {
            ring.names()
                .map(|name| name.label.as_deref().cloned())
                .collect()
        })
    }

    fn __len__(&self) -> usize {
        self.with(|ring| ring.key_ids().count())
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.KeyRing [{}]>", self.key_ids().join(", "))
    }

    fn __reduce__<'py>(&self) -> PyResult<Bound<'py, PyTuple>> {
        Err(PyTypeError::new_err(
            "a KeyRing is not pickled, so that its keys do not travel; pass the path of the key file, and read it where it is used",
        ))
    }
}

impl KeyRing {
    fn requiring(min_version: u8) -> Result<Self, Error> {
        if !(1..=4).contains(&min_version) {
            return Err(Error::argument("min_version must be 1, 2, 3 or 4"));
        }
        let mut ring = Ring::new();
        ring.require_version(min_version);
        Ok(Self(RwLock::new(ring)))
    }

    /// Runs `f` with the keys. The ring is consistent even after a panic in another thread, since a
    /// key is added in the last step.
    pub(crate) fn with<T>(&self, f: impl FnOnce(&Ring) -> T) -> T {
        f(&self
            .0
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Adds a key, after waiting for batches that are being opened. These do not need the
    /// interpreter's lock, so there is no deadlock.
    fn push(&self, key: &AnyPrivateKey, label: Option<&str>) -> Result<(), Error> {
        Ok(self
            .0
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .add_labelled(key, label)?)
    }
}

fn read_keys(
    path: &Path,
    kem: Option<&'static DynKem>,
    passphrase: Option<&str>,
) -> io::Result<Result<Vec<LabelledKey>, Error>> {
    // The buffer never grows, which would leave an unwiped copy. The parser refuses one more byte
    // than the limit.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LIMIT + 1));
    File::open(path)?
        .take(LIMIT as u64 + 1)
        .read_to_end(&mut bytes)?;
    let mut read = || {
        if let Some(passphrase) = passphrase {
            bytes = decrypt(&*bytes, passphrase)?;
        }
        Ok(pqseal_keys::read_private_keys(&bytes, kem)?)
    };
    Ok(read().map_err(|error: Error| error.of_file(path)))
}

/// Returns the exception for an unreadable file. From the error number Python chooses
/// FileNotFoundError and similar classes.
fn unreadable(path: &Path, error: &io::Error) -> PyErr {
    let text = error.to_string();
    let text = text
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned();
    PyOSError::new_err((
        error.raw_os_error(),
        format!("cannot read the key file: {text}"),
        path.to_path_buf(),
    ))
}
