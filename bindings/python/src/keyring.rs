//! Rings of private keys for opening. The keys stay in Rust: the Python object neither shows nor
//! pickles them.

use std::{
    fs::File,
    io,
    path::PathBuf,
    sync::{Arc, OnceLock, PoisonError, RwLock, RwLockWriteGuard},
};

use pqseal_hpke::DynKem;
use pqseal_keys::{KeyText, LabelledKey, LineError, calendar};
use pqseal_matched_data::{KeyName, KeyRing as Ring};
use pqseal_sealed::{Keys, Kind, OtherKey};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyTuple};
use zeroize::Zeroizing;

use crate::{
    argument::{self, KeyInput, decrypt, refuse_age},
    calendar::{Calendar, read, whole},
    error::{Error, unreadable},
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
    held: RwLock<Held>,
    min_version: u8,
}

/// The keys of a ring.
#[derive(Default)]
struct Held {
    ring: Ring,
    /// The keys for one kind of other values. They have the indices after the ring's.
    others: Vec<OtherKey>,
    /// All keys, ready for other values, once they were needed.
    prepared: OnceLock<Arc<Keys>>,
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

    /// Adds a key at the end, given as the text or the bytes of a key file, or the keys of a
    /// private or lent calendar. `kem` is the KEM of a key in base64 (default x25519). With
    /// `passphrase` it is encrypted in PKCS#8, as `openssl pkcs8 -topk8` writes it.
    #[pyo3(signature = (key, *, kem = None, passphrase = None))]
    fn add(
        &self,
        py: Python<'_>,
        key: RingInput,
        kem: Option<&str>,
        passphrase: Option<&str>,
    ) -> PyResult<()> {
        let kem = argument::kem(kem)?;
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
        let kem = argument::kem(kem)?;
        let found = py.detach(|| {
            let bytes = File::open(&path).and_then(whole)?;
            Ok(read_keys(bytes, kem, passphrase).map_err(|error| error.of_file(&path)))
        });
        let found = found.map_err(|error: io::Error| unreadable(&path, &error))??;
        let mut held = self.write();
        match found {
            Found::Calendar(calendar) => {
                held.ring.add_calendar(calendar).map_err(Error::from)?;
            }
            Found::Keys(keys, others) => {
                check(&others).map_err(|error| error.of_file(&path))?;
                let mut keys = keys.iter();
                keys.try_for_each(|key| held.ring.add_labelled(&key.key, key.label.as_deref()))
                    .map_err(Error::from)?;
                held.others.extend(others);
            }
        }
        Ok(())
    }

    /// The ids of the keys, in the order of addition, and last those of RSA keys and age
    /// identities: eight bytes in hexadecimal, by which version 4 blobs name their key.
    #[getter]
    fn key_ids(&self) -> Vec<String> {
        self.with_held(|held| held.names().map(|name| name.id.to_string()).collect())
    }

    /// The labels of the keys, from the comments in their files, in the order of `key_ids`, or None
    /// for a key without a label.
    #[getter]
    fn labels(&self) -> Vec<Option<String>> {
        self.with_held(|held| {
            let labels = held.names().map(|name| name.label.as_deref().cloned());
            labels.collect()
        })
    }

    fn __len__(&self) -> usize {
        self.with_held(|held| held.names().count())
    }

