//! A reader of one encrypted file, with seeking, and a writer of one.

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    ptr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use pqseal_age::{
    AnyHeader, ArmorWriter, ChunkReader, ChunkWriter, Chunked, ContentKey, Decryptor, Error,
    FileKey, Input, Payload,
    keys::{AnyIdentity, AnyRecipient},
};
use pqseal_hpke::Policy;
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
    types::PyBytes,
};
use zeroize::Zeroizing;

use super::{IdentityLike, Making, RecipientLike, as_refs, file_object::FileObject, raise};
use crate::{
    argument::{self, Buffer},
    process::Home,
};

/// The maximum number of bytes that one `read` returns: a chunk of age.
const MOST: usize = 1 << 16;

/// A decrypting reader of a binary file object. `pqseal.files.open` wraps it in a file object.
#[pyclass(frozen, module = "pqseal._core")]
pub(crate) struct FileReader {
    /// The state, or `None` after `close`.
    state: Held<Option<State>>,
    seekable: bool,
}

struct State {
    plaintext: Plaintext,
    place: u64,
}

enum Plaintext {
    Seekable(Box<dyn ReadSeek>),
    Stream(Box<dyn Read + Send>),
}

trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

#[pymethods]
impl FileReader {
    #[new]
    #[pyo3(signature = (source, identities, *, policy = "draft"))]
    fn new(
        py: Python<'_>,
        source: Bound<'_, PyAny>,
        identities: Vec<IdentityLike>,
        policy: &str,
    ) -> PyResult<Self> {
        let keys = super::identities(&identities)?;
        let policy = argument::policy(policy)?;
        let can_seek = FileObject::is_seekable(&source);
        let source = FileObject::new(source.unbind());
        let plaintext = py.detach(|| open(source, &keys, &policy, can_seek));
        let plaintext = plaintext.map_err(raise)?;
        Ok(Self {
            seekable: matches!(plaintext, Plaintext::Seekable(_)),
            state: Held::new(Some(State {
                plaintext,
                place: 0,
            })),
        })
    }

    /// Reads at least one byte and at most `size`, or none at the end.
    fn read<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Zeroizing::new(vec![0; size.min(MOST)]);
        let count = py.detach(|| self.with(|state| state.fill(&mut bytes)))?;
        Ok(PyBytes::new(py, &bytes[..count]))
    }

    /// Moves to a position in the plaintext, like `io.IOBase.seek`. The end of the file is
    /// authenticated first.
    fn seek(&self, py: Python<'_>, offset: i64, whence: u8) -> PyResult<u64> {
        let to = match (whence, u64::try_from(offset)) {
            (0, Ok(place)) => SeekFrom::Start(place),
            (0, Err(_)) => return Err(PyValueError::new_err("seek to before the start")),
            (1, _) => SeekFrom::Current(offset),
            (2, _) => SeekFrom::End(offset),
            _ => return Err(PyValueError::new_err("whence must be 0, 1 or 2")),
        };
        py.detach(|| self.with(|state| state.seek(to)))
    }

    /// Returns the position in the plaintext.
    fn tell(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.with(|state| Ok(state.place)))
    }

    /// Set if `seek` is supported.
    #[getter]
    fn seekable(&self) -> bool {
        self.seekable
    }

    /// Drops the key. The source stays open.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            self.state.with(|state| {
                *state = None;
                Ok(())
            })
        })
    }
}

impl FileReader {
    /// Uses the state. The interpreter's lock must not be held, since file objects acquire it while
    /// this lock is held.
    fn with<T>(&self, work: impl FnOnce(&mut State) -> io::Result<T>) -> PyResult<T> {
        self.state.with(|state| match state {
            Some(state) => work(state).map_err(|error| raise(Error::from(error))),
            None => Err(closed()),
        })
    }
}

impl State {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.plaintext.read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    self.place += count as u64;
                    return Ok(count);
                }
            }
        }
    }

    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.plaintext {
            Plaintext::Seekable(input) => self.place = input.seek(to)?,
            Plaintext::Stream(_) => return Err(io::ErrorKind::NotSeekable.into()),
        }
        Ok(self.place)
    }
}

impl Read for Plaintext {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Seekable(input) => input.read(out),
            Self::Stream(input) => input.read(out),
        }
    }
}

/// Reads the header. An armored file, or one whose source cannot seek, becomes a stream.
fn open(
    source: FileObject,
    keys: &[Arc<AnyIdentity>],
    policy: &Policy,
    can_seek: bool,
) -> Result<Plaintext, Error> {
    let mut input = Input::new(BufReader::with_capacity(1 << 16, source))?;
    let key = AnyHeader::read(&mut input)?.open(&as_refs(keys), policy)?;
    Ok(match (input, key) {
        (Input::Binary(input), ContentKey::Age(key)) if can_seek => {
            Plaintext::Seekable(Box::new(Decryptor::with_key(&key, input)?))
        }
        (Input::Binary(input), ContentKey::Object { secret, cipher }) if can_seek => {
            let chunks = ChunkReader::new(secret.payload(cipher)?, input);
            Plaintext::Seekable(Box::new(chunks))
        }
        (input, ContentKey::Age(key)) => {
            Plaintext::Stream(Box::new(Decryptor::with_key(&key, input)?))
        }
        (input, ContentKey::Object { secret, cipher }) => {
            Plaintext::Stream(Box::new(ChunkReader::new(secret.payload(cipher)?, input)))
        }
    })
}

