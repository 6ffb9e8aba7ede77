//! The inputs that are read: files, or objects of a store.

use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    batches::Framing,
    input::{self, Compression, Input},
};
use pqseal_records::detect::PARQUET;

/// The bytes of an input.
pub enum Content {
    /// A file, a pipe or a device.
    File(File),
    /// An object.
    Object(Arc<dyn Object>),
}

impl Content {
    /// Returns the records, decompressed. Those of a pipe or a device may pause: see
    /// [`Input::live`].
    ///
    /// # Errors
    /// The errors of [`Input::decompressed`] and [`Input::live`].
    pub fn input(&self) -> io::Result<Input<'_>> {
        match self {
            Self::File(file) if file.metadata()?.is_file() => Input::decompressed(file),
            Self::File(file) => Input::decompressed(file.try_clone()?)?.live(),
            Self::Object(object) => Input::decompressed(object.reader()),
        }
    }

    /// Reports whether the input is Parquet and is to be read as such: see [`Framing::is_parquet`].
    ///
    /// # Errors
    /// An error if the input cannot be read.
    pub fn is_parquet(&self, framing: Framing) -> io::Result<bool> {
        match (self, framing.asks_for_parquet()) {
            (Self::File(file), _) => framing.is_parquet(file),
            (Self::Object(_), Some(is_asked)) => Ok(is_asked),
            (Self::Object(object), None) => is_parquet(&**object),
        }
    }

    /// Returns the state of the input before it is read, or `None` for a pipe or a device, which
    /// has none.
    pub(crate) fn before(&self) -> io::Result<Option<Stamp>> {
        match self {
            Self::File(file) => {
                let found = file.metadata()?;
                Ok(found.is_file().then(|| Stamp::from(&found)))
            }
            Self::Object(object) => Ok(Some(object.stamp())),
        }
    }

    /// Reports whether the input begins with the signature of a compression format.
    pub(crate) fn is_compressed(&self) -> io::Result<bool> {
        let compression = self.input()?.compression();
        if let Self::File(file) = self {
            let mut file = file;
            file.rewind()?;
        }
        Ok(compression != Compression::None)
    }

    /// Returns all bytes, without decompressing them.
    pub(crate) fn bytes(&self) -> Box<dyn Read + Send + '_> {
        match self {
            Self::File(file) => Box::new(file),
            Self::Object(object) => object.reader(),
        }
    }
}

/// An object of a store that is read. Its errors are [`StoreError`](crate::files::StoreError)s.
pub trait Object: Send + Sync {
    /// Returns the state of the object when it was listed.
    fn stamp(&self) -> Stamp;

    /// Reads `length` bytes from `start` on, all of which must be within the object.
    ///
    /// # Errors
    /// An error if they cannot be read.
    fn read_at(&self, start: u64, length: usize) -> io::Result<Vec<u8>>;

    /// Returns a reader of the whole object.
    fn reader(&self) -> Box<dyn Read + Send + '_>;
}

fn is_parquet(object: &dyn Object) -> io::Result<bool> {
    let size = object.stamp().size;
    let shortest = PARQUET.len();
    if size < shortest as u64 {
        return Ok(false);
    }
    let first = object.read_at(0, shortest)?;
    let may_be = size >= 8 && first.starts_with(b"PAR");
    let last = match may_be {
        true => object.read_at(size - 4, 4)?,
        false => Vec::new(),
    };
    Ok(input::is_parquet_by(&first, &last))
}

/// The properties that distinguish a file from the same file after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last modification, in nanoseconds since 1970.
    pub(crate) modified: u128,
    /// The entity tag by which a store identifies this state of an object.
    pub(crate) tag: Option<Arc<str>>,
}

impl Stamp {
    /// Creates the stamp of an object in a store.
    pub fn of_object(size: u64, modified: SystemTime, tag: Option<&str>) -> Self {
        Self {
            size,
            modified: nanoseconds(modified),
            tag: tag.map(Arc::from),
        }
    }

    /// Returns the entity tag of an object.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        Self {
            size: found.len(),
            modified: found.modified().map_or(0, nanoseconds),
            tag: None,
        }
    }
}

fn nanoseconds(time: SystemTime) -> u128 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos())
}
