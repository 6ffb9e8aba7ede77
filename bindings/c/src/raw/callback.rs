//! Streams over functions of the caller.

use std::{
    ffi::c_void,
    io::{self, Read, Write},
};

use super::reference;
use crate::pqseal_status::{self, PQSEAL_ERROR_ARGUMENT};

/// A function that reads up to `capacity` bytes to `bytes` and sets `len` to their number, where 0
/// is the end. It returns 0, or another number if reading failed. It must not throw.
pub type pqseal_read = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        bytes: *mut u8,
        capacity: usize,
        len: *mut usize,
    ) -> i32,
>;

/// A function that writes all `len` bytes. It returns 0, or another number if writing failed. It
/// must not throw.
pub type pqseal_write =
    Option<unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, len: usize) -> i32>;

/// The input and the output of a file. The functions are called in the thread of the call.
#[repr(C)]
pub struct pqseal_stream {
    /// The function that reads the input.
    pub read: pqseal_read,
    /// The first argument of `read`.
    pub read_context: *mut c_void,
    /// The function that writes the output.
    pub write: pqseal_write,
    /// The first argument of `write`.
    pub write_context: *mut c_void,
}

impl pqseal_stream {
    /// Returns both ends. `stream` must be NULL, or point to functions that can be called with
    /// their contexts until the end of the call.
    pub(crate) unsafe fn ends(
        stream: *const Self,
    ) -> Result<(Callback<pqseal_read>, Callback<pqseal_write>), pqseal_status> {
        // SAFETY: the caller says so.
        let stream = unsafe { reference(stream) }?;
        if stream.read.is_none() || stream.write.is_none() {
            return Err(PQSEAL_ERROR_ARGUMENT);
        }
        Ok((
            Callback(stream.read, stream.read_context),
            Callback(stream.write, stream.write_context),
        ))
    }
}

/// A function with its first argument.
pub(crate) struct Callback<F>(F, *mut c_void);

impl Read for Callback<pqseal_read> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (bytes, capacity, mut len) = (out.as_mut_ptr(), out.len(), 0);
        let failed = self.0.is_none_or(|read| {
            // SAFETY: see `pqseal_stream::ends`; `out` has room for what is said.
            (unsafe { read(self.1, bytes, capacity, &mut len) }) != 0
        });
        match failed || len > capacity {
            false => Ok(len),
            true => Err(io::Error::other("the function that reads failed")),
        }
    }
}

impl Write for Callback<pqseal_write> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let failed = self.0.is_none_or(|write| {
            // SAFETY: see `pqseal_stream::ends`.
            (unsafe { write(self.1, bytes.as_ptr(), bytes.len()) }) != 0
        });
        match failed {
            false => Ok(bytes.len()),
            true => Err(io::Error::other("the function that writes failed")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
