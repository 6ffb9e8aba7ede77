//! Names of files: their folders, and whether a name still belongs to an open file.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Makes the names in a folder permanent.
///
/// # Errors
/// Those of the system.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems do not let a program wait for that.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether the path leads to the open file. It does not if that was renamed, replaced or removed.
#[cfg(unix)]
pub fn is_file_at(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;

    match (fs::metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => (named.dev(), named.ino()) == (open.dev(), open.ino()),
        _ => false,
    }
}

/// Other systems do not rename a file that is open.
#[cfg(not(unix))]
pub fn is_file_at(path: &Path, _file: &File) -> bool {
    fs::metadata(path).is_ok()
}
