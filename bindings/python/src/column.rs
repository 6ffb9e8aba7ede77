//! Import and export of Arrow columns through the Arrow C data interface, in the capsules that
//! Python libraries exchange. Buffers are borrowed or transferred, never copied, and no record
//! becomes a Python object.
//!
//! Only this module contains unsafe code, since capsules contain raw pointers to C structs. The
//! protocol specifies the type of the struct by the name of the capsule, which Python compares.
//! Otherwise an exporter is trusted like any native extension in the process. The exported data is
//! fully validated (offsets, UTF-8) before it is read.
//!
//! No crate fits: pyo3-arrow is for an older arrow than parquet's here, and requires NumPy;
//! arrow-pyarrow is for an older pyo3, does not read streams of plain arrays (Polars), and returns
//! only pyarrow's own classes.
#![allow(unsafe_code)]

use std::{ffi::CStr, sync::Arc};

use arrow_array::{
    Array, ArrayRef, LargeBinaryArray,
    cast::AsArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi},
    ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream},
    make_array,
    types::{
        BinaryType, BinaryViewType, ByteArrayType, ByteViewType, LargeBinaryType, LargeUtf8Type,
        StringViewType, Utf8Type,
    },
};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBytes, PyCapsule, PyList, PyString},
};

use crate::{argument::TextOrBytes, error::Error};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A column of strings or bytes from Python.
#[derive(Debug)]
pub(crate) struct Input {
    chunks: Vec<ArrayRef>,
    /// Set if 32-bit offsets may be too small for the result.
    pub(crate) large: bool,
}

impl Input {
    /// Imports any object with `__arrow_c_array__` (a pyarrow array) or `__arrow_c_stream__` (a
    /// chunked array, or a Polars series). A list is copied.
    pub(crate) fn take(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let (chunks, streamed) = if object.hasattr("__arrow_c_array__")? {
            (vec![import_array(object)?], false)
        } else if object.hasattr("__arrow_c_stream__")? {
            (import_stream(object)?, true)
        } else {
            let rows = object.extract::<Vec<Option<TextOrBytes>>>().map_err(|_| {
                PyTypeError::new_err(format!(
                    "{name} must be an Arrow column, such as pyarrow.array(...) or a Polars series, or a list of str, bytes and None"
                ))
            })?;
            let rows = rows.iter().map(|row| row.as_ref().map(AsRef::as_ref));
            let column = LargeBinaryArray::from_iter(rows);
            (vec![Arc::new(column) as ArrayRef], false)
        };
        for chunk in &chunks {
            check(chunk, name)?;
        }
        let large = streamed
            || !matches!(
                chunks[0].data_type(),
                DataType::Utf8 | DataType::Binary | DataType::Null
            );
        Ok(Self { chunks, large })
    }

    /// Returns the records, borrowed.
    pub(crate) fn rows(&self) -> Vec<Option<&[u8]>> {
        let mut rows = Vec::with_capacity(self.chunks.iter().map(|chunk| chunk.len()).sum());
        self.chunks
            .iter()
            .for_each(|chunk| push_rows(chunk, &mut rows));
        rows
    }
}

/// An Arrow column. `pyarrow.array(column)`, `polars.Series(column)` and others use it without a
/// copy.
#[pyclass(frozen, module = "pqseal")]
pub(crate) struct Column(pub(crate) ArrayRef);

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns the records as a list of str or bytes, with None for null.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut rows = Vec::with_capacity(self.0.len());
        push_rows(&self.0, &mut rows);
        let is_text = matches!(self.0.data_type(), DataType::Utf8 | DataType::LargeUtf8);
        let objects = rows.into_iter().map(|row| match row {
            None => Ok(py.None().into_bound(py)),
            Some(text) if is_text => PyString::from_bytes(py, text).map(Bound::into_any),
            Some(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        });
        PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.Column of {} {}>", self.0.len(), self.0.data_type())
    }

    /// Exports the schema through the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, self.0.data_type())
    }

    /// Exports the array through the Arrow PyCapsule interface. The column has one type. A consumer
    /// that requests another type gets this one, and casts.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        drop(requested_schema);
        export_array(py, &*self.0)
    }
}

