//! An append-only file of complete lines. A partial line is cut off.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use pqseal_atomic_file::{folder_of, is_file_at, lock};

use super::spool::Lines;

/// A file that is appended to.
pub(crate) struct Appended {
    file: File,
    pub(crate) path: PathBuf,
    /// The number of bytes in complete lines.
    pub(crate) len: u64,
    /// The number of those bytes that are kept if the next sync fails.
    synced: u64,
    /// `true` if something may not be on the disk. This includes lines of an earlier run, and the
    /// removal of its partial line.
    is_dirty: bool,
    /// `true` if there may be bytes after those lines that could not be cut off.
    is_damaged: bool,
    #[cfg(test)]
    sync_fails: bool,
    #[cfg(test)]
    longest: Option<u64>,
    #[cfg(test)]
    next_name: Option<PathBuf>,
}

impl Appended {
    /// Opens the file, or creates it with mode 0600, and cuts off the partial line of a killed run.
    /// `is_new` refuses an existing file. The file is locked until it is dropped.
    ///
    /// # Errors
    /// Those of the system, and if another process appends to it.
    pub(crate) fn open(path: &Path, is_new: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .append(true)
            .create(true)
            .create_new(is_new);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let found = file.metadata()?;
        let len = match found.is_file() {
            true => {
                lock(&file)?;
                end_of_lines(&mut file, found.len())?
            }
            false => 0,
        };
        if found.is_file() && len < found.len() {
            file.set_len(len)?;
        }
        let path = path.to_owned();
        Ok(Self {
            file,
            path,
            len,
            synced: len,
            is_dirty: !is_new,
            is_damaged: false,
            #[cfg(test)]
            sync_fails: false,
            #[cfg(test)]
            longest: None,
            #[cfg(test)]
            next_name: None,
        })
    }

    /// Makes the next [`Self::sync`] fail, like a broken disk.
    #[cfg(test)]
    pub(crate) fn fail_next_sync(&mut self) {
        self.sync_fails = true;
    }

    /// Makes longer writes than this fail, like a full disk.
    #[cfg(test)]
    pub(crate) fn fail_writes_longer_than(&mut self, bytes: u64) {
        self.longest = Some(bytes);
    }

    /// Makes the next write be followed by a rename.
    #[cfg(test)]
    pub(crate) fn rename_after_next_write(&mut self, name: &Path) {
        self.next_name = Some(name.to_owned());
    }

    /// Adds all of `lines`, or none of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn add(&mut self, lines: &mut Lines) -> io::Result<()> {
        self.mend()?;
        #[cfg(test)]
        if self.longest.is_some_and(|longest| lines.len > longest) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if let Err(error) = lines.copy_to(&mut self.file) {
            self.is_damaged = true;
            // If this fails, the next call retries it.
            let _ = self.mend();
            return Err(error);
        }
        #[cfg(test)]
        if let Some(name) = self.next_name.take() {
            fs::rename(&self.path, name)?;
        }
        self.len += lines.len;
        self.is_dirty |= lines.len > 0;
        Ok(())
    }

    /// Cuts off the last `bytes`, which were added since the last sync. If this fails, the next
    /// call of [`Self::add`] retries it.
    pub(crate) fn take_back(&mut self, bytes: u64) {
        self.len = self.len.saturating_sub(bytes).max(self.synced);
        self.is_damaged = true;
        let _ = self.mend();
    }

    /// Returns whether lines in it wait for [`Self::sync`].
    pub(crate) const fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    /// Reports whether the file still has its name.
    pub(crate) fn has_its_name(&self) -> bool {
        self.has_name(&self.path)
    }

    /// Returns whether the file still contains everything that was written to it.
    pub(crate) fn is_whole(&self) -> bool {
        self.file
            .metadata()
            .is_ok_and(|found| found.len() >= self.len)
    }

    /// Returns whether the file has this name.
    pub(crate) fn has_name(&self, path: &Path) -> bool {
        is_file_at(path, &self.file)
    }

    /// Cuts off anything after the complete lines.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn mend(&mut self) -> io::Result<()> {
        if self.is_damaged {
            // Others may have truncated it; then it must not be filled up with zeros.
            if self.file.metadata()?.len() > self.len {
                self.file.set_len(self.len)?;
            }
            self.is_damaged = false;
        }
        Ok(())
    }

    /// Waits until all of it is on the disk. If that fails, the state of the disk is unknown, so
    /// the lines since the last sync are cut off.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if !self.is_dirty {
            return Ok(());
        }
        match self.sync_data() {
            // A pipe or a terminal has no disk.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                (self.len, self.is_damaged) = (self.synced, true);
                let _ = self.mend();
                Err(error)
            }
            _ => {
                (self.synced, self.is_dirty) = (self.len, false);
                Ok(())
            }
        }
    }

    fn sync_data(&mut self) -> io::Result<()> {
        #[cfg(test)]
        if std::mem::take(&mut self.sync_fails) {
            return Err(io::Error::other("a broken disk"));
        }
        self.file.sync_data()
    }
}

