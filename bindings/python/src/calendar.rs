//! Calendars: a key pair for each period. Time is an argument.

use std::{fs::File, io, path::PathBuf, sync::Arc};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::calendar::{self, KeyState};
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::{
    argument::{KeyInput, refuse_age},
    error::{Error, unreadable},
};

/// A calendar: an independent key pair for each hour, day or week.
///
/// `Calendar(text)` reads a public, private or lent calendar. A `KeyRing` takes a private or lent
/// one. `seal(calendar.at(time), ...)` seals to a period of a public one. Its private keys never
/// become Python objects, and are overwritten when it is dropped.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct Calendar(pub(crate) Arc<calendar::Calendar>);

/// A period of a calendar. `seal` and `seal_batch` take one of a public calendar as the public key.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct Period {
    calendar: Arc<calendar::Calendar>,
    index: usize,
}

/// A time: seconds since 1970, or a `datetime` with a time zone.
#[derive(FromPyObject)]
pub(crate) enum Time<'py> {
    #[pyo3(annotation = "float")]
    Seconds(f64),
    #[pyo3(annotation = "datetime")]
    Date(Bound<'py, PyAny>),
}

#[pymethods]
impl Calendar {
    #[new]
    fn new(text: KeyInput) -> Result<Self, Error> {
        read(text.as_ref()).map(Self)
    }

    /// Reads the calendar in a file.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let bytes = py.detach(|| File::open(&path).and_then(whole));
        let bytes = bytes.map_err(|error| unreadable(&path, &error))?;
        Ok(Self(parse(bytes).map_err(|error| error.of_file(&path))?))
    }

    /// Returns the period that contains this time: seconds since 1970, or a `datetime` with a time
    /// zone. Raises `no_period` outside the calendar.
    fn at(&self, time: Time<'_>) -> PyResult<Period> {
        let at = time.seconds()?.and_then(|seconds| self.0.at(seconds));
        let index = at.ok_or_else(|| Error::from(calendar::Error::NoPeriod))?;
        Ok(self.period_at(index))
    }

    /// Returns all periods, also those without a key, in order.
    fn periods(&self) -> Vec<Period> {
        (0..self.0.count())
            .map(|index| self.period_at(index))
            .collect()
    }

    /// The id, 16 bytes in hexadecimal, which all files of a calendar have.
    #[getter]
    fn id(&self) -> String {
        self.0.id().to_string()
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The KEM of all keys.
    #[getter]
    fn kem(&self) -> &'static str {
        self.0.kem_info().short_name
    }

    /// The length of a period: hour, day or week.
    #[getter]
    fn period_length(&self) -> String {
        self.0.period_length().to_string()
    }

    /// Set for a private calendar, also a lent one or one without a key.
    #[getter]
    fn is_private(&self) -> bool {
        self.0.is_private()
    }

    /// SHA-256 over the periods and the fingerprints of their keys, in hexadecimal.
    #[getter]
    fn fingerprint(&self) -> String {
        self.0.fingerprint().to_string()
    }

    fn __len__(&self) -> usize {
        self.0.count()
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.Calendar {}>", self.0.name())
    }
}

impl Calendar {
    fn period_at(&self, index: usize) -> Period {
        Period {
            calendar: Arc::clone(&self.0),
            index,
        }
    }
}

#[pymethods]
impl Period {
    /// The name, which is its start in UTC, such as 2026-12-01.
    #[getter]
    fn name(&self) -> String {
        self.calendar.period_name(self.index)
    }

    /// The start, in seconds since 1970.
    #[getter]
    fn start(&self) -> u64 {
        self.calendar.start_of(self.index)
    }

    /// The end, in seconds since 1970.
    #[getter]
    fn end(&self) -> u64 {
        self.calendar.start_of(self.index + 1)
    }

    /// The state of its key in this calendar: key, shredded, not-lent or left-out.
    #[getter]
    fn state(&self) -> &'static str {
        let state = self.calendar.state(self.index);
        state.map_or("left-out", KeyState::name)
    }

    /// The id of its key, by which version 4 blobs name it.
    #[getter]
    fn key_id(&self) -> String {
        let fingerprint = self.calendar.key_fingerprint(self.index);
        let fingerprint = fingerprint.expect("the period is of this calendar");
        fingerprint.key_id().to_string()
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.Period {}>", self.name())
    }
}

impl Period {
    pub(crate) fn key(&self) -> Result<AnyPublicKey, Error> {
        Ok(self.calendar.public_key(self.index)?)
    }
}

impl Time<'_> {
    /// Returns the whole seconds since 1970; `None` before it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number above u64::MAX becomes that, which is outside of every calendar too"
    )]
    fn seconds(&self) -> PyResult<Option<u64>> {
        let seconds = match self {
            Self::Seconds(seconds) => *seconds,
            Self::Date(date) => {
                if date.getattr("tzinfo").is_ok_and(|zone| zone.is_none()) {
                    return Err(Error::argument("the time must have a time zone").into());
                }
                let seconds = date.call_method0("timestamp").and_then(|at| at.extract());
                seconds.map_err(|_| Error::argument("the time must be seconds or a datetime"))?
            }
        };
        Ok((seconds >= 0.0).then_some(seconds as u64))
    }
}

/// Parses the text of a calendar.
pub(crate) fn read(text: &[u8]) -> Result<Arc<calendar::Calendar>, Error> {
    parse(Zeroizing::new(text.to_vec()))
}

fn parse(text: Zeroizing<Vec<u8>>) -> Result<Arc<calendar::Calendar>, Error> {
    refuse_age(&text)?;
    Ok(calendar::Calendar::parse(text)?.into())
}

/// Reads a file that may be a calendar. The buffer never grows, which would leave an unwiped copy.
/// One more byte than the limit is read, which parsers refuse.
pub(crate) fn whole(file: File) -> io::Result<Zeroizing<Vec<u8>>> {
    use std::io::Read;

    let mut file = file;
    let mut bytes = Zeroizing::new(Vec::with_capacity(pqseal_keys::MAX_LEN + 1));
    let first = pqseal_keys::MAX_LEN as u64 + 1;
    file.by_ref().take(first).read_to_end(&mut bytes)?;
    if bytes.len() <= pqseal_keys::MAX_LEN || !calendar::is(&bytes) {
        return Ok(bytes);
    }
    let mut all = Zeroizing::new(Vec::with_capacity(calendar::MAX_LEN + 1));
    all.extend_from_slice(&bytes);
    let rest = calendar::MAX_LEN + 1 - all.len();
    file.take(rest as u64).read_to_end(&mut all)?;
    Ok(all)
}