    fn __repr__(&self) -> String {
        let names = self.with_held(|Held { ring, others, .. }| {
            let all: Vec<_> = ring.names().collect();
            let others = others.iter().map(|key| key.name().id.to_string());
            let keys = ring
                .private_keys()
                .map(|(place, _)| all[place].id.to_string());
            let calendars = ring.calendars();
            let calendars = calendars.map(|(calendar, _)| calendar.name().to_owned());
            keys.chain(calendars).chain(others).collect::<Vec<_>>()
        });
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
            held: RwLock::new(Held {
                ring,
                ..Held::default()
            }),
            min_version,
        })
    }

    /// Runs `f` with the keys of the ring, and with those for values of any kind, or only of this
    /// one.
    pub(crate) fn with_others<T>(
        &self,
        kind: Option<Kind>,
        f: impl FnOnce(&Ring, Arc<Keys>, Option<Kind>) -> T,
    ) -> Result<T, Error> {
        let kind = Kind::required(kind, self.min_version).map_err(|kind| {
            Error::argument(format!(
                "min_version is for matched data, and values of the kind {kind} are bound to no record"
            ))
        })?;
        self.with_held(|held| Ok(f(&held.ring, held.prepared()?, kind)))
    }

    /// Runs `f` with the keys of the ring.
    pub(crate) fn with<T>(&self, f: impl FnOnce(&Ring) -> T) -> T {
        self.with_held(|held| f(&held.ring))
    }

    /// Runs `f` with all keys. They are consistent even after a panic in another thread, since a
    /// key is added in the last step.
    fn with_held<T>(&self, f: impl FnOnce(&Held) -> T) -> T {
        f(&self.held.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for batches that are being opened. These do not need the interpreter's lock, so there
    /// is no deadlock.
    fn write(&self) -> RwLockWriteGuard<'_, Held> {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        held.prepared.take();
        held
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
                refuse_age(text.as_ref())?;
                let decrypted = passphrase.map(|passphrase| decrypt(text, passphrase));
                let decrypted = decrypted.transpose()?;
                let bytes = decrypted.as_ref().map_or(text.as_ref(), |bytes| bytes);
                match other_in(bytes)? {
                    Some(other) => self.write().others.push(other),
                    None => {
                        let key = pqseal_keys::read_private(bytes, kem)?;
                        self.write().ring.add(&key)?;
                    }
                }
                return Ok(());
            }
        };
        if kem.is_some() || passphrase.is_some() {
            return Err(Error::argument("a calendar has neither kem nor passphrase"));
        }
        self.write().ring.add_calendar(calendar)?;
        Ok(())
    }
}

impl Held {
    /// Lists the names of all keys.
    fn names(&self) -> impl Iterator<Item = &KeyName> {
        self.ring
            .names()
            .chain(self.others.iter().map(OtherKey::name))
    }

    /// Returns the keys for other values.
    fn prepared(&self) -> Result<Arc<Keys>, Error> {
        if let Some(keys) = self.prepared.get() {
            return Ok(Arc::clone(keys));
        }
        let mut keys = Keys::new(&self.ring).map_err(pqseal_matched_data::Error::Hpke)?;
        self.others.iter().try_for_each(|key| keys.add(key))?;
        Ok(Arc::clone(self.prepared.get_or_init(|| Arc::new(keys))))
    }
}

/// What a file holds.
enum Found {
    Keys(Vec<LabelledKey>, Vec<OtherKey>),
    Calendar(Arc<calendar::Calendar>),
}

/// Reads the key in a text if it is for one kind of other values.
fn other_in(bytes: &[u8]) -> Result<Option<OtherKey>, Error> {
    let entries: Vec<_> = (KeyText::new(bytes)
        .iter()
        .flat_map(KeyText::entries)
        .take(2))
    .collect();
    let [entry] = &entries[..] else {
        return Ok(None);
    };
    let other = OtherKey::detect(entry)?;
    check(other.as_slice())?;
    Ok(other)
}

/// Checks that these keys can be used.
fn check(others: &[OtherKey]) -> Result<(), Error> {
    let mut keys = Keys::default();
    others.iter().try_for_each(|key| keys.add(key))?;
    Ok(())
}

/// Returns the keys, or the calendar, of a key file, decrypted if a passphrase is given.
fn read_keys(
    bytes: Zeroizing<Vec<u8>>,
    kem: Option<&'static DynKem>,
    passphrase: Option<&str>,
) -> Result<Found, Error> {
    refuse_age(&bytes)?;
    let bytes = match passphrase {
        Some(passphrase) => decrypt(&*bytes, passphrase)?,
        None => bytes,
    };
    if calendar::is(&bytes) {
        return Ok(Found::Calendar(calendar::Calendar::parse(bytes)?.into()));
    }
    let text = KeyText::new(&bytes).map_err(LineError::from)?;
    let (keys, others) = OtherKey::read_all(&text, kem, |_| ())?;
    Ok(Found::Keys(keys, others))
}
