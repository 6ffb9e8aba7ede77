//! Contexts (RFC 9180, section 5.2): a sequence of messages under one encapsulated key.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pqseal_hpke::{AnyAead, DynKdf};
use pyo3::{prelude::*, types::PyBytes};
use zeroize::Zeroizing;

use crate::{
    argument::{Buffer, bytes},
    error::Error,
    process::Home,
};

type Sender = pqseal_hpke::SenderContext<DynKdf, AnyAead>;
type Recipient = pqseal_hpke::RecipientContext<DynKdf, AnyAead>;

/// A sender's context, from `Suite.setup_sender`, which seals and exports. Threads may share one:
/// each message gets its own sequence number. Processes may not: a forked process is refused.
#[pyclass(frozen, module = "pqseal.hpke")]
pub(crate) struct SenderContext(Mutex<Sender>, Home);

/// A recipient's context, from `Suite.setup_recipient`, which opens and exports. Threads may share
/// one.
#[pyclass(frozen, module = "pqseal.hpke")]
pub(crate) struct RecipientContext(Mutex<Recipient>);

#[pymethods]
impl SenderContext {
    /// Seals the next message. Returns the ciphertext with its tag, 16 bytes longer than
    /// `plaintext`.
    #[pyo3(signature = (plaintext, *, aad = None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        plaintext: Buffer,
        aad: Option<Buffer>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.1.check()?;
        let ct = py.detach(|| lock(&self.0).seal(bytes(aad.as_ref()), &plaintext));
        Ok(PyBytes::new(py, &ct.map_err(Error::from)?))
    }

    /// Seals the next message, and returns its sequence number too, for `open_at`. `sequence`
    /// beside `seal` may be that of another thread.
    #[pyo3(signature = (plaintext, *, aad = None))]
    fn seal_with_sequence<'py>(
        &self,
        py: Python<'py>,
        plaintext: Buffer,
        aad: Option<Buffer>,
    ) -> PyResult<(u64, Bound<'py, PyBytes>)> {
        self.1.check()?;
        let sealed =
            py.detach(|| lock(&self.0).seal_with_sequence(bytes(aad.as_ref()), &plaintext));
        let (sequence, ct) = sealed.map_err(Error::from)?;
        Ok((sequence, PyBytes::new(py, &ct)))
    }

    /// Exports `length` secret bytes, a separate value for each `exporter_context`. The recipient's
    /// context exports the same.
    fn export<'py>(
        &self,
        py: Python<'py>,
        exporter_context: Buffer,
        length: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let secret = py.detach(|| lock(&self.0).export(&exporter_context, length));
        Ok(PyBytes::new(py, secret.map_err(Error::from)?.as_ref()))
    }

    /// The sequence number of the next message, from 0.
    #[getter]
    fn sequence(&self) -> u64 {
        lock(&self.0).sequence()
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.hpke.{:?}>", *lock(&self.0))
    }
}

#[pymethods]
impl RecipientContext {
    /// Opens the next message. After a failure the same message is still the next.
    #[pyo3(signature = (ciphertext, *, aad = None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        ciphertext: Buffer,
        aad: Option<Buffer>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let opened = py.detach(|| lock(&self.0).open(bytes(aad.as_ref()), &ciphertext));
        let plaintext = Zeroizing::new(opened.map_err(Error::from)?);
        Ok(PyBytes::new(py, &plaintext))
    }

    /// Opens the message with this sequence number, in any order, without changing `sequence`. The
    /// caller must detect replays.
    #[pyo3(signature = (sequence, ciphertext, *, aad = None))]
    fn open_at<'py>(
        &self,
        py: Python<'py>,
        sequence: u64,
        ciphertext: Buffer,
        aad: Option<Buffer>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let opened =
            py.detach(|| lock(&self.0).open_at(sequence, bytes(aad.as_ref()), &ciphertext));
        let plaintext = Zeroizing::new(opened.map_err(Error::from)?);
        Ok(PyBytes::new(py, &plaintext))
    }

    /// Exports the same bytes as `SenderContext.export`.
    fn export<'py>(
        &self,
        py: Python<'py>,
        exporter_context: Buffer,
        length: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let secret = py.detach(|| lock(&self.0).export(&exporter_context, length));
        Ok(PyBytes::new(py, secret.map_err(Error::from)?.as_ref()))
    }

    /// The sequence number of the next message, from 0.
    #[getter]
    fn sequence(&self) -> u64 {
        lock(&self.0).sequence()
    }

    fn __repr__(&self) -> String {
        format!("<pqseal.hpke.{:?}>", *lock(&self.0))
    }
}

impl SenderContext {
    pub(super) fn new(context: Sender) -> Self {
        Self(Mutex::new(context), Home::here())
    }
}

impl RecipientContext {
    pub(super) const fn new(context: Recipient) -> Self {
        Self(Mutex::new(context))
    }
}

/// Locks a context. A poisoned one can be used, since no operation leaves it in an inconsistent
/// state.
fn lock<T>(context: &Mutex<T>) -> MutexGuard<'_, T> {
    context.lock().unwrap_or_else(PoisonError::into_inner)
}
