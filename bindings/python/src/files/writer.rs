//! A writer of one encrypted file.

use std::{
    io::{self, Write},
    sync::Arc,
};

use pqseal_age::{
    ArmorWriter, ChunkWriter, Chunked, ContentKey, Error, FileKey, Payload, Room,
    cobblestone::Cipher, keys::AnyRecipient, object,
};
use pqseal_hpke::Policy;
use pyo3::{exceptions::PyValueError, prelude::*};

use super::{
    file_object::FileObject,
    held::Held,
    keys::{self, RecipientLike, as_refs},
    raise,
};
use crate::{buffer::Buffer, choice, error::Error as PqsealError, process::Home};

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
        let keys = keys::recipients(&recipients)?;
        let making = Making::new(format, armor, false, choice::policy(policy)?)?;
        let target = FileObject::new(target);
        let sink = py.detach(|| making.sink(&keys, target)).map_err(raise)?;
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
        let finish = |sink: &mut Option<Box<dyn Sink>>| match sink.take() {
            Some(sink) => sink.finish().map_err(|e| raise(Error::from(e))),
            None => Err(closed()),
        };
        py.detach(|| self.sink.with(finish))
    }

    /// Drops the key. The output has no end, and cannot be decrypted.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        let forget = |sink: &mut Option<Box<dyn Sink>>| {
            drop(sink.take());
            Ok(())
        };
        py.detach(|| self.sink.with(forget))
    }
}

impl FileWriter {
    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Box<dyn Sink>) -> io::Result<()> + Send,
    ) -> PyResult<()> {
        self.home.check()?;
        let work = |sink: &mut Option<Box<dyn Sink>>| match sink {
            Some(sink) => work(sink).map_err(|e| raise(Error::from(e))),
            None => Err(closed()),
        };
        py.detach(|| self.sink.with(work))
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("I/O operation on closed file.")
}

/// The options for a new file.
pub(super) struct Making {
    object: Option<Cipher>,
    pub(super) armor: bool,
    room: Room,
    policy: Policy,
}

impl Making {
    pub(super) fn new(
        format: &str,
        armor: bool,
        reserve: bool,
        policy: Policy,
    ) -> Result<Self, PqsealError> {
        let object = match format {
            "age" => None,
            "cobblestone" => Some(Cipher::Aes256Gcm),
            "cobblestone-128" => Some(Cipher::Aes128Gcm),
            _ => {
                return Err(PqsealError::argument(
                    "format must be age, cobblestone or cobblestone-128",
                ));
            }
        };
        match () {
            () if armor && object.is_some() => {
                Err(PqsealError::argument("armor is for the age format only"))
            }
            () if armor && reserve => Err(PqsealError::argument(
                "an armored file has no room in its header; leave out armor or reserve",
            )),
            () => Ok(Self {
                object,
                armor,
                room: room(reserve),
                policy,
            }),
        }
    }

    /// Returns a new header, and the key of the content.
    pub(super) fn header(
        &self,
        recipients: &[Arc<AnyRecipient>],
    ) -> Result<(Vec<u8>, ContentKey), Error> {
        let key = ContentKey::generate(self.object)?;
        let header = header(&key, recipients, self.room, self.policy.clone())?;
        Ok((header, key))
    }

    fn sink(
        &self,
        recipients: &[Arc<AnyRecipient>],
        mut target: FileObject,
    ) -> Result<Box<dyn Sink>, Error> {
        let (header, key) = self.header(recipients)?;
        Ok(match key {
            ContentKey::Age(key) if self.armor => {
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
}

pub(super) fn room(reserve: bool) -> Room {
    match reserve {
        true => Room::Reserve,
        false => Room::Least,
    }
}

/// Returns the header of the content for these recipients.
pub(super) fn header(
    key: &ContentKey,
    recipients: &[Arc<AnyRecipient>],
    room: Room,
    policy: Policy,
) -> Result<Vec<u8>, Error> {
    let options = object::Options {
        policy,
        ..object::Options::default()
    };
    let header = key.header(&as_refs(recipients), room, &options)?;
    Ok(header.expect("only a room of a given size can be too small"))
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
