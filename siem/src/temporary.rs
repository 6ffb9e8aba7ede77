//! Files that are written beside their place, and take it by a rename once they are whole.
//!
//! A program that is killed leaves them behind. Each is locked while its writer lives, and a lock
//! ends with its process however that ends: so a later run can tell what is left over, and removes
//! it ([`sweep`]), but never what another run is writing.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

use tempfile::{Builder, NamedTempFile};

/// How their names begin and end. Input folders are read without names that begin with a dot.
const NAME: (&str, &str) = (".pqseal-", ".tmp");

/// A new file in the folder of `target`, which goes away unless it is persisted. `mode` is for
/// systems that have such.
///
/// # Errors
/// If it cannot be made.
pub fn beside(target: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    loop {
        let file = builder.tempfile_in(folder(target))?;
        // Another run may sweep it before the lock is on it: then it is not there any more, and the
        // next is tried. Where there are no locks, nothing is swept either.
        let is_locked = !matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if is_locked && file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes what killed runs left in the folder of `target`; what cannot be removed stays, without a
/// word.
pub fn sweep(target: &Path) {
    for entry in fs::read_dir(folder(target)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_ours = name.starts_with(NAME.0.as_bytes()) && name.ends_with(NAME.1.as_bytes());
        // To open a pipe would wait for its other end.
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = remove(&entry.path());
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    file.try_lock()?;
    fs::remove_file(path)
}

fn folder(target: &Path) -> &Path {
    target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