/// An encrypting writer to a binary file object. `pqseal.files.Writer` wraps it in a
/// file object.
#[pyclass(frozen, module = "pqseal._core")]
pub(crate) struct FileWriter {
    /// The stream, or `None` after it was closed.
    sink: Held<Option<Box<dyn Sink>>>,
    home: Home,
}

/// A stream whose end must be written.
trait Sink: Write + Send {
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl<C: Chunked> Sink for ChunkWriter<C, FileObject> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish().map(drop)
    }
}

impl<C: Chunked> Sink for ChunkWriter<C, ArmorWriter<FileObject>> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.finish().map(drop)
    }
}

#[pymethods]
impl FileWriter {
    #[new]
    #[pyo3(signature = (target, recipients, *, armor = false, format = "age", policy = "draft"))]
    fn new(
        py: Python<'_>,
        target: Py<PyAny>,
        recipients: Vec<RecipientLike>,
        armor: bool,
        format: &str,
        policy: &str,
    ) -> PyResult<Self> {
        let keys = super::recipients(&recipients)?;
        let making = Making::new(format, armor, false, argument::policy(policy)?)?;
        let target = FileObject::new(target);
        let sink = py.detach(|| sink(&making, &keys, target)).map_err(raise)?;
        Ok(Self {
            sink: Held::new(Some(sink)),
            home: Home::here(),
        })
    }

    /// Encrypts all of `data`.
    fn write(&self, py: Python<'_>, data: Buffer) -> PyResult<usize> {
        self.with(py, |sink| sink.write_all(&data))?;
        Ok(data.len())
    }

    /// Flushes the target. An incomplete chunk is kept.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |sink| sink.flush())
    }

    /// Writes the last chunk. The target stays open.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.home.check()?;
        py.detach(|| {
            self.sink.with(|sink| match sink.take() {
                Some(sink) => sink.finish().map_err(|e| raise(Error::from(e))),
                None => Err(closed()),
            })
        })
    }

    /// Drops the key. The output has no end, and cannot be decrypted.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            self.sink.with(|sink| {
                *sink = None;
                Ok(())
            })
        })
    }
}

impl FileWriter {
    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Box<dyn Sink>) -> io::Result<()> + Send,
    ) -> PyResult<()> {
        self.home.check()?;
        py.detach(|| {
            self.sink.with(|sink| match sink {
                Some(sink) => work(sink).map_err(|e| raise(Error::from(e))),
                None => Err(closed()),
            })
        })
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("I/O operation on closed file.")
}

/// Writes the header, and returns the stream of the content.
fn sink(
    making: &Making,
    recipients: &[Arc<AnyRecipient>],
    mut target: FileObject,
) -> Result<Box<dyn Sink>, Error> {
    let (header, key) = making.header(recipients)?;
    Ok(match key {
        ContentKey::Age(key) if making.armor => {
            let armor = ArmorWriter::new(target)?;
            Box::new(started(&header, &key, armor)?)
        }
        ContentKey::Age(key) => Box::new(started(&header, &key, target)?),
        ContentKey::Object { secret, cipher } => {
            target.write_all(&header)?;
            Box::new(ChunkWriter::new(secret.payload(cipher)?, target))
        }
    })
}

fn started<W: Write>(
    header: &[u8],
    key: &FileKey,
    mut output: W,
) -> Result<ChunkWriter<Payload, W>, Error> {
    let payload = Payload::generate(key)?;
    output.write_all(header)?;
    output.write_all(payload.nonce())?;
    Ok(ChunkWriter::new(payload, output))
}

/// A value that only one call uses at a time. Calls from other threads wait. A reentrant call, from
/// a method of the file object or from a signal handler, is refused, since it would deadlock.
struct Held<T> {
    value: Mutex<T>,
    /// The thread that holds the value, or 0.
    by: AtomicUsize,
}

impl<T> Held<T> {
    const fn new(value: T) -> Self {
        Self {
            value: Mutex::new(value),
            by: AtomicUsize::new(0),
        }
    }

    /// Uses the value. The interpreter's lock must not be held, since file objects acquire it
    /// meanwhile.
    fn with<R>(&self, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let me = thread();
        if self.by.load(Ordering::Relaxed) == me {
            return Err(PyRuntimeError::new_err(
                "reentrant call: this file object is at work in the same thread",
            ));
        }
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.by.store(me, Ordering::Relaxed);
        let _release = Release(&self.by);
        work(&mut value)
    }
}

struct Release<'a>(&'a AtomicUsize);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Returns a number that is unique among living threads.
fn thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| ptr::from_ref(mark).addr())
}