/// Reports whether two paths are of one file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// Checks that a file can be appended to or created, without leaving anything there.
///
/// # Errors
/// If it cannot.
pub(crate) fn can_append(path: &Path) -> io::Result<()> {
    match path.exists() {
        true => OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .map(drop),
        false => is_writable(folder_of(path)),
    }
}

/// Creates an unnamed file in a folder.
///
/// # Errors
/// If that is not possible.
pub(crate) fn is_writable(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}

/// Returns the end of the last complete line of a file of this size.
fn end_of_lines(file: &mut File, size: u64) -> io::Result<u64> {
    const BLOCK: u64 = 64 * 1024;
    let mut end = size;
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.by_ref().take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(text: &str) -> Lines {
        Lines::from(format!("{text}\n").into_bytes())
    }

    #[test]
    fn what_a_killed_run_left_of_a_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let long = "x".repeat(200_000);
        for (left, kept) in [
            (String::new(), ""),
            ("{\"n\":".to_owned(), ""),
            ("1\n2\n".to_owned(), "1\n2\n"),
            ("1\n2\n{\"n\":".to_owned(), "1\n2\n"),
            ("1\n\0\0\0\0".to_owned(), "1\n"),
            (format!("1\n{long}"), "1\n"),
            (long.clone(), ""),
        ] {
            fs::write(&path, &left).unwrap();
            let mut file = Appended::open(&path, false).unwrap();
            file.add(&mut line("3")).unwrap();
            file.sync().unwrap();
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text, format!("{kept}3\n"));
            assert_eq!(file.len, text.len() as u64);
        }
    }

    #[test]
    fn what_a_killed_run_left_is_synced_and_kept_if_that_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for (left, kept) in [("1\n{", "1\n"), ("1\n", "1\n"), ("{", "")] {
            fs::write(&path, left).unwrap();
            let mut file = Appended::open(&path, false).unwrap();
            file.fail_next_sync();
            assert!(file.sync().is_err(), "{left}: it was not synced");
            assert_eq!(fs::read_to_string(&path).unwrap(), kept);
            file.sync().unwrap();
        }
    }

    #[test]
    fn a_second_one_that_adds_to_the_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let first = Appended::open(&path, false).unwrap();
        let second = Appended::open(&path, false).map(drop).unwrap_err();
        assert!(
            second.to_string().starts_with("another process"),
            "{second}"
        );
        drop(first);
        Appended::open(&path, false).unwrap();
    }

    #[test]
    fn a_file_that_someone_made_shorter_is_not_filled_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = Appended::open(&path, false).unwrap();
        file.add(&mut line("1")).unwrap();
        file.sync().unwrap();
        file.add(&mut line("2")).unwrap();
        fs::write(&path, "").unwrap();
        file.fail_next_sync();
        assert!(file.sync().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        let mut file = Appended::open(Path::new("/dev/full"), false).unwrap();
        assert!(file.add(&mut line("1")).is_err());
    }
}
