//! A position in a file, and the recognition of the file.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use pqseal_atomic_file::{Identity, identity};

use super::mark::Mark;

/// A file, and a position in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// The inode number, or 0 on systems that have none.
    pub(super) inode: u64,
    /// The position, in bytes from the start.
    pub(super) offset: u64,
    pub(super) mark: Mark,
}

impl Place {
    /// Returns the end of `file`, which is at `path`.
    pub(super) fn end(path: &Path, file: &File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self {
            path: path.to_owned(),
            inode: inode(&found),
            offset: found.len(),
            mark: Mark::before(file, found.len())?,
        })
    }

    /// Reports whether `file`, which is at `path`, is this file, by its inode number or else its
    /// name, and by its contents.
    pub(super) fn is_in(&self, path: &Path, file: &File) -> io::Result<bool> {
        let has_number = self.inode != 0 && self.inode == inode(&file.metadata()?);
        Ok((has_number || self.has_name(path)) && self.is_held(file)?)
    }

    /// Reports whether the file at `path` has the contents of this one.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let is_held = File::open(path).and_then(|file| self.is_held(&file));
        is_held.unwrap_or(false)
    }

    /// Reports whether this file has the inode number and is at `path`.
    pub(super) fn has_number(&self, inode: u64, path: &Path) -> bool {
        inode != 0 && self.inode == inode && self.is_at(path)
    }

    /// Reports whether this file has the name. At position 0 it could not be distinguished from
    /// another file of that name.
    pub(super) fn has_name(&self, path: &Path) -> bool {
        self.path == path && (self.inode == 0 || self.mark.size > 0)
    }

    fn is_held(&self, file: &File) -> io::Result<bool> {
        let is_long = file.metadata()?.len() >= self.offset;
        Ok(is_long && self.mark.is_before(file, self.offset)?)
    }
}

/// An existing file.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// The inode number, as in [`Place::inode`].
    pub(super) inode: u64,
    /// The size in bytes.
    pub(super) size: u64,
}

impl Seen {
    /// Looks up the file at `path`.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path)?;
        if !found.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(Self {
            identity: identity(path, &found)?,
            inode: inode(&found),
            size: found.len(),
            path: path.to_owned(),
        })
    }

    /// Opens the file, unless it was removed or its name now belongs to another file.
    pub(super) fn open(&self) -> io::Result<Option<File>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_same = identity(&self.path, &file.metadata()?)? == self.identity;
        Ok(is_same.then_some(file))
    }
}

#[cfg(unix)]
fn inode(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
const fn inode(_found: &Metadata) -> u64 {
    0
}
