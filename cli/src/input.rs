//! Where bytes come from: a file, or standard input.

use std::{
    ffi::OsString,
    fmt,
    fs::{self, File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
};

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
    /// Anything else.
    File(PathBuf),
}

impl Source {
    /// All of it. Blobs have no limit of their own: some are beyond 150 KB.
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

    /// All of it, or one byte more than `limit`. Read into one buffer, which is wiped on drop;
    /// where a file has a size that is all that is wiped, since that costs more than reading.
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

    /// The bytes one after another, for what may be larger than memory.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn stream(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(File::open(path)?),
        })
    }

    /// The file's path, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path),
        }
    }

    /// The failure to read it.
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

/// Standard input can be read once.
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

/// Warns of a file that more than its owner can read; `what` is a key or a passphrase.
#[cfg(unix)]
pub fn warn_if_others_read(source: &Source, what: &str) {
    use std::os::unix::fs::PermissionsExt;
    let Some(found) = source.path().and_then(|path| fs::metadata(path).ok()) else {
        return;
    };
    let mode = found.permissions().mode() & 0o777;
    if found.is_file() && mode & 0o077 != 0 {
        warn(format_args!(
            "others can read the {what} file {source} (mode {mode:04o}); run: chmod 600 {source}"
        ));
    }
}

/// Other systems have no such modes.
#[cfg(not(unix))]
pub fn warn_if_others_read(_source: &Source, _what: &str) {}

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
