//! Operations on whole Arrow columns: one result per record, in order, on all cores.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, LargeStringArray, OffsetSizeTrait, StringArray, StructArray,
    builder::{GenericBinaryBuilder, GenericStringBuilder},
};
use arrow_schema::{DataType, Field, Fields};
use getrandom::SysRng;
use pqseal_hpke::Message;
use pqseal_keys::base64;
use pqseal_pipeline::{Failure, FieldValue, Opener, Outcome, Sealer};
use pqseal_records::Problem;
use pyo3::{prelude::*, types::PyCapsule};
use rayon::prelude::*;

use crate::{
    argument::{self, Buffer, bytes},
    blob::{self, seal_options},
    column::{Capsules, Column, Input, export_array, export_schema},
    error::Error,
    keyring::KeyRing,
    keys::RecipientInput,
    process::{CHUNK, MANY, on_all_cores},
};

/// Opens a column of blobs. Returns one result per record, in order. A record that fails does not
/// affect the others.
///
/// `blobs` is an Arrow column of string (base64) or binary (base64, or a blob's bytes), or a list of
/// str, bytes and None. `aad` is the associated data: bytes for all records, or a column or list with one value per record, in which null
/// gives the status `no_aad`. The result has two columns. `plaintext` is binary, or string with
/// `text=True`, and null where nothing was opened. `status` is one of `opened`, `lossy` (opened,
/// but with `text=True` bytes that are not UTF-8 were replaced by U+FFFD), `absent` (null),
/// `truncated` (the edge logged that word instead of a value that was too large), or an error code
/// such as `no_key_matched`.
///
/// Runs on all cores without the interpreter's lock.
#[pyfunction]
#[pyo3(signature = (keyring, blobs, *, aad = None, info = None, policy = "draft", text = false))]
pub(crate) fn open_batch(
    py: Python<'_>,
    keyring: &KeyRing,
    blobs: &Bound<'_, PyAny>,
    aad: Option<&Bound<'_, PyAny>>,
    info: Option<Buffer>,
    policy: &str,
    text: bool,
) -> PyResult<Opened> {
    let (blobs, aad, policy) = (
        Input::take(blobs, "blobs")?,
        Aad::take(aad)?,
        argument::policy(policy)?,
    );
    let info = bytes(info.as_ref()).to_vec();
    Ok(py.detach(|| {
        let rows = blobs.rows();
        let aads = aad.rows(rows.len())?;
        let all = aad.of_all();
        let unbound: Vec<_> = unbound(&rows, &aads).collect();
        let pairs = rows.into_iter().zip(aads);
        let records: Vec<_> = pairs
            .map(|(text, aad)| FieldValue {
                text,
                aad: aad.unwrap_or(all),
                ..FieldValue::default()
            })
            .collect();
        let mut outcomes = on_all_cores(|| {
            keyring.with(|ring| Opener::bound(ring, info, policy).open_batch(&records))
        })?;
        for row in unbound.iter().filter(|_| aad.is_column()) {
            outcomes[*row] = Outcome::Failed(Failure::from(Problem::NoAad));
        }
        Ok::<_, Error>(Opened::new(outcomes, blobs.large, text))
    })?)
}

/// Seals a column of string or binary, or a list of str, bytes and None. Returns a column of base64, in which null stays null. The
/// other arguments are those of `seal`, except that `aad` may also be a column with one value per
/// record, without nulls.
#[pyfunction]
#[pyo3(signature = (public_key, plaintexts, *, info = None, aad = None, kdf = None, aead = None, version = None, policy = "draft"))]
#[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn seal_batch(
    py: Python<'_>,
    public_key: RecipientInput,
    plaintexts: &Bound<'_, PyAny>,
    info: Option<Buffer>,
    aad: Option<&Bound<'_, PyAny>>,
    kdf: Option<&str>,
    aead: Option<&str>,
    version: Option<u8>,
    policy: &str,
) -> PyResult<Column> {
    let (plaintexts, aad) = (Input::take(plaintexts, "plaintexts")?, Aad::take(aad)?);
    let bound = !matches!(&aad, Aad::All(bytes) if bytes.is_empty());
    let info = bytes(info.as_ref());
    let options = seal_options(info, [kdf, aead], version, policy, bound)?;
    Ok(py.detach(|| {
        let rows = plaintexts.rows();
        let sealer = blob::sealer(&public_key, &options)?;
        let sealer = if rows.len() < MANY {
            sealer
        } else {
            sealer.precompute()
        };
        let aads = aad.rows(rows.len())?;
        if let Some(row) = unbound(&rows, &aads).next().filter(|_| aad.is_column()) {
            let message = format!(
                "aad has no value in record {row}; give one, or b\"\" to bind it to nothing"
            );
            return Err(Error::argument(message));
        }
        let aads = aads.iter().map(|of_row| of_row.unwrap_or(aad.of_all()));
        let rows: Vec<_> = rows.iter().copied().zip(aads).collect();
        let sealed = seal_rows(&sealer, &rows)?;
        // Blobs are longer than plaintexts, so 32-bit offsets may be too small for them, even if
        // they were large enough for the plaintexts.
        let total: usize = sealed.iter().flatten().map(String::len).sum();
        let column: ArrayRef = if plaintexts.large || total > i32::MAX as usize {
            Arc::new(LargeStringArray::from(sealed))
        } else {
            Arc::new(StringArray::from(sealed))
        };
        Ok::<_, Error>(Column(column))
    })?)
}

/// The result of `open_batch`. It is also an Arrow column of structs, so
/// `pyarrow.record_batch(opened)` returns both columns.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct Opened {
    plaintext: ArrayRef,
    status: ArrayRef,
}

