//! An append-only file of lines that may be renamed at any time, as logrotate does. Then a new file
//! is created.

use std::{io, path::Path};

use pqseal_atomic_file::{folder_of, sync_folder};

use crate::{append::Appended, spool::Lines};

/// The file at a path, which may be renamed.
pub struct Rotated {
    /// The file that had the name last.
    pub file: Appended,
    /// The reason why lines that wait for [`Rotated::sync`] are lost.
    failed: Option<io::Error>,
}

impl Rotated {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: opened(path)?,
            failed: None,
        })
    }

    /// Adds all of `lines`, or none of them, to the file that has the name both before and after
    /// the write, because a renamed file may have been compressed already. If the file was renamed,
    /// `left` is called with whether the earlier lines are on the disk, or lost.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn add(&mut self, lines: &mut Lines, mut left: impl FnMut(bool)) -> io::Result<()> {
        loop {
            if !self.file.has_its_name() {
                let synced = self.file.sync();
                left(synced.is_ok());
                if let Err(error) = synced {
                    self.failed = Some(io::Error::new(error.kind(), error.to_string()));
                    return Err(error);
                }
                self.file = opened(&self.file.path)?;
            }
            self.file.add(lines)?;
            if self.file.has_its_name() {
                return Ok(());
            }
            self.file.take_back(lines.len);
        }
    }

    /// Waits until everything that was added is on the disk. The first result is that of the file
    /// which has the name now. The second is an error also if lines were lost before a rename,
    /// since all waiting requests get the same result.
    pub fn sync(&mut self) -> (bool, io::Result<()>) {
        let synced = self.file.sync();
        (synced.is_ok(), self.failed.take().map_or(synced, Err))
    }
}

/// Opens the file, whose name is then on the disk too.
fn opened(path: &Path) -> io::Result<Appended> {
    let is_new = !path.exists();
    let file = Appended::open(path, false)?;
    if is_new {
        sync_folder(folder_of(path))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::failing::Failing;

    fn add(file: &mut Rotated, line: &str) -> io::Result<()> {
        file.add(&mut Lines::from(line.as_bytes().to_vec()), |_| ())
    }

    #[test]
    fn a_file_that_was_renamed_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, renamed) = (folder.path().join("a"), folder.path().join("a.1"));
        let mut file = Rotated::open(&path).unwrap();
        add(&mut file, "1\n").unwrap();
        fs::rename(&path, &renamed).unwrap();
        add(&mut file, "2\n").unwrap();
        file.sync().1.unwrap();
        fs::remove_file(&path).unwrap();
        add(&mut file, "3\n").unwrap();
        file.sync().1.unwrap();
        assert_eq!(fs::read_to_string(&renamed).unwrap(), "1\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "3\n");
    }

    /// The old file may have been read to its end by then.
    #[test]
    fn a_line_that_is_written_during_a_rename_is_in_the_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, renamed) = (folder.path().join("a"), folder.path().join("a.1"));
        let mut file = Rotated::open(&path).unwrap();
        add(&mut file, "1\n").unwrap();
        file.file.disk = Failing::disk(&path, |disk| disk.next_name = Some(renamed.clone()));
        add(&mut file, "2\n").unwrap();
        file.sync().1.unwrap();
        assert_eq!(fs::read_to_string(&renamed).unwrap(), "1\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "2\n");
    }

    #[test]
    fn lines_that_were_lost_before_a_rename_are_not_reported_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = Rotated::open(&path).unwrap();
        add(&mut file, "1\n").unwrap();
        file.file.disk = Failing::sync(&path);
        fs::rename(&path, folder.path().join("a.1")).unwrap();
        assert!(add(&mut file, "2\n").is_err());
        add(&mut file, "3\n").unwrap();
        let (is_synced, result) = file.sync();
        assert!(
            is_synced && result.is_err(),
            "it would say that `1` is on the disk"
        );
        file.sync().1.unwrap();
    }
}
