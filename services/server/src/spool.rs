//! The events or dead letters of one request until they are delivered: in memory or, if many, in
//! an unnamed file, which the system removes with the process.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;

/// The size of writes to the file, in bytes.
const BUFFER: usize = 64 * 1024;
/// The size of a block, in bytes.
const SIZE: usize = 1 << 20;
/// The number of idle blocks that are kept. By default as many requests are in work.
const KEPT: usize = 16;

/// The idle blocks.
static IDLE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// A writer of lines.
pub struct Spool {
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
pub struct Lines {
    /// Their number of bytes.
    pub len: u64,
    at: At,
}

enum At {
    Memory(Bytes),
    File(File),
}

impl Spool {
    /// Creates an empty spool, whose file would be in this folder.
    pub fn new(folder: &Path) -> Self {
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
    pub fn finish(mut self) -> io::Result<Lines> {
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
    pub fn in_memory(&self) -> Option<Bytes> {
        match &self.at {
            At::Memory(bytes) => Some(bytes.clone()),
            At::File(_) => None,
        }
    }

    /// Writes all lines.
    ///
    /// # Errors
    /// Those of the writer, and of the file.
    pub fn copy_to(&mut self, writer: &mut impl Write) -> io::Result<()> {
        match &mut self.at {
            At::Memory(bytes) => writer.write_all(bytes),
            At::File(file) => {
                file.rewind()?;
                io::copy(file, writer).map(drop)
            }
        }
    }
}

/// A buffer that does not grow beyond [`SIZE`]. Blocks of one size are reused. With the allocator
/// alone, buffers that grow on one thread and are freed on another would fragment the memory of
/// every thread, and a receiver's memory would grow for hours.
struct Block(Vec<u8>);

impl Block {
    /// Returns an empty block.
    fn new() -> Self {
        let idle = idle().pop();
        Self(idle.unwrap_or_else(|| Vec::with_capacity(SIZE)))
    }

    /// Adds all of `bytes`, or nothing if there is no room for them. Returns whether they were
    /// added.
    fn add(&mut self, bytes: &[u8]) -> bool {
        let has_room = SIZE - self.0.len() >= bytes.len();
        if has_room {
            self.0.extend_from_slice(bytes);
        }
        has_room
    }
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.0);
        memory.clear();
        let mut idle = idle();
        if idle.len() < KEPT {
            idle.push(memory);
        }
    }
}

fn idle() -> MutexGuard<'static, Vec<Vec<u8>>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_empty_again_and_does_not_grow() {
        for _ in 0..3 {
            let mut block = Block::new();
            assert!(block.as_ref().is_empty());
            assert!(block.add(&vec![b'x'; SIZE - 1]) && !block.add(b"xx") && block.add(b"x"));
            assert_eq!((block.as_ref().len(), block.0.capacity()), (SIZE, SIZE));
        }
    }

    #[test]
    fn no_more_blocks_are_kept_than_that() {
        let blocks: Vec<_> = (0..2 * KEPT).map(|_| Block::new()).collect();
        drop(blocks);
        assert!(idle().len() <= KEPT);
    }

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
        }
    }

    #[test]
    fn a_file_has_no_name_at_any_time() {
        let folder = tempfile::tempdir().unwrap();
        let has_no_name = |file: &File| {
            assert_eq!(folder.path().read_dir().unwrap().count(), 0);
            #[cfg(unix)]
            assert_eq!(
                std::os::unix::fs::MetadataExt::nlink(&file.metadata().unwrap()),
                0
            );
        };
        let mut spool = Spool::new(folder.path());
        spool.write_all(&vec![b'x'; SIZE + 1]).unwrap();
        let To::File(file) = &spool.to else {
            panic!("it is still in memory")
        };
        has_no_name(file.get_ref());
        let lines = spool.finish().unwrap();
        let At::File(file) = &lines.at else {
            panic!("it is in memory again")
        };
        has_no_name(file);
        drop(lines);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
