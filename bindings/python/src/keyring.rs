//! Rings of private keys for opening. The keys stay in Rust: the Python object neither shows nor
//! pickles them.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use pqseal_hpke::DynKem;
use pqseal_keys::{KeyText, LabelledKey, LineError, calendar};
use pqseal_matched_data::{KeyName, KeyRing as Ring};
use pqseal_sealed::{Keys, Kind, OtherKey};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyTuple};

use crate::{
    calendar::{Calendar, read, whole},
    choice,
    error::{Error, unreadable},
    key_text::{KeyInput, decrypt, refuse_age},
};

/// Private keys for opening. A version 4 blob names its key. For versions 1 to 3 each x25519 key is
/// tried, in the order of addition.
///
/// `KeyRing(key, ...)` reads keys as text or bytes in any format; `KeyRing.from_files(path, ...)`
/// reads key files. With `min_version` the ring refuses blobs of lower versions. Only version 4 can
/// be bound to its record with an aad, so 4 prevents the substitution of an older blob. The keys
/// never become Python objects, and are overwritten when the ring is dropped. A ring cannot be
/// pickled: give other machines the path of a key file. A private or lent calendar, as text or as a
/// `Calendar`, is taken like a key; its keys are not tried on versions 1 to 3. RSA keys and age
/// identities are for values of other kinds in `open_records`.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct KeyRing {
    ring: RwLock<Ring>,
    /// The keys for values that are not matched data. They have the indices after the ring's.
    others: RwLock<Vec<OtherKey>>,
    min_version: u8,
}

/// A key of a ring as a Python object: a calendar, or a key file's text or bytes.
#[derive(FromPyObject)]
enum RingInput {
    #[pyo3(annotation = "Calendar")]
    Calendar(Py<Calendar>),
    #[pyo3(annotation = "str | bytes")]
    File(KeyInput),
}

