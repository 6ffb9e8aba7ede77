//! What is read: a file, or an object of a store.

use std::{
    fs::{self, File},
    io::{self, Read, Seek},
    path::Path,
    sync::Arc,
};

use super::{Job, Stamp, identity, store::Object};
use crate::{
    frame::Framing,
    input::{self, Compression, Input},
};

/// The bytes of an input.
pub enum Content {
    /// A file, a pipe or a device.
    File(File),
    /// An object.
    Object(Arc<dyn Object>),
}

impl Content {
    /// Its records, decompressed.
    ///
    /// # Errors
    /// Those of [`Input::decompressed`].
    pub fn input(&self) -> io::Result<Input<'_>> {
        match self {
            Self::File(file) => Input::decompressed(file),
            Self::Object(object) => Input::decompressed(object.reader()),
        }
    }

    /// Whether it is Parquet, and not to be taken for something else: see [`Framing::is_parquet`].
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_parquet(&self, framing: Framing) -> io::Result<bool> {
        match (self, framing.asks_for_parquet()) {
            (Self::File(file), _) => framing.is_parquet(file),
            (Self::Object(_), Some(is_asked)) => Ok(is_asked),
            (Self::Object(object), None) => is_parquet(&**object),
        }
    }

    /// What it was like before it was read; `None` if it is a pipe or a device, which is nothing at
    /// any time.
    pub(super) fn before(&self) -> io::Result<Option<Stamp>> {
        match self {
            Self::File(file) => {
                let found = file.metadata()?;
                Ok(found.is_file().then(|| Stamp::from(&found)))
            }
            Self::Object(object) => Ok(Some(object.stamp())),
        }
    }

    /// Whether it begins as something compressed does.
    pub(super) fn is_compressed(&self) -> io::Result<bool> {
        let compression = self.input()?.compression();
        if let Self::File(file) = self {
            let mut file = file;
            file.rewind()?;
        }
        Ok(compression != Compression::None)
    }

    /// All of it, as it is.
    pub(super) fn bytes(&self) -> Box<dyn Read + Send + '_> {
        match self {
            Self::File(file) => Box::new(file),
            Self::Object(object) => object.reader(),
        }
    }

    /// Whether the file that `job` names is not, or no longer, what was read. An object tells that
    /// while it is read.
    pub(super) fn has_changed(&self, job: &Job, before: &Stamp) -> io::Result<bool> {
        match self {
            Self::File(file) => has_changed(&job.input, file, before),
            Self::Object(_) => Ok(false),
        }
    }
}

fn has_changed(path: &Path, file: &File, before: &Stamp) -> io::Result<bool> {
    let now = fs::metadata(path)?;
    let is_other = identity(path, &file.metadata()?)? != identity(path, &now)?;
    Ok(is_other || *before != Stamp::from(&now))
}

fn is_parquet(object: &dyn Object) -> io::Result<bool> {
    let size = object.stamp().size;
    let shortest = input::PARQUET.len();
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
