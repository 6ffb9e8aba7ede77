//! A reader of one encrypted file, with seeking.

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom},
    sync::Arc,
};

use pqseal_age::{AnyHeader, ChunkReader, ContentKey, Decryptor, Error, Input, keys::AnyIdentity};
use pqseal_hpke::Policy;
use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};
use zeroize::Zeroizing;

use super::{
    file_object::FileObject,
    held::Held,
    keys::{self, IdentityLike, as_refs},
    raise,
};
use crate::choice;

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
        let keys = keys::identities(&identities)?;
        let policy = choice::policy(policy)?;
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
        let forget = |state: &mut Option<State>| {
            drop(state.take());
            Ok(())
        };
        py.detach(|| self.state.with(forget))
    }
}

impl FileReader {
    /// Uses the state. The interpreter's lock must not be held, since file objects acquire it while
    /// this lock is held.
    fn with<T>(&self, work: impl FnOnce(&mut State) -> io::Result<T>) -> PyResult<T> {
        self.state.with(|state| match state {
            Some(state) => work(state).map_err(|error| raise(Error::from(error))),
            None => Err(PyValueError::new_err("I/O operation on closed file.")),
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
