//! Durable names of files, their folders, and the limit of their size.

use std::{fs::File, io, path::Path};

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

/// Returns the largest size in bytes of a file that this process writes, if it is limited (`ulimit -f`).
#[cfg(unix)]
pub fn largest_file() -> Option<u64> {
    let limit = rlimit::Resource::FSIZE.get_soft().ok()?;
    (limit != rlimit::INFINITY).then_some(limit)
}

/// Returns `None`, because other systems have no such limit.
#[cfg(not(unix))]
pub const fn largest_file() -> Option<u64> {
    None
}
