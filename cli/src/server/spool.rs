//! The opened events of one request until they are delivered: in memory or, if there are many, in
//! an unnamed file, which the system removes with the process.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, Write},
    path::{Path, PathBuf},
};

use bytes::Bytes;

use super::block::Block;

/// The size of writes to the file, in bytes.
const BUFFER: usize = 64 * 1024;

/// A writer of lines.
pub(crate) struct Spool {
    folder: PathBuf,
    to: To,
    len: u64,
    is_in_line: bool,
}

enum To {
    /// Nothing was written yet.
    Nothing,
    Memory(Block),
    File(BufWriter<File>),
}

/// Complete lines, to be read from the first.
pub(crate) struct Lines {
    pub(crate) len: u64,
    at: At,
}

enum At {
    Memory(Bytes),
    File(File),
}

impl Spool {
    /// Creates an empty spool, whose file would be in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            to: To::Nothing,
            len: 0,
            is_in_line: false,
        }
    }

    /// Returns everything that was written, ended by a line break.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn finish(mut self) -> io::Result<Lines> {
        if self.is_in_line {
            self.write_all(b"\n")?;
        }
        let at = match self.to {
            To::Nothing => At::Memory(Bytes::new()),
            To::Memory(block) => At::Memory(Bytes::from_owner(block)),
            To::File(file) => At::File(file.into_inner().map_err(io::IntoInnerError::into_error)?),
        };
        Ok(Lines { len: self.len, at })
    }

    /// Writes to memory as long as there is room, and then to the file.
    fn put(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.to, To::Nothing) {
            self.to = To::Memory(Block::new());
        }
        if let To::Memory(block) = &mut self.to {
            if block.add(bytes) {
                return Ok(bytes.len());
            }
            let file = tempfile::tempfile_in(&self.folder)?;
            let mut file = BufWriter::with_capacity(BUFFER, file);
            file.write_all(block.as_ref())?;
            self.to = To::File(file);
        }
        match &mut self.to {
            To::File(file) => file.write(bytes),
            To::Nothing | To::Memory(_) => Ok(0),
        }
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.put(bytes)?;
        if let Some(last) = bytes[..written].last() {
            self.is_in_line = *last != b'\n';
        }
        self.len += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::File(file) => file.flush(),
            To::Nothing | To::Memory(_) => Ok(()),
        }
    }
}

impl From<Vec<u8>> for Lines {
    /// Takes complete lines.
    fn from(lines: Vec<u8>) -> Self {
        Self {
            len: lines.len() as u64,
            at: At::Memory(lines.into()),
        }
    }
}

impl Lines {
    /// Returns all lines, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<Bytes> {
        match &self.at {
            At::Memory(bytes) => Some(bytes.clone()),
            At::File(_) => None,
        }
    }

    /// Writes all lines.
    ///
    /// # Errors
    /// Those of the writer, and of the file.
    pub(crate) fn copy_to(&mut self, writer: &mut impl Write) -> io::Result<()> {
        match &mut self.at {
            At::Memory(bytes) => writer.write_all(bytes),
            At::File(file) => {
                file.rewind()?;
                io::copy(file, writer).map(drop)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::block::SIZE, *};

    #[test]
    fn lines_are_complete_in_memory_and_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 1, 100, SIZE - 1, SIZE, SIZE + 1, 3 * SIZE] {
            let text = vec![b'x'; size];
            let mut spool = Spool::new(folder.path());
            for piece in text.chunks(70_000) {
                spool.write_all(piece).unwrap();
            }
            let mut lines = spool.finish().unwrap();
            let mut copied = Vec::new();
            lines.copy_to(&mut copied).unwrap();
            let expected = if size == 0 {
                text
            } else {
                [text.as_slice(), b"\n"].concat()
            };
            assert!(
                copied == expected && lines.len == copied.len() as u64,
                "{size}"
            );
            assert_eq!(lines.in_memory().is_some(), size < SIZE, "{size}");
            assert_eq!(
                folder.path().read_dir().unwrap().count(),
                0,
                "a name is left"
            );
        }
    }
}
