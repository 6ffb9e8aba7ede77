//! Pointers from C, checked and converted to references. All significant unsafe code is here.
//!
//! It relies on the header's rules: a pointer with a length points to that many bytes, a handle
//! came from this library and was not freed, and an output is writable. NULL is detected.

mod callback;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use callback::{pqseal_read, pqseal_stream, pqseal_write};

use crate::pqseal_status::{
    self, PQSEAL_ERROR_ARGUMENT, PQSEAL_ERROR_BUFFER, PQSEAL_ERROR_INTERNAL, PQSEAL_OK,
};

/// Runs the body of a function. A panic becomes a status.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), pqseal_status>) -> pqseal_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => PQSEAL_OK,
        Ok(Err(status)) => status,
        Err(panic) => {
            // Dropping a payload may panic, which would unwind after all.
            std::mem::forget(panic);
            PQSEAL_ERROR_INTERNAL
        }
    }
}

/// Returns the `len` bytes at `bytes`, or an empty slice if `len` is 0.
pub(crate) unsafe fn slice<'a>(bytes: *const u8, len: usize) -> Result<&'a [u8], pqseal_status> {
    match (bytes.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(PQSEAL_ERROR_ARGUMENT),
        (_, len) if isize::try_from(len).is_err() => Err(PQSEAL_ERROR_ARGUMENT),
        // SAFETY: it is not NULL, and the caller says that it points to `len` bytes; an allocation
        // has at most isize::MAX.
        _ => Ok(unsafe { std::slice::from_raw_parts(bytes, len) }),
    }
}

/// Returns the same as [`slice`], or `None` if `bytes` is NULL and `len` is 0.
pub(crate) unsafe fn given<'a>(
    bytes: *const u8,
    len: usize,
) -> Result<Option<&'a [u8]>, pqseal_status> {
    match (bytes.is_null(), len) {
        (true, 0) => Ok(None),
        // SAFETY: by the caller's word.
        _ => unsafe { slice(bytes, len) }.map(Some),
    }
}

/// Returns the value at `pointer`, such as a handle.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T) -> Result<&'a T, pqseal_status> {
    // SAFETY: the caller says that it is NULL or points to a value that stays alive.
    unsafe { pointer.as_ref() }.ok_or(PQSEAL_ERROR_ARGUMENT)
}

/// Returns the `len` values at `pointer`.
pub(crate) unsafe fn array<'a, T>(
    pointer: *mut T,
    len: usize,
) -> Result<&'a mut [T], pqseal_status> {
    match (pointer.is_null() || !pointer.is_aligned(), len) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(PQSEAL_ERROR_ARGUMENT),
        (_, len) if len > isize::MAX as usize / size_of::<T>().max(1) => Err(PQSEAL_ERROR_ARGUMENT),
        // SAFETY: it is not NULL and aligned, and the caller says that it points to `len` values
        // that nobody else uses meanwhile.
        _ => Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) }),
    }
}

/// The place of a result.
pub(crate) struct Place<T>(*mut T);

impl<T> Place<T> {
    /// Creates a place from a pointer that must be writable until the end of the call.
    pub(crate) unsafe fn new(place: *mut T) -> Result<Self, pqseal_status> {
        match place.is_null() {
            true => Err(PQSEAL_ERROR_ARGUMENT),
            false => Ok(Self(place)),
        }
    }

    pub(crate) fn set(self, value: T) {
        // SAFETY: see `new`. What was there is not read and not dropped.
        unsafe { self.0.write(value) }
    }
}

impl<T> Place<*mut T> {
    /// Writes a new handle, which `free` releases.
    pub(crate) fn give(self, value: T) {
        self.set(Box::into_raw(Box::new(value)));
    }
}

/// Releases a handle and drops its value. NULL is ignored.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        let _ = guard(|| {
            // SAFETY: the caller says that it came from `give` and is not used any more.
            drop(unsafe { Box::from_raw(handle) });
            Ok(())
        });
    }
}

/// A buffer for bytes, with the place of their length.
pub(crate) struct Output {
    bytes: *mut u8,
    capacity: usize,
    len: *mut usize,
}

impl Output {
    /// Creates an output. `bytes` must have `capacity` bytes, and both pointers must be writable
    /// until the end of the call.
    pub(crate) unsafe fn new(
        bytes: *mut u8,
        capacity: usize,
        len: *mut usize,
    ) -> Result<Self, pqseal_status> {
        match len.is_null() || (bytes.is_null() && capacity > 0) {
            true => Err(PQSEAL_ERROR_ARGUMENT),
            false => Ok(Self {
                bytes,
                capacity,
                len,
            }),
        }
    }

    /// Checks that there is room for `needed` bytes. Must be called before work is done.
    pub(crate) fn reserve(&self, needed: usize) -> Result<(), pqseal_status> {
        if self.capacity >= needed {
            return Ok(());
        }
        // SAFETY: see `new`.
        unsafe { self.len.write(needed) };
        Err(PQSEAL_ERROR_BUFFER)
    }

    /// Writes a plaintext. Our copy is wiped, even if it does not fit.
    pub(crate) fn write_secret(&self, plaintext: Vec<u8>) -> Result<(), pqseal_status> {
        self.write(Plaintext::new(plaintext).bytes())
    }

    /// Writes the bytes and their length.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), pqseal_status> {
        self.reserve(bytes.len())?;
        // SAFETY: see `new`; there is room. The caller's buffer does not overlap ours. A pointer
        // that is NULL has no capacity, and then no bytes are copied.
        unsafe {
            if !bytes.is_empty() {
                self.bytes
                    .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
            self.len.write(bytes.len());
        }
        Ok(())
    }
}

/// A plaintext before it is copied to the caller's buffer. It is wiped on drop.
pub(crate) struct Plaintext(Vec<u8>);

impl Plaintext {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Plaintext {
    fn drop(&mut self) {
        pqseal_hpke::wipe(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(guard(|| panic!("a fault")), PQSEAL_ERROR_INTERNAL);
        assert_eq!(guard(|| Err(PQSEAL_ERROR_BUFFER)), PQSEAL_ERROR_BUFFER);
        assert_eq!(guard(|| Ok(())), PQSEAL_OK);
    }
}
