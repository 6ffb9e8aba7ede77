//! An append-only file of complete lines. A partial line is cut off.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use pqseal_atomic_file::{folder_of, is_file_at, lock};

use crate::spool::Lines;

/// The open file, as far as its operations can fail.
pub trait Disk: Send {
    /// Appends all lines. If this fails, a part of them may be there.
    fn append(&mut self, lines: &mut Lines) -> io::Result<()>;

    /// Returns the size in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Cuts the file off at this size.
    fn set_size(&mut self, size: u64) -> io::Result<()>;

    /// Waits until the contents are on the disk.
    fn sync(&mut self) -> io::Result<()>;

    /// Reports whether this is the file at a path.
    fn is_at(&self, path: &Path) -> bool;
}

impl Disk for File {
    fn append(&mut self, lines: &mut Lines) -> io::Result<()> {
        lines.copy_to(self)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn set_size(&mut self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn is_at(&self, path: &Path) -> bool {
        is_file_at(path, self)
    }
}

/// A file that is appended to.
pub struct Appended {
    /// The open file.
    pub disk: Box<dyn Disk>,
    /// Its name when it was opened.
    pub path: PathBuf,
    /// The number of bytes in complete lines.
    pub len: u64,
    /// The number of those bytes that are kept if the next sync fails.
    synced: u64,
    /// `true` if something may not be on the disk. This includes lines of an earlier run, and the
    /// removal of its partial line.
    is_dirty: bool,
    /// `true` if there may be bytes after those lines that could not be cut off.
    is_damaged: bool,
}

impl Appended {
    /// Opens the file, or creates it with mode 0600, and cuts off the partial line of a killed run.
    /// `is_new` refuses an existing file. The file is locked until it is dropped.
    ///
    /// # Errors
    /// Those of the system, and if another process appends to it.
    pub fn open(path: &Path, is_new: bool) -> io::Result<Self> {
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
            disk: Box::new(file),
            path,
            len,
            synced: len,
            is_dirty: !is_new,
            is_damaged: false,
        })
    }

    /// Adds all of `lines`, or none of them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn add(&mut self, lines: &mut Lines) -> io::Result<()> {
        self.mend()?;
        if let Err(error) = self.disk.append(lines) {
            self.is_damaged = true;
            // If this fails, the next call retries it.
            let _ = self.mend();
            return Err(error);
        }
        self.len += lines.len;
        self.is_dirty |= lines.len > 0;
        Ok(())
    }

    /// Cuts off the last `bytes`, which were added since the last sync. If this fails, the next
    /// call of [`Self::add`] retries it.
    pub fn take_back(&mut self, bytes: u64) {
        self.len = self.len.saturating_sub(bytes).max(self.synced);
        self.is_damaged = true;
        let _ = self.mend();
    }

    /// Returns whether lines in it wait for [`Self::sync`].
    pub const fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    /// Reports whether the file still has its name.
    pub fn has_its_name(&self) -> bool {
        self.has_name(&self.path)
    }

    /// Returns whether the file still contains everything that was written to it.
    pub fn is_whole(&self) -> bool {
        self.disk.size().is_ok_and(|size| size >= self.len)
    }

    /// Returns whether the file has this name.
    pub fn has_name(&self, path: &Path) -> bool {
        self.disk.is_at(path)
    }

    /// Cuts off anything after the complete lines.
    ///
    /// # Errors
    /// Those of the system.
    pub fn mend(&mut self) -> io::Result<()> {
        if self.is_damaged {
            // Others may have truncated it; then it must not be filled up with zeros.
            if self.disk.size()? > self.len {
                self.disk.set_size(self.len)?;
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
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.is_dirty {
            return Ok(());
        }
        match self.disk.sync() {
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
}

/// Reports whether two paths are of one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// Checks that a file can be appended to or created, without leaving anything there.
///
/// # Errors
/// If it cannot.
pub fn can_append(path: &Path) -> io::Result<()> {
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
pub fn is_writable(folder: &Path) -> io::Result<()> {
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
    use super::*;
    use crate::failing::Failing;

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
            file.disk = Failing::sync(&path);
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
        file.disk = Failing::sync(&path);
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
