//! A file that was read, and a file that is there.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::mark::Mark;
use crate::files::{Identity, identity};

/// How far one file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    /// Its number in its file system; 0 where there is none.
    pub(super) inode: u64,
    /// How many bytes were taken.
    pub(super) offset: u64,
    /// The number of the line that begins there.
    pub(super) number: u64,
    pub(super) mark: Mark,
    /// Whether a line that is too large for a record goes on there.
    pub(super) in_line: bool,
}

impl Entry {
    /// Whether the file at `path` is this one, by what it holds.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let is_at = || {
            let mut file = File::open(path)?;
            let is_long = file.metadata()?.len() >= self.offset;
            Ok::<_, io::Error>(is_long && self.mark.is_before(&mut file, self.offset)?)
        };
        is_at().unwrap_or(false)
    }

    /// Whether it has this number, and is at `path`.
    pub(super) fn has_number(&self, inode: u64, path: &Path) -> bool {
        inode != 0 && self.inode == inode && self.is_at(path)
    }
}

/// A file that is there.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// As [`Entry::inode`].
    pub(super) inode: u64,
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
            path: path.to_owned(),
        })
    }

    /// Opens it, unless another has its name by now.
    pub(super) fn open(&self) -> io::Result<Option<File>> {
        let file = File::open(&self.path)?;
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
