//! A disk that fails, for tests.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use crate::{append::Disk, spool::Lines};

/// A file on a disk that fails once, or whenever it is asked for too much.
pub struct Failing {
    file: File,
    path: PathBuf,
    /// `true` if the next sync fails.
    pub next_sync: bool,
    /// The longest write that succeeds, in bytes.
    pub longest: u64,
    /// The name that the file gets after the next write.
    pub next_name: Option<PathBuf>,
}

impl Failing {
    /// Opens another handle of the file at `path`, and lets `change` say what fails.
    ///
    /// # Panics
    /// If the file cannot be opened.
    pub fn disk(path: &Path, change: impl FnOnce(&mut Self)) -> Box<dyn Disk> {
        let mut disk = Self {
            file: File::options().append(true).open(path).unwrap(),
            path: path.to_owned(),
            next_sync: false,
            longest: u64::MAX,
            next_name: None,
        };
        change(&mut disk);
        Box::new(disk)
    }

    /// Returns a disk whose next sync fails.
    ///
    /// # Panics
    /// If the file cannot be opened.
    pub fn sync(path: &Path) -> Box<dyn Disk> {
        Self::disk(path, |disk| disk.next_sync = true)
    }
}

impl Disk for Failing {
    fn append(&mut self, lines: &mut Lines) -> io::Result<()> {
        if lines.len > self.longest {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.append(lines)?;
        match self.next_name.take() {
            Some(name) => fs::rename(&self.path, name),
            None => Ok(()),
        }
    }

    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn set_size(&mut self, size: u64) -> io::Result<()> {
        self.file.set_size(size)
    }

    fn sync(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.next_sync) {
            true => Err(io::Error::other("a broken disk")),
            false => self.file.sync(),
        }
    }

    fn is_at(&self, path: &Path) -> bool {
        self.file.is_at(path)
    }
}
