//! Writes chunks, one at a time.

use std::io::{self, Write};
use zeroize::Zeroizing;

use crate::chunks::{Chunked, seal_in, sealed};

/// Seals what is written to it, chunk by chunk. [`ChunkWriter::finish`] writes the last one.
pub struct ChunkWriter<C, W: Write> {
    key: C,
    output: W,
    /// A chunk in the making, and room for its tag.
    buffer: Zeroizing<Vec<u8>>,
    filled: usize,
    index: u64,
}

impl<C: Chunked, W: Write> ChunkWriter<C, W> {
    /// Writes to `output` from chunk 0 on.
    pub fn new(key: C, output: W) -> Self {
        Self {
            key,
            output,
            buffer: Zeroizing::new(vec![0; sealed::<C>()]),
            filled: 0,
            index: 0,
        }
    }

    /// Writes the last chunk and gives the output back.
    ///
    /// # Errors
    /// Of the output.
    pub fn finish(mut self) -> io::Result<W> {
        if !C::FULL_LAST && self.filled == C::SIZE {
            self.chunk(false)?;
        }
        self.chunk(true)?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// The output itself, such as to take from a `Vec` what was written so far.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    fn chunk(&mut self, last: bool) -> io::Result<()> {
        seal_in(&self.key, self.index, last, &mut self.buffer, self.filled)?;
        let len = self.filled + crate::chunks::TAG;
        self.output.write_all(&self.buffer[..len])?;
        self.index += 1;
        self.filled = 0;
        Ok(())
    }
}

impl<C: Chunked, W: Write> Write for ChunkWriter<C, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Whether a full chunk is the last shows only when more comes.
        if self.filled == C::SIZE && !bytes.is_empty() {
            self.chunk(false)?;
        }
        let count = bytes.len().min(C::SIZE - self.filled);
        self.buffer[self.filled..][..count].copy_from_slice(&bytes[..count]);
        self.filled += count;
        Ok(count)
    }

    /// Flushes the output. What does not fill a chunk stays here.
    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
