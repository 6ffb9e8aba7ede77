//! Files that are written under a temporary name beside their target, and renamed when they are
//! complete.
//!
//! A process that is killed leaves its temporary files behind. Each file is locked by its writer,
//! and the system releases the lock when the process ends. So a later run can detect leftover files
//! and remove them ([`sweep`]) without touching the files of another run. A process that ends by a
//! signal that it can catch removes its own files ([`remove_all`]).

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::{Builder, NamedTempFile};

use crate::folder_of;

/// The prefix and suffix of their names. Files whose names begin with a dot are not read from input
/// folders.
const NAME: (&str, &str) = (".pqseal-", ".tmp");

/// The temporary files of this process. Locked while one of them is created or removed.
static LIVING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The treatment of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// The file is replaced by the complete new one.
    Allow,
    /// The file is kept, and the command fails.
    Refuse,
}

/// A new file, which is removed on drop unless it is persisted.
#[derive(Debug)]
pub struct Temporary {
    /// `None` after it is persisted.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

/// Creates a file in the folder of `target`. Its permissions are `mode` without the umask, on
/// systems that have permissions.
///
/// # Errors
/// An error if it cannot be created.
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
        // Another run may remove it before it is locked. If so, another file is created. On systems
        // without locks nothing is removed.
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
    /// Returns the file.
    pub fn as_file(&self) -> &File {
        self.named().as_file()
    }

    /// Renames the file to `target`, replacing an existing file.
    ///
    /// # Errors
    /// An error if the system refuses. The file is removed then.
    pub fn persist(self, target: &Path) -> io::Result<()> {
        self.persist_open(target).map(drop)
    }

    /// Renames the file to `target`, like [`Self::persist`], and keeps it open and locked.
    ///
    /// # Errors
    /// An error if the system refuses. The file is removed then.
    pub fn persist_open(mut self, target: &Path) -> io::Result<File> {
        let file = self.file.take().expect("it is persisted once");
        let _living = living();
        Ok(file.persist(target)?)
    }

    /// Renames the file to `target`, unless that exists.
    ///
    /// # Errors
    /// An error if it exists or the system refuses. The file is removed then.
    fn persist_noclobber(mut self, target: &Path) -> io::Result<()> {
        let file = self.file.take().expect("it is persisted once");
        let _living = living();
        file.persist_noclobber(target)?;
        Ok(())
    }

    /// Syncs the file to the disk, and renames it to `target`.
    ///
    /// # Errors
    /// An error if the system refuses, or if `target` exists and must not be replaced. The file is
    /// removed then.
    pub fn publish(self, target: &Path, overwrite: Overwrite) -> io::Result<()> {
        self.as_file().sync_all()?;
        match overwrite {
            Overwrite::Allow => self.persist(target),
            Overwrite::Refuse => self.persist_noclobber(target),
        }
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

/// A guard. While it exists, no temporary file is created or renamed.
#[derive(Debug)]
#[must_use = "others are made as soon as this is dropped"]
pub struct Removed {
    _living: MutexGuard<'static, BTreeSet<PathBuf>>,
}

/// Removes the temporary files of this process, which is about to end.
pub fn remove_all() -> Removed {
    let living = living();
    for path in living.iter() {
        // Files that cannot be removed are left to the next run.
        let _ = fs::remove_file(path);
    }
    Removed { _living: living }
}

fn living() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes files that killed runs left in the folder of `target`. Errors are ignored.
pub fn sweep(target: &Path) {
    sweep_with(target, |_| Ok(()));
}

/// Removes files like [`sweep`], and calls `before` with each one first, such as to overwrite it. A
/// file for which that fails stays.
pub fn sweep_with(target: &Path, before: impl Fn(&File) -> io::Result<()>) {
    let entries = fs::read_dir(folder_of(target)).into_iter().flatten();
    for entry in entries.flatten() {
        // Opening a pipe would wait for its other end.
        if is_temporary(&entry.path()) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = remove(&entry.path(), &before);
        }
    }
}

/// Reports whether a file has the name of a temporary file.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.starts_with(NAME.0.as_bytes()) && name.ends_with(NAME.1.as_bytes())
}

fn remove(path: &Path, before: impl Fn(&File) -> io::Result<()>) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    file.try_lock()?;
    before(&file)?;
    fs::remove_file(path)
}
