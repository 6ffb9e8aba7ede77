//! A place in a file, and how the file is recognised.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::mark::Mark;
use crate::files::{Identity, identity};

/// A file, and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// Its inode; 0 on systems that have none.
    pub(super) inode: u64,
    /// How many bytes are before the place.
    pub(super) offset: u64,
    pub(super) mark: Mark,
}

impl Place {
    /// The end of `file`, which is at `path`.
    pub(super) fn end(path: &Path, file: &File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self {
            path: path.to_owned(),
            inode: inode(&found),
            offset: found.len(),
            mark: Mark::before(file, found.len())?,
        })
    }

    /// Whether `file`, which is at `path`, is this one: by its number, or else by its name, and by
    /// what it holds.
    pub(super) fn is_in(&self, path: &Path, file: &File) -> io::Result<bool> {
        let has_number = self.inode != 0 && self.inode == inode(&file.metadata()?);
        Ok((has_number || self.has_name(path)) && self.is_held(file)?)
    }

    /// Whether the file at `path` is this one, by what it holds.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let is_held = File::open(path).and_then(|file| self.is_held(&file));
        is_held.unwrap_or(false)
    }

    /// Whether it has this number, and is at `path`.
    pub(super) fn has_number(&self, inode: u64, path: &Path) -> bool {
        inode != 0 && self.inode == inode && self.is_at(path)
    }

    /// Whether it has this name. Where nothing is before the place, another file of this name could
    /// not be distinguished.
    pub(super) fn has_name(&self, path: &Path) -> bool {
        self.path == path && (self.inode == 0 || self.mark.size > 0)
    }

    fn is_held(&self, file: &File) -> io::Result<bool> {
        let is_long = file.metadata()?.len() >= self.offset;
        Ok(is_long && self.mark.is_before(file, self.offset)?)
    }
}

/// A file that is there.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// As [`Place::inode`].
    pub(super) inode: u64,
    /// How many bytes it had.
    pub(super) size: u64,
}

impl Seen {
    /// The file at `path`.
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

    /// Opens it, unless it was removed or another has its name by now.
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