/// The capsules of a schema and an array.
pub(crate) type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// Exports an array. A capsule drops its struct, which releases the buffers unless a consumer has
/// taken them.
pub(crate) fn export_array<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Capsules<'py>> {
    let capsule = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)?;
    Ok((export_schema(py, array.data_type())?, capsule))
}

pub(crate) fn export_schema<'py>(
    py: Python<'py>,
    data_type: &DataType,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema =
        FFI_ArrowSchema::try_from(Field::new("", data_type.clone(), true)).map_err(not_arrow)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

fn import_array(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (schema, array): Capsules<'_> = object.call_method0("__arrow_c_array__")?.extract()?;
    let (schema, array) = (
        schema.pointer_checked(Some(SCHEMA))?,
        array.pointer_checked(Some(ARRAY))?,
    );
    // SAFETY: a capsule of this name contains such a struct, aligned and initialised, and lives
    // until the end of this function. `from_raw` moves the array out of it, and marks the original
    // as released.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr().cast()) };
    // SAFETY: as above; the schema is only borrowed.
    let schema: &FFI_ArrowSchema = unsafe { schema.cast().as_ref() };
    if array.is_released() {
        return Err(Error::argument(
            "the Arrow capsule was consumed before; export the column again",
        )
        .into());
    }
    // SAFETY: the exporter guarantees that array and schema belong together.
    let data = unsafe { from_ffi(array, schema) };
    Ok(make_array(data.map_err(not_arrow)?))
}

/// Imports a stream as at least one chunk, which may be empty.
fn import_stream(object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    let capsule: Bound<'_, PyCapsule> = object.call_method0("__arrow_c_stream__")?.extract()?;
    let stream = capsule
        .pointer_checked(Some(STREAM))?
        .as_ptr()
        .cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name contains such a struct, aligned and initialised, and lives
    // until the end of this function. `from_raw` moves the stream out of it, and refuses a released
    // one.
    let reader = unsafe { ArrayStreamReader::from_raw(stream) }.map_err(not_arrow)?;
    let empty = arrow_array::new_empty_array(arrow_array::ArrayReader::field(&reader).data_type());
    let chunks = reader.collect::<Result<Vec<_>, _>>().map_err(not_arrow)?;
    Ok(if chunks.is_empty() {
        vec![empty]
    } else {
        chunks
    })
}

/// Checks that a chunk is valid and contains strings or bytes.
fn check(chunk: &ArrayRef, name: &str) -> Result<(), Error> {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    match chunk.data_type() {
        Null | Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView => chunk
            .to_data()
            .validate_full()
            .map_err(|error| Error::argument(format!("{name}: {error}"))),
        other => Err(Error::argument(format!(
            "{name} must be a column of string or binary, not {other}; cast it first"
        ))),
    }
}

fn push_rows<'a>(chunk: &'a ArrayRef, rows: &mut Vec<Option<&'a [u8]>>) {
    match chunk.data_type() {
        DataType::Utf8 => push_bytes::<Utf8Type>(chunk, rows),
        DataType::LargeUtf8 => push_bytes::<LargeUtf8Type>(chunk, rows),
        DataType::Binary => push_bytes::<BinaryType>(chunk, rows),
        DataType::LargeBinary => push_bytes::<LargeBinaryType>(chunk, rows),
        DataType::Utf8View => push_views::<StringViewType>(chunk, rows),
        DataType::BinaryView => push_views::<BinaryViewType>(chunk, rows),
        // The type is null, since `check` refuses all others.
        _ => rows.extend(std::iter::repeat_n(None, chunk.len())),
    }
}

fn push_bytes<'a, T: ByteArrayType>(chunk: &'a ArrayRef, rows: &mut Vec<Option<&'a [u8]>>) {
    rows.extend(
        chunk
            .as_bytes::<T>()
            .iter()
            .map(|row| row.map(AsRef::as_ref)),
    );
}

fn push_views<'a, T: ByteViewType>(chunk: &'a ArrayRef, rows: &mut Vec<Option<&'a [u8]>>) {
    rows.extend(
        chunk
            .as_byte_view::<T>()
            .iter()
            .map(|row| row.map(AsRef::as_ref)),
    );
}

fn not_arrow(error: ArrowError) -> Error {
    Error::argument(error.to_string())
}