#[pymethods]
impl Opened {
    /// The plaintexts, with null where nothing was opened.
    #[getter]
    fn plaintext(&self) -> Column {
        Column(self.plaintext.clone())
    }

    /// The status of each record.
    #[getter]
    fn status(&self) -> Column {
        Column(self.status.clone())
    }

    fn __len__(&self) -> usize {
        self.status.len()
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.Opened of {} records>", self.status.len())
    }

    /// Exports the schema through the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, &DataType::Struct(self.fields()))
    }

    /// Exports the array through the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        drop(requested_schema);
        let columns = vec![self.plaintext.clone(), self.status.clone()];
        let records =
            StructArray::try_new_with_length(self.fields(), columns, None, self.status.len());
        export_array(
            py,
            &records.map_err(|error| Error::argument(error.to_string()))?,
        )
    }
}

impl Opened {
    fn fields(&self) -> Fields {
        let plaintext = Field::new("plaintext", self.plaintext.data_type().clone(), true);
        vec![plaintext, Field::new("status", DataType::Utf8, false)].into()
    }

    fn new(outcomes: Vec<Outcome>, large: bool, text: bool) -> Self {
        let status =
            StringArray::from_iter_values(outcomes.iter().map(|outcome| status(outcome, text)));
        // A replaced byte becomes three bytes.
        let large = large || (text && size(&outcomes) > i32::MAX as usize / 3);
        let plaintext = match (large, text) {
            (false, false) => binary::<i32>(&outcomes),
            (true, false) => binary::<i64>(&outcomes),
            (false, true) => string::<i32>(&outcomes),
            (true, true) => string::<i64>(&outcomes),
        };
        Self {
            plaintext,
            status: Arc::new(status),
        }
    }
}

/// The associated data of records.
enum Aad {
    All(Vec<u8>),
    Each(Input),
}

impl Aad {
    fn take(aad: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match aad {
            None => Ok(Self::All(Vec::new())),
            Some(aad) => match aad.extract::<Buffer>() {
                Ok(bytes) => Ok(Self::All(bytes.to_vec())),
                Err(_) => Input::take(aad, "aad").map(Self::Each),
            },
        }
    }

    const fn is_column(&self) -> bool {
        matches!(self, Self::Each(_))
    }

    fn of_all(&self) -> &[u8] {
        if let Self::All(aad) = self { aad } else { b"" }
    }

    /// Returns the associated data of each record, or `None` for each if they have one in common.
    fn rows(&self, records: usize) -> Result<Vec<Option<&[u8]>>, Error> {
        let Self::Each(aad) = self else {
            return Ok(vec![None; records]);
        };
        match aad.rows() {
            rows if rows.len() == records => Ok(rows),
            rows => Err(Error::argument(format!(
                "aad has {} records, and there are {records}",
                rows.len()
            ))),
        }
    }
}

/// Returns the numbers of the records that have a value, but null in the column `aad`.
fn unbound<'a>(
    rows: &'a [Option<&[u8]>],
    aads: &'a [Option<&[u8]>],
) -> impl Iterator<Item = usize> + 'a {
    let pairs = rows.iter().zip(aads).enumerate();
    pairs.filter_map(|(number, (row, aad))| (row.is_some() && aad.is_none()).then_some(number))
}

/// Seals rows, each with its associated data.
fn seal_rows(
    sealer: &Sealer,
    rows: &[(Option<&[u8]>, &[u8])],
) -> Result<Vec<Option<String>>, Error> {
    let chunks = rows.par_chunks(CHUNK).map(|rows| {
        let messages: Vec<_> = rows
            .iter()
            .filter_map(|&(pt, aad)| pt.map(|pt| Message { aad, pt }))
            .collect();
        let blobs = sealer.seal_batch(&messages, &mut SysRng)?;
        let mut blobs = blobs.iter().map(|blob| base64::encode(blob));
        let rows = rows
            .iter()
            .map(|(pt, _)| pt.map(|_| blobs.next().expect("a blob for each message")));
        Ok(rows.collect::<Vec<_>>())
    });
    let sealed: Result<Vec<_>, Error> = on_all_cores(|| chunks.collect())?;
    Ok(sealed?.into_iter().flatten().collect())
}

fn binary<O: OffsetSizeTrait>(outcomes: &[Outcome]) -> ArrayRef {
    let mut column = GenericBinaryBuilder::<O>::with_capacity(outcomes.len(), size(outcomes));
    outcomes
        .iter()
        .for_each(|outcome| column.append_option(plaintext(outcome)));
    Arc::new(column.finish())
}

fn string<O: OffsetSizeTrait>(outcomes: &[Outcome]) -> ArrayRef {
    let mut column = GenericStringBuilder::<O>::with_capacity(outcomes.len(), size(outcomes));
    outcomes
        .iter()
        .for_each(|outcome| column.append_option(plaintext(outcome).map(String::from_utf8_lossy)));
    Arc::new(column.finish())
}

fn size(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter_map(plaintext).map(<[u8]>::len).sum()
}

fn plaintext(outcome: &Outcome) -> Option<&[u8]> {
    if let Outcome::Opened { plaintext, .. } = outcome {
        Some(plaintext)
    } else {
        None
    }
}

/// Returns the value of the column `status`.
fn status(outcome: &Outcome, text: bool) -> &'static str {
    match outcome {
        Outcome::Opened { plaintext, .. } if text && str::from_utf8(plaintext).is_err() => "lossy",
        Outcome::Opened { .. } => "opened",
        Outcome::Absent => "absent",
        Outcome::Truncated => "truncated",
        Outcome::Failed(failure) => failure.code(),
    }
}
