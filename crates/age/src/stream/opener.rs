//! A writer that opens chunks.

use std::io::{self, Write};
use zeroize::Zeroizing;

use super::failed_before;
use crate::chunks::{Chunked, open_in, sealed};

/// A writer that opens the sealed chunks written to it, and writes the plaintext to an output, each
/// chunk after it was authenticated. [`ChunkOpener::finish`] opens the last one. After an error
/// every call returns an error.
pub struct ChunkOpener<C, W: Write> {
    key: C,
    output: W,
    /// A sealed chunk or the beginning of one, which is replaced by its plaintext.
    buffer: Zeroizing<Vec<u8>>,
    filled: usize,
    index: u64,
    failed: bool,
}

impl<C: Chunked, W: Write> ChunkOpener<C, W> {
    /// Creates a writer that starts at chunk 0.
    pub fn new(key: C, output: W) -> Self {
        Self {
            key,
            output,
            buffer: Zeroizing::new(vec![0; sealed::<C>()]),
            filled: 0,
            index: 0,
            failed: false,
        }
    }

    /// Opens the last chunk and returns the output.
    ///
    /// # Errors
    /// [`Error::Payload`](crate::Error::Payload) within the [`io::Error`], or an error of the
    /// output.
    pub fn finish(mut self) -> io::Result<W> {
        self.chunk(true)?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Returns the output, for example to take the bytes written so far from a `Vec`.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    fn chunk(&mut self, last: bool) -> io::Result<()> {
        if std::mem::replace(&mut self.failed, true) {
            return Err(failed_before());
        }
        let chunk = &mut self.buffer[..self.filled];
        let chunk = open_in(&self.key, self.index, last, chunk).map_err(crate::Error::from)?;
        self.output.write_all(chunk)?;
        self.index += 1;
        self.filled = 0;
        self.failed = false;
        Ok(())
    }
}

impl<C: Chunked, W: Write> Write for ChunkOpener<C, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full chunk is known not to be the last only when more data arrives.
        if self.filled == self.buffer.len() && !bytes.is_empty() {
            self.chunk(false)?;
        }
        let count = bytes.len().min(self.buffer.len() - self.filled);
        self.buffer[self.filled..][..count].copy_from_slice(&bytes[..count]);
        self.filled += count;
        Ok(count)
    }

    /// Flushes the output. An incomplete chunk is kept.
    fn flush(&mut self) -> io::Result<()> {
        match self.failed {
            true => Err(failed_before()),
            false => self.output.flush(),
        }
    }
}
