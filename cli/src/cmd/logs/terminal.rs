//! Streams of records: as they are, or on a terminal without what would move its cursor.

use std::{
    fs::OpenOptions,
    io::{self, IsTerminal, Write},
    path::Path,
};

use siem::{Compression, Compressor};

use crate::escape;

/// Standard output, or a device.
pub(super) struct Output {
    sink: Compressor<Box<dyn Write + Send>>,
    is_terminal: bool,
    is_in_line: bool,
}

impl Output {
    pub(super) fn stdout(compression: Compression) -> io::Result<Self> {
        let is_terminal = io::stdout().is_terminal();
        Self::new(Box::new(io::stdout()), is_terminal, compression)
    }

    /// Something that is there and takes bytes. To open a pipe waits for its reader.
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
            is_terminal: is_terminal && compression == Compression::None,
            is_in_line: false,
        })
    }

    /// Writes a line break, unless what was written ends in one.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        if self.is_in_line {
            self.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> io::Result<()> {
        self.sink.finish()?.flush()
    }

    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }
}

impl Write for Output {
    /// On a terminal all of `bytes`, which are whole records or parts of one too large to be seen
    /// there.
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

fn shown(terminal: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    // Outside of strings, where nothing may be escaped, JSON has these two as white space.
    for part in String::from_utf8_lossy(bytes).split_inclusive(['\n', '\t']) {
        let text = part.trim_end_matches(['\n', '\t']);
        terminal.write_all((escape::json(text) + &part[text.len()..]).as_bytes())?;
    }
    Ok(bytes.len())
}
