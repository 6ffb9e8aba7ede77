//! The file of dead letters. It may be renamed at any time, as logrotate does, and is then made again.

use std::{io, path::Path};

use crate::server::{
    append::{Appended, sync_folder},
    spool::Lines,
};

/// The file.
pub(super) struct Letters {
    file: Appended,
    /// Why letters that still wait for [`Letters::sync`] are lost.
    failed: Option<io::Error>,
}

impl Letters {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: opened(path)?,
            failed: None,
        })
    }

    /// Adds all of `letters`, or none of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn add(&mut self, letters: &mut Lines) -> io::Result<()> {
        if !self.file.has_its_name() {
            if let Err(error) = self.file.sync() {
                self.failed = Some(io::Error::new(error.kind(), error.to_string()));
                return Err(error);
            }
            self.file = opened(&self.file.path)?;
        }
        self.file.add(letters)
    }

    /// Waits until all that was added is on the disk.
    ///
    /// # Errors
    /// If that is not certain.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        let synced = self.file.sync();
        self.failed.take().map_or(synced, Err)
    }
}

/// The file, whose name is on the disk too.
fn opened(path: &Path) -> io::Result<Appended> {
    let is_new = !path.exists();
    let file = Appended::open(path, false)?;
    if is_new {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        sync_folder(folder.unwrap_or(Path::new(".")))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;
    use crate::server::spool::Spool;

    fn lines(text: &str) -> Lines {
        let mut spool = Spool::new(Path::new("."));
        spool.write_all(text.as_bytes()).unwrap();
        spool.finish().unwrap()
    }

    #[test]
    fn a_file_that_was_renamed_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, renamed) = (folder.path().join("a"), folder.path().join("a.1"));
        let mut letters = Letters::open(&path).unwrap();
        letters.add(&mut lines("1")).unwrap();
        fs::rename(&path, &renamed).unwrap();
        letters.add(&mut lines("2")).unwrap();
        letters.sync().unwrap();
        fs::remove_file(&path).unwrap();
        letters.add(&mut lines("3")).unwrap();
        letters.sync().unwrap();
        assert_eq!(fs::read_to_string(&renamed).unwrap(), "1\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "3\n");
    }

    #[test]
    fn letters_that_were_lost_before_a_rename_are_not_reported_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut letters = Letters::open(&path).unwrap();
        letters.add(&mut lines("1")).unwrap();
        fs::rename(&path, folder.path().join("a.1")).unwrap();
        letters.file.fail_next_sync();
        assert!(letters.add(&mut lines("2")).is_err());
        letters.add(&mut lines("3")).unwrap();
        assert!(
            letters.sync().is_err(),
            "it would say that `1` is on the disk"
        );
        letters.sync().unwrap();
    }
}
