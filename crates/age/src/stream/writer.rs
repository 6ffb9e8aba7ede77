//! A writer of chunks, one at a time.

use std::io::{self, Write};
use zeroize::Zeroizing;

use super::failed_before;
use crate::chunks::{Chunked, seal_in, sealed};

/// A writer that seals the data written to it in chunks. [`ChunkWriter::finish`] writes the last
/// one. After an error every call returns an error, since sealing the same chunk again would reuse
/// its nonce.
pub struct ChunkWriter<C, W: Write> {
    key: C,
    output: W,
    /// An incomplete chunk, with room for its tag.
    buffer: Zeroizing<Vec<u8>>,
    filled: usize,
    index: u64,
    failed: bool,
}

impl<C: Chunked, W: Write> ChunkWriter<C, W> {
    /// Creates a writer to `output` that starts at chunk 0.
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

    /// Writes the last chunk and returns the output.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(mut self) -> io::Result<W> {
        if !C::FULL_LAST && self.filled == C::SIZE {
            self.chunk(false)?;
        }
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
        seal_in(&self.key, self.index, last, &mut self.buffer, self.filled)?;
        let len = self.filled + crate::chunks::TAG;
        self.output.write_all(&self.buffer[..len])?;
        self.index += 1;
        self.filled = 0;
        self.failed = false;
        Ok(())
    }
}

impl<C: Chunked, W: Write> Write for ChunkWriter<C, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full chunk is known not to be the last only when more data arrives.
        if self.filled == C::SIZE && !bytes.is_empty() {
            self.chunk(false)?;
        }
        let count = bytes.len().min(C::SIZE - self.filled);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        FileKey, Payload,
        cobblestone::{Cipher, Cobblestone, SALT},
    };

    /// An output that fails once.
    #[derive(Default)]
    struct Flaky {
        written: Vec<u8>,
        has_failed: bool,
    }

    impl Write for Flaky {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !std::mem::replace(&mut self.has_failed, true) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.written.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn write_again_after_a_failure<C: Chunked>(key: C) {
        let mut writer = ChunkWriter::new(key, Flaky::default());
        writer.write_all(&vec![7; C::SIZE]).unwrap();
        writer.write_all(b"more").unwrap_err();
        writer.write_all(b"more").unwrap_err();
        assert_eq!(writer.get_mut().written, [0; 0]);
        assert!(writer.finish().is_err());
    }

    #[test]
    fn no_chunk_is_sealed_twice() {
        let key = FileKey::new([1; 16]);
        write_again_after_a_failure(Payload::generate(&key).unwrap());
        let cipher = Cipher::Aes128Gcm;
        let (key, _) = Cobblestone::derive(cipher, &[1; 16], &[2; SALT], b"").unwrap();
        write_again_after_a_failure(key);
    }
}
