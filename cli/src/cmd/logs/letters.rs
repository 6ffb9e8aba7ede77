//! An append-only file of JSON lines, for records that did not open or could not be sealed. It may
//! be renamed at any time, as logrotate does; then a new file is created.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    sync::Arc,
};

use pqseal_pipeline::{Compression, files::follow::Sink};

use super::{summary::Action, terminal::Output};
use crate::{
    error::Error,
    escape,
    output::{Target, is_open},
};

/// The size from which buffered lines are written, in bytes.
const TOGETHER: usize = 64 * 1024;

/// A writer of such records.
pub(super) struct Letters {
    output: Output,
    action: Action,
    /// Complete lines that are not written yet.
    lines: Vec<u8>,
    is_synced: bool,
}

impl Letters {
    /// Opens `target` for appending, and locks it if it is a file.
    ///
    /// # Errors
    /// If it cannot be written, or another process writes to it.
    pub(super) fn new(target: &Target, action: Action) -> Result<Self, Error> {
        let output = match target {
            Target::Stdout => {
                Output::stdout(Compression::None).map_err(|error| undelivered(action, &error))
            }
            Target::File(path) => opened(path)
                .map_err(|error| Error::io(format_args!("write {}", escape::path(path)), &error)),
        };
        Ok(Self {
            output: output?,
            action,
            lines: Vec::new(),
            is_synced: true,
        })
    }

    /// Adds a complete line. A record that could not be sealed exists nowhere else, so it is
    /// written immediately. Other lines are written by [`Self::settle`] at the latest.
    ///
    /// # Errors
    /// If lines cannot be written.
    pub(super) fn add(&mut self, letter: &[u8]) -> io::Result<()> {
        self.lines.extend_from_slice(letter);
        match self.action == Action::Open && self.lines.len() < TOGETHER {
            true => Ok(()),
            false => self.write(),
        }
    }

    /// Adds all lines of `letters`, and settles them.
    ///
    /// # Errors
    /// If they cannot be read or written.
    pub(super) fn copy(&mut self, letters: impl Read) -> io::Result<()> {
        let mut letters = BufReader::new(letters);
        let mut letter = Vec::new();
        while letters.read_until(b'\n', &mut letter)? > 0 {
            self.add(&letter)?;
            letter.clear();
        }
        self.settle()
    }

    /// Writes the added lines, and waits until records that could not be sealed are on the disk.
    ///
    /// # Errors
    /// If they cannot be written there.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        self.write()?;
        if self.action == Action::Seal && !self.is_synced {
            self.output.sync()?;
        }
        self.is_synced = true;
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        self.is_synced = false;
        let added = self.output.add_lines(&self.lines);
        // If that failed, the lines belong to a file that is not done, and come again.
        self.lines.clear();
        added
    }
}

fn opened(path: &Path) -> io::Result<Output> {
    let is_device = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if is_device || is_open(path) {
        return Output::device(path, Compression::None);
    }
    // SIGHUP need not reopen this one: each time lines are added, a rename is noticed.
    let mut output = Output::added_to(path, 0o600, false, Arc::default())?;
    output.lock()?;
    Ok(output)
}

/// Makes the error for lines that cannot be written.
pub(super) fn undelivered(action: Action, error: &io::Error) -> Error {
    let what = match action {
        Action::Open => "write the dead letters",
        Action::Seal => "write the refused records",
    };
    Error::io(what, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(path: &Path) -> Letters {
        Letters::new(&Target::File(path.to_owned()), Action::Seal).unwrap()
    }

    #[test]
    fn a_half_line_of_a_killed_run_is_not_continued() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("refused");
        fs::write(&path, "1\n{\"so").unwrap();
        let mut file = letters(&path);
        file.add(b"2\n").unwrap();
        file.settle().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n{\"so\n2\n");
        // Nothing was added since.
        file.settle().unwrap();
    }

    /// A reader that gives a long line in pieces, and renames the file between them.
    #[cfg(unix)]
    struct Renaming<'p>(&'p Path, Vec<&'static [u8]>);

    #[cfg(unix)]
    impl Read for Renaming<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.1.pop() else {
                return Ok(0);
            };
            let _ = fs::rename(self.0, self.0.with_extension("1"));
            bytes[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_line_is_in_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("refused");
        let mut file = letters(&path);
        let pieces = vec![&b"c\n"[..], b"b", b"a\n1"];
        file.copy(Renaming(&path, pieces)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1bc\n");
        let renamed = path.with_extension("1");
        assert_eq!(fs::read_to_string(renamed).unwrap(), "a\n");
    }

    /// Each file is read and removed as soon as it is renamed, as gzip does.
    #[test]
    #[cfg(unix)]
    fn no_line_is_lost_while_the_file_is_renamed() {
        const LINES: usize = 500;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("refused");
        let mut file = letters(&path);
        let writer = std::thread::spawn(move || {
            for number in 0..LINES {
                file.add(format!("{number}\n").as_bytes()).unwrap();
            }
        });
        let (renamed, mut archived) = (path.with_extension("1"), String::new());
        while !writer.is_finished() {
            if fs::rename(&path, &renamed).is_ok() {
                archived += &fs::read_to_string(&renamed).unwrap();
            }
        }
        writer.join().unwrap();
        archived += &fs::read_to_string(&path).unwrap_or_default();
        let archived: std::collections::HashSet<&str> = archived.lines().collect();
        let lost = (0..LINES).filter(|number| !archived.contains(&*number.to_string()));
        assert_eq!(lost.collect::<Vec<_>>(), Vec::<usize>::new());
    }

    #[test]
    #[cfg(unix)]
    fn a_second_run_that_adds_to_the_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::File(dir.path().join("refused"));
        let _first = Letters::new(&target, Action::Open).unwrap();
        let second = Letters::new(&target, Action::Open).err().unwrap();
        assert!(
            second.message.contains("another process"),
            "{}",
            second.message
        );
    }
}
