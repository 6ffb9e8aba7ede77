//! The source of bytes: a file, or standard input.

use std::{
    ffi::OsString,
    fmt,
    fs::{File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
};

use pqseal_pipeline::Input;
use zeroize::Zeroizing;

use crate::{
    error::{Error, warn},
    escape,
};

/// A name on the command line; `-` is standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `-`.
    Stdin,
    /// A path.
    File(PathBuf),
}

impl Source {
    /// Reads all bytes. Blobs have no limit of their own: some exceed 150 kB.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.open()
            .and_then(|mut reader| reader.read_to_end(&mut bytes))
            .map_err(|error| self.unreadable(&error))?;
        Ok(bytes)
    }

    /// Reads all bytes, or one more than `limit`, into one buffer, which is wiped on drop. The
    /// buffer of a file has only the file's size, since wiping costs more than reading.
    ///
    /// # Errors
    /// If it cannot be read, or grows meanwhile.
    pub fn read_secret(&self, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
        let file = self
            .path()
            .and_then(|path| path.metadata().ok())
            .filter(Metadata::is_file);
        let size = file
            .and_then(|file| usize::try_from(file.len()).ok())
            .filter(|size| (1..limit).contains(size))
            .unwrap_or(limit);
        let mut bytes = Zeroizing::new(Vec::with_capacity(size + 64));
        self.open()?.take(size as u64 + 1).read_to_end(&mut bytes)?;
        if size < limit && bytes.len() > size {
            return Err(io::Error::other("it grew while it was read"));
        }
        Ok(bytes)
    }

    /// Reads all bytes like [`Self::read_secret`], or one more than `large` if the first `limit`
    /// are the beginning of a large file.
    ///
    /// # Errors
    /// As [`Self::read_secret`].
    pub fn read_large_secret(
        &self,
        (limit, large): (usize, usize),
        is_large: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Zeroizing<Vec<u8>>> {
        let size = self.size().and_then(|size| usize::try_from(size).ok());
        let size = size.filter(|size| (1..large).contains(size));
        let mut reader = self.open()?;
        let first = size.unwrap_or(limit).min(limit);
        let mut bytes = Zeroizing::new(Vec::with_capacity(first + 64));
        reader
            .by_ref()
            .take(first as u64 + 1)
            .read_to_end(&mut bytes)?;
        if is_large(&bytes) {
            let mut all = Zeroizing::new(Vec::with_capacity(size.unwrap_or(large) + 64));
            all.extend_from_slice(&bytes);
            let rest = (size.unwrap_or(large) + 1).saturating_sub(all.len());
            reader.take(rest as u64).read_to_end(&mut all)?;
            bytes = all;
        }
        match size {
            Some(size) if bytes.len() > size => Err(io::Error::other("it grew while it was read")),
            _ => Ok(bytes),
        }
    }

    /// Opens its records, and decompresses consecutive streams. Pipes and terminals may pause;
    /// records that are complete are then returned without waiting for more.
    ///
    /// # Errors
    /// If it cannot be opened or read.
    pub fn records(&self) -> io::Result<Input<'static>> {
        let file = match self {
            Self::File(path) => File::open(path)?,
            #[cfg(unix)]
            Self::Stdin => stdin()?,
            #[cfg(not(unix))]
            Self::Stdin => return Input::decompressed(io::stdin())?.live(),
        };
        let pauses = !file.metadata()?.is_file();
        let input = Input::decompressed(file)?;
        if pauses { input.live() } else { Ok(input) }
    }

    /// Returns its size in bytes, if it is a file.
    pub fn size(&self) -> Option<u64> {
        let found = match self {
            Self::File(path) => path.metadata(),
            #[cfg(unix)]
            Self::Stdin => stdin().and_then(|file| file.metadata()),
            #[cfg(not(unix))]
            Self::Stdin => return None,
        };
        found
            .ok()
            .filter(Metadata::is_file)
            .map(|found| found.len())
    }

    /// Returns the file's path, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path),
        }
    }

    /// Makes the error for a source that cannot be read.
    pub fn unreadable(&self, error: &io::Error) -> Error {
        Error::io(format_args!("read {self}"), error)
    }

    fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin().lock()),
            Self::File(path) => Box::new(File::open(path)?),
        })
    }
}

/// Returns standard input as a file, without a buffer, which would hide its kind and keep secrets
/// that were read.
///
/// # Errors
/// Those of the system.
#[cfg(unix)]
pub fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Returns standard input as a file, without a buffer.
///
/// # Errors
/// Those of the system.
#[cfg(windows)]
pub fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Checks that standard input is read at most once.
///
/// # Errors
/// If more than one of `sources` is standard input.
pub fn one_stdin<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Result<(), Error> {
    match sources
        .into_iter()
        .filter(|source| **source == Source::Stdin)
        .count()
    {
        0 | 1 => Ok(()),
        _ => Err(Error::usage(
            "standard input (`-`) can be only one of the inputs; put the others in files",
        )),
    }
}

/// Warns if others than its owner can read a file; `what` is a key or a passphrase.
pub fn warn_if_others_read(source: &Source, what: &str) {
    if let Some(mode) = others_can_read(source) {
        warn(
            "file_mode",
            format_args!(
                "others can read the {what} file {source} (mode {mode:04o}); run: chmod 600 {source}"
            ),
        );
    }
}

/// Returns the mode of a file that others than its owner can read.
#[cfg(unix)]
pub fn others_can_read(source: &Source) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(source.path()?).ok()?;
    let mode = found.permissions().mode() & 0o777;
    (found.is_file() && mode & 0o077 != 0).then_some(mode)
}

/// Returns `None`, because other systems have no such modes.
#[cfg(not(unix))]
pub const fn others_can_read(_source: &Source) -> Option<u32> {
    None
}

impl From<OsString> for Source {
    fn from(name: OsString) -> Self {
        if name == "-" {
            Self::Stdin
        } else {
            Self::File(name.into())
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => f.write_str(&escape::path(path)),
        }
    }
}
