//! Files that are written under a temporary name beside their target, and renamed once they are
//! whole.
//!
//! A process that is killed leaves them behind. Each is locked while its writer lives, and the
//! system drops a lock with its process. So a later run can tell which ones are left over, and
//! removes those ([`sweep`]), but never what another run is writing. A process that ends by a
//! signal it can catch removes its own ([`remove_all`]).

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::{Builder, NamedTempFile};

use super::folder_of;

/// How their names begin and end. Input folders are read without names that begin with a dot.
const NAME: (&str, &str) = (".pqseal-", ".tmp");

/// Those of this process. Locked while one of them appears or goes.
static LIVING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A new file, removed on drop unless it is persisted.
#[derive(Debug)]
pub struct Temporary {
    /// `None` once it is persisted.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

/// A new file in the folder of `target`. `mode` is its permissions, less the umask, on systems that
/// have such.
///
/// # Errors
/// If it cannot be made.
pub fn beside(target: &Path, mode: u32) -> io::Result<Temporary> {
    let mut builder = Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    let mut living = living();
    loop {
        let file = builder.tempfile_in(folder_of(target))?;
        // Another run may sweep it before it is locked: then it is gone, and the next is tried.
        // Where there are no locks, nothing is swept either.
        let is_locked = !matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if is_locked && file.path().exists() {
            let path = file.path().to_owned();
            living.insert(path.clone());
            let file = Some(file);
            return Ok(Temporary { file, path });
        }
    }
}

impl Temporary {
    /// The file.
    pub fn as_file(&self) -> &File {
        self.named().as_file()
    }

    /// Gives it its place, in which it replaces what is there.
    ///
    /// # Errors
    /// If the system refuses; then the file is removed.
    pub fn persist(self, target: &Path) -> io::Result<()> {
        self.persist_open(target).map(drop)
    }

    /// The same, and keeps it open and locked.
    pub(crate) fn persist_open(mut self, target: &Path) -> io::Result<File> {
        let file = self.file.take().expect("it is persisted once");
        let _living = living();
        Ok(file.persist(target)?)
    }

    /// Gives it its place, if that is free.
    ///
    /// # Errors
    /// If it is not, or the system refuses; then the file is removed.
    pub fn persist_noclobber(mut self, target: &Path) -> io::Result<()> {
        let file = self.file.take().expect("it is persisted once");
        let _living = living();
        file.persist_noclobber(target)?;
        Ok(())
    }

    fn named(&self) -> &NamedTempFile {
        self.file.as_ref().expect("it is not persisted yet")
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut living = living();
        drop(self.file.take());
        living.remove(&self.path);
    }
}

/// While it lives no temporary file is made, and none gets its place.
#[derive(Debug)]
#[must_use = "others are made as soon as this is dropped"]
pub struct Removed {
    _living: MutexGuard<'static, BTreeSet<PathBuf>>,
}

/// Removes the temporary files of this process, which is about to end.
pub fn remove_all() -> Removed {
    let living = living();
    for path in living.iter() {
        // What cannot be removed is left to the next run.
        let _ = fs::remove_file(path);
    }
    Removed { _living: living }
}

fn living() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what killed runs left in the folder of `target`. What cannot be removed stays.
pub fn sweep(target: &Path) {
    let entries = fs::read_dir(folder_of(target)).into_iter().flatten();
    for entry in entries.flatten() {
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
