//! Files that appear complete or not at all, for logs, age files, keys and servers.
//!
//! A [`Temporary`] file is written beside its target, synced, and renamed. [`identity`] and
//! [`is_file_at`] tell files from their names, and [`lock`] keeps two processes from appending to
//! one file.

#![forbid(unsafe_code)]

mod temporary;

use std::{
    fs::{self, File, Metadata, TryLockError},
    io,
    path::Path,
};

pub use temporary::{
    Overwrite, Removed, Temporary, beside, is_temporary, remove_all, sweep, sweep_with,
};

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Makes the names in a folder durable.
///
/// # Errors
/// Those of the system.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing, because other systems do not let a program wait for that.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Reports whether the path leads to the open file, which it does not after the file was renamed,
/// replaced or removed.
#[cfg(unix)]
pub fn is_file_at(path: &Path, file: &File) -> bool {
    let is_at = || {
        let there = identity(path, &fs::metadata(path)?)?;
        Ok::<_, io::Error>(there == identity(path, &file.metadata()?)?)
    };
    is_at().unwrap_or(false)
}

/// Reports whether the path leads to the open file, by their volumes and numbers on Windows. Other
/// systems have none, so that the answer is always no.
#[cfg(not(unix))]
pub fn is_file_at(path: &Path, file: &File) -> bool {
    use same_file::Handle;
    let is_at =
        || Ok::<_, io::Error>(Handle::from_path(path)? == Handle::from_file(file.try_clone()?)?);
    is_at().unwrap_or(false)
}

/// Locks a file that lines are appended to, on systems that have locks. Two processes that append
/// to one file would truncate each other's lines.
///
/// # Errors
/// An error if another process has locked it.
pub fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another process writes to it; give each a separate file",
        )),
        _ => Ok(()),
    }
}

/// The identity of a file or a folder: its device and its number there.
#[cfg(unix)]
pub type Identity = (u64, u64);
/// The identity of a file or a folder: its path without links.
#[cfg(not(unix))]
pub type Identity = std::path::PathBuf;

/// Returns the identity of the file or folder at `path`, which has this metadata.
///
/// # Errors
/// Those of the system, if it has to look the path up.
#[cfg(unix)]
pub fn identity(_path: &Path, found: &Metadata) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    Ok((found.dev(), found.ino()))
}

/// Returns the identity of the file or folder at `path`.
///
/// # Errors
/// Those of the system.
#[cfg(not(unix))]
pub fn identity(path: &Path, _found: &Metadata) -> io::Result<Identity> {
    fs::canonicalize(path)
}

/// The README, whose example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
