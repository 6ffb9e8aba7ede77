//! The output, and the part of it that an earlier run wrote and the state records as done.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use pqseal_atomic_file::{is_file_at, lock};

use super::{Event, FilePosition, Follower, written};
use crate::files::Error;

/// The destination of records.
pub trait Sink: Write {
    /// Makes the written data as durable as possible.
    ///
    /// # Errors
    /// An error if that fails. The state then does not record those records as done.
    fn settle(&mut self) -> io::Result<()>;

    /// Returns the output file and its path, if the output is a file. It is open for reading too,
    /// since the state identifies the file by its last bytes.
    fn file(&mut self) -> Option<(&Path, &File)>;

    /// Reports whether [`settle`](Self::settle) covers all written data. The state is not updated
    /// before that. An output of whole lines holds back the beginning of a line.
    fn is_whole(&self) -> bool {
        true
    }

    /// Ends the last line, if it has no end.
    ///
    /// # Errors
    /// An error if that fails.
    fn end_line(&mut self) -> io::Result<()>;

    /// Truncates the [`file`](Self::file) to this size, which an earlier run recorded in the state.
    /// The rest is written again.
    ///
    /// # Errors
    /// An error if that fails.
    fn cut(&mut self, size: u64) -> io::Result<()>;

    /// Locks the [`file`](Self::file) until it is dropped.
    ///
    /// # Errors
    /// An error if another process writes to it.
    fn lock(&mut self) -> io::Result<()> {
        // On Windows a lock would also prevent others from reading the file.
        match self.file() {
            Some((_, file)) if cfg!(unix) => lock(file),
            _ => Ok(()),
        }
    }

    /// Opens the [`file`](Self::file) again by its name, creates it if necessary, and locks it.
    ///
    /// # Errors
    /// An error if that fails.
    fn reopen(&mut self) -> io::Result<()>;

    /// Reports whether a [`reopen`](Self::reopen) of the file was requested since the last call.
    fn is_asked_to_reopen(&mut self) -> bool {
        false
    }

    /// Reports whether the file must be reopened.
    fn is_renamed(&mut self) -> bool {
        self.is_asked_to_reopen() || !has_its_name(self)
    }

    /// Appends lines, or a part of one. Returns `false`, with nothing added to the file, if its
    /// name belonged to another file before or after the write, since the old file may already have
    /// been compressed.
    ///
    /// # Errors
    /// An error if that fails.
    fn add(&mut self, lines: &[u8], starts_line: bool) -> io::Result<bool> {
        if !has_its_name(self) {
            return Ok(false);
        }
        let before = size(self)?;
        if starts_line {
            self.end_line()?;
        }
        self.write_all(lines)?;
        self.flush()?;
        if has_its_name(self) {
            return Ok(true);
        }
        // The size may include a line break before the lines. Any other size means that another
        // process writes to the file.
        let grown = size(self)?.saturating_sub(before);
        if (1..=lines.len() as u64 + 1).contains(&grown) {
            self.cut(before)?;
        }
        Ok(false)
    }

    /// Appends whole lines to the file at the output's path, if the output is a file.
    ///
    /// # Errors
    /// An error if that fails.
    fn add_lines(&mut self, lines: &[u8]) -> io::Result<()> {
        while self.is_renamed() || !self.add(lines, true)? {
            self.settle()?;
            self.reopen()?;
        }
        Ok(())
    }
}

fn has_its_name(sink: &mut (impl Sink + ?Sized)) -> bool {
    let file = sink.file();
    file.is_none_or(|(path, file)| is_file_at(path, file))
}

fn size(sink: &mut (impl Sink + ?Sized)) -> io::Result<u64> {
    let file = sink.file();
    file.map_or(Ok(0), |(_, file)| Ok(file.metadata()?.len()))
}

/// The output as the state describes it.
#[derive(Default)]
pub(super) enum RecordedOutput {
    /// The output was not a file.
    #[default]
    NoFile,
    /// The size of the output. Earlier versions did not identify the file.
    Size(u64),
    /// The end of the output.
    End(FilePosition),
}

impl RecordedOutput {
    /// Returns the bytes of the output that the state does not know. An empty output may replace
    /// the one that the state describes, since nothing can be lost.
    ///
    /// # Errors
    /// [`Error::OtherOutput`] if it is another file, and [`Error::Run`] if it cannot be read.
    pub(super) fn beyond(&self, output: &mut impl Sink) -> Result<Option<UnrecordedOutput>, Error> {
        output.settle().map_err(written)?;
        let Some(end) = FilePosition::end_of(output).map_err(written)? else {
            return Ok(None);
        };
        let (size, is_known) = match self {
            Self::End(noted) if end.offset > 0 => {
                let is_same = match output.file() {
                    Some((path, file)) => noted.is_in(path, file).map_err(written)?,
                    None => false,
                };
                if !is_same {
                    return Err(Error::OtherOutput {
                        noted: noted.path.clone(),
                        output: end.path,
                    });
                }
                (noted.offset, true)
            }
            Self::Size(size) => (*size, false),
            _ => return Ok(None),
        };
        Ok((end.offset > size).then(|| UnrecordedOutput {
            path: end.path,
            size,
            bytes: end.offset - size,
            is_known,
        }))
    }
}

/// The bytes of the output after the last entry in the state.
pub(super) struct UnrecordedOutput {
    path: PathBuf,
    /// The number of bytes before them.
    size: u64,
    bytes: u64,
    /// Set if the state identifies the output file.
    is_known: bool,
}

impl UnrecordedOutput {
    /// Truncates the output before these bytes if all of them are written again. Otherwise keeps
    /// them, since they may exist nowhere else.
    pub(super) fn settle(
        self,
        all_comes_again: bool,
        output: &mut impl Sink,
        follower: &mut impl Follower,
    ) -> io::Result<()> {
        let bytes = self.bytes;
        let event = match (self.is_known, all_comes_again) {
            (true, true) => return output.cut(self.size),
            (true, false) => Event::Kept { bytes },
            (false, _) => Event::NotCut { bytes },
        };
        follower.event(&self.path, event);
        output.end_line()
    }
}
