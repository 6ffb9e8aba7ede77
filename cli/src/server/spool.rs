//! The opened events of one request until they are delivered: in memory, or, if there are many, in a
//! file without a name, which the system removes with the process.

use std::{
    io::{self, BufWriter, Read, Seek, Write},
    path::Path,
};

use bytes::Bytes;
use tempfile::SpooledTempFile;

/// How much is kept in memory, in bytes.
const IN_MEMORY: usize = 1 << 20;
/// Writes to the file have this size, in bytes.
const BUFFER: usize = 64 * 1024;

/// Lines that are being written.
pub(crate) struct Spool {
    file: BufWriter<SpooledTempFile>,
    len: u64,
    is_in_line: bool,
}

/// Lines that are complete, from the first.
pub(crate) struct Lines {
    pub(crate) len: u64,
    at: At,
}

enum At {
    Memory(Bytes),
    File(SpooledTempFile),
}

impl Spool {
    /// An empty one, whose file would be in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let file = tempfile::spooled_tempfile_in(IN_MEMORY, folder);
        Self {
            file: BufWriter::with_capacity(BUFFER, file),
            len: 0,
            is_in_line: false,
        }
    }

    /// All that was written, ended by a line break.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn finish(mut self) -> io::Result<Lines> {
        if self.is_in_line {
            self.write_all(b"\n")?;
        }
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let at = match file.is_rolled() {
            true => At::File(file),
            false => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                At::Memory(bytes.into())
            }
        };
        Ok(Lines { len: self.len, at })
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        if let Some(last) = bytes[..written].last() {
            self.is_in_line = *last != b'\n';
        }
        self.len += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl From<Vec<u8>> for Lines {
    /// Complete lines.
    fn from(lines: Vec<u8>) -> Self {
        Self {
            len: lines.len() as u64,
            at: At::Memory(lines.into()),
        }
    }
}

impl Lines {
    /// All of them, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<Bytes> {
        match &self.at {
            At::Memory(bytes) => Some(bytes.clone()),
            At::File(_) => None,
        }
    }

    /// Writes all of them.
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
    use super::*;

    #[test]
    fn lines_are_complete_in_memory_and_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 1, 100, IN_MEMORY, IN_MEMORY + 1, 3 * IN_MEMORY] {
            let text = vec![b'x'; size];
            let mut spool = Spool::new(folder.path());
            spool.write_all(&text).unwrap();
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
            assert_eq!(lines.in_memory().is_some(), size < IN_MEMORY, "{size}");
            assert_eq!(
                folder.path().read_dir().unwrap().count(),
                0,
                "a name is left"
            );
        }
    }
}
