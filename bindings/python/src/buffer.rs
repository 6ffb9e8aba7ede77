//! Bytes from Python.

use std::ops::Deref;

use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    types::PyMemoryView,
};

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
