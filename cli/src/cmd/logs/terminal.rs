//! Streams of records: unchanged, or on a terminal without characters that move its cursor.

use std::{
    fs::{File, OpenOptions},
    io::{self, IsTerminal, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pqseal_atomic_file::{folder_of, sync_folder};
use pqseal_pipeline::{Compression, Compressor};

use crate::{escape, output::stdout_is_open, signals};

/// Standard output, a device, a file or a topic.
pub(super) struct Output {
    sink: Compressor<Box<dyn Write + Send>>,
    /// The file that is appended to, if it is one.
    file: Option<Appended>,
    is_terminal: bool,
    /// `true` if each line is a message.
    is_topic: bool,
    is_in_line: bool,
}

/// A file that is appended to.
struct Appended {
    path: PathBuf,
    file: File,
    mode: u32,
    is_exact_mode: bool,
    /// `true` if its name may not be on the disk yet.
    is_new: bool,
    /// Set when a signal asks to open it again.
    reopen: Arc<AtomicBool>,
}

impl Output {
    pub(super) fn stdout(compression: Compression) -> io::Result<Self> {
        stdout_is_open()?;
        let is_terminal = io::stdout().is_terminal();
        Self::new(Box::new(io::stdout()), is_terminal, compression)
    }

    /// Opens an existing device or pipe. Opening a pipe waits for its reader.
    pub(super) fn device(path: &Path, compression: Compression) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(path)?;
        let is_terminal = file.is_terminal();
        Self::new(Box::new(file), is_terminal, compression)
    }

    fn new(
        sink: Box<dyn Write + Send>,
        is_terminal: bool,
        compression: Compression,
    ) -> io::Result<Self> {
        Ok(Self {
            sink: Compressor::new(compression, sink)?,
            file: None,
            is_terminal: is_terminal && compression == Compression::None,
            is_topic: false,
            is_in_line: false,
        })
    }

    /// Creates an output to a topic, which takes each line as a message.
    pub(super) fn topic(lines: Box<dyn Write + Send>) -> io::Result<Self> {
        let output = Self::new(lines, false, Compression::None)?;
        Ok(Self {
            is_topic: true,
            ..output
        })
    }

    /// Opens a file for appending, and creates it if it does not exist. SIGHUP asks to open it
    /// again.
    pub(super) fn appended(path: &Path, mode: u32, is_exact_mode: bool) -> io::Result<Self> {
        let reopen = signals::asked_to_reopen()?;
        Self::added_to(path, mode, is_exact_mode, reopen)
    }

    /// Like [`Self::appended`], where only `reopen` asks to open it again.
    pub(super) fn added_to(
        path: &Path,
        mode: u32,
        is_exact_mode: bool,
        reopen: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        let is_new = !path.exists();
        let file = options.open(path)?;
        #[cfg(unix)]
        if is_exact_mode {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        }
        let is_in_line = !ends_with_line(&file)?;
        let output = Self::new(Box::new(file.try_clone()?), false, Compression::None)?;
        Ok(Self {
            file: Some(Appended {
                path: path.to_owned(),
                file,
                mode,
                is_exact_mode,
                is_new,
                reopen,
            }),
            is_in_line,
            ..output
        })
    }

    /// Waits until everything that was written is on the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.sink.flush()?;
        let Some(appended) = &mut self.file else {
            return Ok(());
        };
        appended.file.sync_data()?;
        if appended.is_new {
            sync_folder(folder_of(&appended.path))?;
            appended.is_new = false;
        }
        Ok(())
    }

    /// Returns the file that is appended to and its path, if it is one. It can be read.
    pub(super) fn file(&self) -> Option<(&Path, &File)> {
        let file = self.file.as_ref();
        file.map(|appended| (&*appended.path, &appended.file))
    }

    /// Opens the file that is appended to again by its name.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        let Some(old) = self.file.take() else {
            return Ok(());
        };
        // It may be the same file, which is locked as long as it is open.
        *self = Self::new(Box::new(io::sink()), false, Compression::None)?;
        drop(old.file);
        *self = Self::added_to(&old.path, old.mode, old.is_exact_mode, old.reopen)?;
        Ok(())
    }

    /// Returns whether a signal has asked for that since the last call.
    pub(super) fn is_asked_to_reopen(&self) -> bool {
        let file = self.file.as_ref();
        file.is_some_and(|appended| appended.reopen.swap(false, Ordering::Relaxed))
    }

    /// Reports whether the output is complete: a topic takes only whole lines.
    pub(super) const fn is_whole(&self) -> bool {
        !(self.is_topic && self.is_in_line)
    }

    /// Truncates the file to this many bytes. They may end within a line that is larger than the
    /// largest record, which is written in parts.
    pub(super) fn truncate(&mut self, size: u64) -> io::Result<()> {
        if let Some(Appended { file, .. }) = &self.file {
            file.set_len(size)?;
            self.is_in_line = !ends_with_line(file)?;
        }
        Ok(())
    }

    /// Writes a line break, unless the output ends in one.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        if self.is_in_line {
            self.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes the buffered rest.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.is_topic {
            self.end_line()?;
        }
        self.sink.finish()?.flush()
    }

    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(super) const fn is_topic(&self) -> bool {
        self.is_topic
    }
}

impl Write for Output {
    /// Writes all of `bytes` to a terminal. They are whole records or parts of a record that is
    /// too large to be read there.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self.is_terminal {
            true => shown(&mut self.sink, bytes),
            false => self.sink.write(bytes),
        }?;
        if let Some(last) = bytes[..written].last() {
            self.is_in_line = *last != b'\n';
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Reports whether a file is empty or ends with a line break.
fn ends_with_line(mut file: &File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn shown(terminal: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    // Outside of strings, where nothing may be escaped, JSON has these two as white space.
    for part in String::from_utf8_lossy(bytes).split_inclusive(['\n', '\t']) {
        let text = part.trim_end_matches(['\n', '\t']);
        terminal.write_all((escape::json(text) + &part[text.len()..]).as_bytes())?;
    }
    Ok(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_topic_waits_for_the_end_of_a_line() {
        let mut topic = Output::topic(Box::new(Vec::new())).unwrap();
        let mut stream = Output::new(Box::new(Vec::new()), false, Compression::None).unwrap();
        for (bytes, is_whole) in [("a", false), ("b", false), ("\n", true)] {
            topic.write_all(bytes.as_bytes()).unwrap();
            stream.write_all(bytes.as_bytes()).unwrap();
            assert_eq!((topic.is_whole(), stream.is_whole()), (is_whole, true));
        }
    }

    /// A state may be saved within a long line, which another file's line must not continue.
    #[test]
    fn a_file_may_be_cut_within_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        for (size, text) in [(6, "one\ntw\n"), (4, "one\n"), (0, "")] {
            let mut output = Output::appended(&path, 0o600, false).unwrap();
            output.truncate(size).unwrap();
            output.end_line().unwrap();
            output.finish().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
