//! A wrapper that reads, writes and seeks in a binary Python file object.

use std::{
    io::{self, IoSlice, Read, Seek, SeekFrom, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pyo3::{
    exceptions::{PyOSError, PyTypeError},
    intern,
    prelude::*,
    pybacked::PyBackedBytes,
    types::PyBytes,
};

/// A Python file object. The interpreter's lock is held only while one of its methods runs.
/// Exceptions of these methods are raised again unchanged.
pub(super) struct FileObject {
    object: Py<PyAny>,
    /// Set after an interrupt by the user. Nothing is read or written then.
    stop: Arc<AtomicBool>,
}

impl FileObject {
    pub(super) fn new(object: Py<PyAny>) -> Self {
        Self::stopped_by(object, Arc::default())
    }

    pub(super) fn stopped_by(object: Py<PyAny>, stop: Arc<AtomicBool>) -> Self {
        Self { object, stop }
    }

    /// Reports whether the object says that it is seekable.
    pub(super) fn is_seekable(object: &Bound<'_, PyAny>) -> bool {
        let seekable = object.call_method0(intern!(object.py(), "seekable"));
        seekable.is_ok_and(|answer| answer.is_truthy().unwrap_or(false))
    }

    fn call<T>(&self, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> io::Result<T> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("interrupted"));
        }
        Ok(Python::attach(|py| work(self.object.bind(py)))?)
    }
}

impl Read for FileObject {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.call(|object| {
            let got = object.call_method1(intern!(object.py(), "read"), (out.len(),))?;
            let bytes = bytes_of(&got)?;
            let place = out.get_mut(..bytes.len());
            let place = place
                .ok_or_else(|| PyOSError::new_err("read() gave more than it was asked for"))?;
            place.copy_from_slice(&bytes);
            Ok(bytes.len())
        })
    }
}

fn bytes_of(got: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if got.is_none() {
        return Err(not_blocking("read"));
    }
    got.extract().map_err(|_| {
        PyTypeError::new_err("read() gave no bytes; open the file in binary mode, such as \"rb\"")
    })
}

impl Write for FileObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    /// Writes all slices in one call.
    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.call(|object| {
            let (py, len) = (object.py(), slices.iter().map(|slice| slice.len()).sum());
            let bytes = PyBytes::new_with(py, len, |mut room| {
                slices.iter().try_for_each(|slice| room.write_all(slice))?;
                Ok(())
            })?;
            let wrote = object.call_method1(intern!(py, "write"), (bytes,))?;
            if wrote.is_none() {
                return Err(not_blocking("write"));
            }
            match wrote.extract::<usize>()? {
                count if count <= len => Ok(count),
                _ => Err(PyOSError::new_err(
                    "write() says that it wrote more than it was given",
                )),
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.call(|object| {
            let name = intern!(object.py(), "flush");
            match object.hasattr(name)? {
                true => object.call_method0(name).map(drop),
                false => Ok(()),
            }
        })
    }
}

/// Returns the exception for a method that returned `None`.
fn not_blocking(method: &str) -> PyErr {
    PyOSError::new_err(format!(
        "{method}() would block; the file must be in blocking mode"
    ))
}

impl Seek for FileObject {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.call(|object| {
            let name = intern!(object.py(), "seek");
            match to {
                SeekFrom::Start(place) => object.call_method1(name, (place, 0)),
                SeekFrom::Current(by) => object.call_method1(name, (by, 1)),
                SeekFrom::End(by) => object.call_method1(name, (by, 2)),
            }?
            .extract()
        })
    }
}
