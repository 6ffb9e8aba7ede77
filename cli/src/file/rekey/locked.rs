//! A file that is changed in place: opened once, and locked against another rekey.

use std::{
    fs::{self, File, TryLockError},
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use pqseal_age::Input;
use pqseal_atomic_file::is_file_at;

use crate::{
    error::{Error, warn},
    escape,
    file::{
        decrypt,
        journal::{self, Journal, State},
    },
    input::Source,
};

/// A locked file.
pub(super) struct Locked {
    /// Its path, without links.
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) is_writable: bool,
}

impl Locked {
    /// Opens a file, and restores its header if a rekey of it was interrupted.
    ///
    /// # Errors
    /// If that is not possible, or another rekey is in progress.
    pub(super) fn open(name: &Source, path: &Path) -> Result<Self, Error> {
        let locked = Self::of(path).map_err(|error| name.unreadable(&error).of_one())?;
        if !locked.file.metadata().is_ok_and(|found| found.is_file()) {
            let message = format!(
                "{name} is not a regular file, so it cannot be changed in place; add -o OUT"
            );
            return Err(Error::refused(message).of_one());
        }
        // On Windows a lock would prevent this process from reading the file too.
        if cfg!(unix) && matches!(locked.file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message =
                format!("another rekey is changing {name}; run this again when it has ended");
            return Err(Error::refused(message).of_one());
        }
        locked.recover(name)?;
        Ok(locked)
    }

    fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let (file, is_writable) = match File::options().read(true).write(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                (File::open(&path)?, false)
            }
            opened => (opened?, true),
        };
        Ok(Self {
            path,
            file,
            is_writable,
        })
    }

    /// Reads the file from its beginning.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn input(&self, name: &Source) -> Result<Input<BufReader<File>>, Error> {
        let file = journal::rewound(&self.file);
        let file = file.map_err(|error| name.unreadable(&error).of_one())?;
        decrypt::input(name, file)
    }

    /// Reports whether its path still refers to it, since another program may have replaced
    /// it.
    pub(super) fn has_its_name(&self) -> bool {
        is_file_at(&self.path, &self.file)
    }

    /// Restores the header that an interrupted rekey was replacing.
    fn recover(&self, name: &Source) -> Result<(), Error> {
        let failed = |error: &io::Error| {
            Error::io(format_args!("restore the header of {name}"), error).of_one()
        };
        let Some(journal) = Journal::read(&self.path).map_err(|error| failed(&error))? else {
            return Ok(());
        };
        match journal.state(&self.file).map_err(|error| failed(&error))? {
            State::Whole => {}
            State::Torn => {
                journal
                    .restore(&self.file)
                    .map_err(|error| failed(&error))?;
                let message = format!(
                    "an earlier rekey of {name} was interrupted; its old header was restored"
                );
                warn("restored", message);
            }
            State::Other => {
                let kept = escape::path(&journal::of(&self.path));
                let message = format!(
                    "{kept} belongs to a rekey that was interrupted, and {name} has been replaced since then; move {kept} away, and run this again"
                );
                return Err(Error::refused(message).of_one());
            }
        }
        journal.remove(&self.file).map_err(|error| failed(&error))
    }
}