#[pymethods]
impl KeyRing {
    #[new]
    #[pyo3(signature = (*keys, min_version = 1))]
    fn new(keys: Vec<RingInput>, min_version: u8) -> PyResult<Self> {
        let ring = Self::requiring(min_version)?;
        keys.iter().try_for_each(|key| ring.push(key, None, None))?;
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

    /// Adds a key at the end, given as the text or the bytes of a key file, or the keys of a private
    /// or lent calendar. `kem` is the KEM of a key in base64 (default x25519). With `passphrase` it
    /// is encrypted in PKCS#8, as `openssl pkcs8 -topk8` writes it.
    #[pyo3(signature = (key, *, kem = None, passphrase = None))]
    fn add(
        &self,
        py: Python<'_>,
        key: RingInput,
        kem: Option<&str>,
        passphrase: Option<&str>,
    ) -> PyResult<()> {
        let kem = choice::kem(kem)?;
        Ok(py.detach(|| self.push(&key, kem, passphrase))?)
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
        let found = py
            .detach(|| read_keys(&path, kem, passphrase))
            .map_err(|error| unreadable(&path, &error))??;
        let mut ring = self.write();
        match found {
            Found::Calendar(calendar) => drop(ring.add_calendar(calendar).map_err(Error::from)?),
            Found::Keys(keys, others) => {
                check(&others).map_err(|error| error.of_file(&path))?;
                keys.iter()
                    .try_for_each(|found| ring.add_labelled(&found.key, found.label.as_deref()))
                    .map_err(Error::from)?;
                self.add_others(others);
            }
        }
        Ok(())
    }

    /// The ids of the keys, in the order of addition: eight bytes in hexadecimal, by which version
    /// 4 blobs name their key.
    #[getter]
    fn key_ids(&self) -> Vec<String> {
        self.names(|name| name.id.to_string())
    }

    /// The labels of the keys, from the comments in their files, in the order of addition, or None
    /// for a key without a label.
    #[getter]
    fn labels(&self) -> Vec<Option<String>> {
        self.names(|name| name.label.as_deref().cloned())
    }

    fn __len__(&self) -> usize {
        self.names(drop).len()
    }

    fn __repr__(&self) -> String {
        let names = self.with(|ring| {
            let all: Vec<_> = ring.names().collect();
            let keys = ring
                .private_keys()
                .map(|(place, _)| all[place].id.to_string());
            let calendars = ring.calendars();
            let calendars = calendars.map(|(calendar, _)| calendar.name().to_owned());
            keys.chain(calendars).collect::<Vec<_>>()
        });
        let others = self.others();
        let others = others.iter().map(|key| key.name().id.to_string());
        let names: Vec<_> = names.into_iter().chain(others).collect();
        format!("<pqseal.KeyRing [{}]>", names.join(", "))
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
        Ok(Self {
            ring: RwLock::new(ring),
            others: RwLock::default(),
            min_version,
        })
    }

    /// Runs `f` with the keys of the ring, and with those for values of any kind, or only of this
    /// one.
    pub(crate) fn with_others<T>(
        &self,
        kind: Option<Kind>,
        f: impl FnOnce(&Ring, Keys, Option<Kind>) -> T,
    ) -> Result<T, Error> {
        let kind = Kind::required(kind, self.min_version).map_err(|kind| {
            Error::argument(format!(
                "min_version is for matched data, and values of the kind {kind} are bound to no record"
            ))
        })?;
        self.with(|ring| {
            let mut keys = Keys::new(ring).map_err(pqseal_matched_data::Error::Hpke)?;
            self.others().iter().try_for_each(|key| keys.add(key))?;
            Ok(f(ring, keys, kind))
        })
    }

    /// Returns one value per key: those of the ring, and then the others.
    fn names<T>(&self, value: impl Fn(&KeyName) -> T) -> Vec<T> {
        let others = self.others();
        self.with(|ring| {
            let others = others.iter().map(OtherKey::name);
            ring.names().chain(others).map(value).collect()
        })
    }

    fn others(&self) -> RwLockReadGuard<'_, Vec<OtherKey>> {
        self.others.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_others(&self, keys: Vec<OtherKey>) {
        let others = self.others.write();
        others.unwrap_or_else(PoisonError::into_inner).extend(keys);
    }

    /// Runs `f` with the keys. The ring is consistent even after a panic in another thread, since a
    /// key is added in the last step.
    pub(crate) fn with<T>(&self, f: impl FnOnce(&Ring) -> T) -> T {
        f(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for batches that are being opened. These do not need the interpreter's lock, so there
    /// is no deadlock.
    fn write(&self) -> RwLockWriteGuard<'_, Ring> {
        self.ring.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(
        &self,
        input: &RingInput,
        kem: Option<&'static DynKem>,
        passphrase: Option<&str>,
    ) -> Result<(), Error> {
        let calendar = match input {
            RingInput::Calendar(calendar) => Arc::clone(&calendar.get().0),
            RingInput::File(text) if calendar::is(text.as_ref()) => read(text.as_ref())?,
            RingInput::File(text) => {
                match text.read(kem, passphrase) {
                    Ok(key) => self.write().add(&key)?,
                    Err(error) => self.add_others(others_in(text, passphrase).ok_or(error)?),
                }
                return Ok(());
            }
        };
        if kem.is_some() || passphrase.is_some() {
            return Err(Error::argument("a calendar has neither kem nor passphrase"));
        }
        self.write().add_calendar(calendar)?;
        Ok(())
    }
}

/// What a file holds.
enum Found {
    Keys(Vec<LabelledKey>, Vec<OtherKey>),
    Calendar(Arc<calendar::Calendar>),
}

/// Reads keys that are only for other kinds than matched data; `None` if the text has others, too.
fn others_in(text: &KeyInput, passphrase: Option<&str>) -> Option<Vec<OtherKey>> {
    let decrypted = passphrase.map(|passphrase| decrypt(text, passphrase));
    let decrypted = decrypted.transpose().ok()?;
    let bytes = decrypted.as_ref().map_or(text.as_ref(), |bytes| bytes);
    let (keys, others) = OtherKey::read_all(&KeyText::new(bytes).ok()?, None, |_| ()).ok()?;
    (keys.is_empty() && check(&others).is_ok()).then_some(others)
}

/// Checks that these keys can be used.
fn check(others: &[OtherKey]) -> Result<(), Error> {
    let mut keys = Keys::default();
    others.iter().try_for_each(|key| keys.add(key))?;
    Ok(())
}

fn read_keys(
    path: &Path,
    kem: Option<&'static DynKem>,
    passphrase: Option<&str>,
) -> io::Result<Result<Found, Error>> {
    let bytes = whole(File::open(path)?)?;
    let read = || {
        refuse_age(&bytes)?;
        let bytes = match passphrase {
            Some(passphrase) => decrypt(&*bytes, passphrase)?,
            None => bytes,
        };
        Ok(match calendar::is(&bytes) {
            true => Found::Calendar(calendar::Calendar::parse(bytes)?.into()),
            false => {
                let text = KeyText::new(&bytes).map_err(LineError::from)?;
                let (keys, others) = OtherKey::read_all(&text, kem, |_| ())?;
                Found::Keys(keys, others)
            }
        })
    };
    Ok(read().map_err(|error: Error| error.of_file(path)))
}
