//! A reader of chunks, one at a time, with seeking.

use std::io::{self, Read, Seek, SeekFrom};
use zeroize::Zeroizing;

use crate::{
    Error, Extent, PayloadError,
    chunks::{Chunked, open_in, sealed},
};

/// A reader that opens chunks. After an error every read returns an error, until a seek.
pub struct ChunkReader<C, R> {
    key: C,
    input: R,
    /// A sealed chunk and the byte after it, which is read to detect the end; then its
    /// plaintext.
    buffer: Zeroizing<Vec<u8>>,
    /// The range of the plaintext that was not returned yet.
    ready: std::ops::Range<usize>,
    /// The index of the next chunk.
    index: u64,
    /// The first byte of the next chunk, if it was read.
    ahead: Option<u8>,
    /// The number of input bytes from chunk 0 to the current position.
    consumed: u64,
    /// The position in the plaintext of the next byte to return.
    place: u64,
    phase: ReaderPhase,
    /// The position of chunk 0 in the input and the extent, after they were requested.
    extent: Option<(u64, Extent)>,
}

enum ReaderPhase {
    Reading,
    /// The last chunk was opened.
    Ended,
    Failed(PayloadError),
    /// The input failed, so its position is unknown.
    Lost,
}

impl<C: Chunked, R: Read> ChunkReader<C, R> {
    /// Creates a reader of `input`, which must be positioned at chunk 0.
    pub fn new(key: C, input: R) -> Self {
        Self {
            key,
            input,
            buffer: Zeroizing::new(vec![0; sealed::<C>() + 1]),
            ready: 0..0,
            index: 0,
            ahead: None,
            consumed: 0,
            place: 0,
            phase: ReaderPhase::Reading,
            extent: None,
        }
    }

    /// Opens the next chunk. Nothing in the buffer is returned before its tag was checked.
    fn advance(&mut self) -> io::Result<()> {
        self.ready = 0..0;
        let filled = self
            .fill()
            .inspect_err(|_| self.phase = ReaderPhase::Lost)?;
        let full = sealed::<C>();
        let last = filled <= full;
        self.ahead = (!last).then(|| self.buffer[full]);
        let chunk = &mut self.buffer[..filled.min(full)];
        match open_in(&self.key, self.index, last, chunk) {
            Ok(chunk) => self.ready = 0..chunk.len(),
            Err(error) => return Err(self.fail(error)),
        }
        self.index += 1;
        if last {
            self.phase = ReaderPhase::Ended;
        }
        Ok(())
    }

    /// Reads a sealed chunk and the byte after it, or as much as there is.
    fn fill(&mut self) -> io::Result<usize> {
        let mut filled = 0;
        if let Some(first) = self.ahead.take() {
            self.buffer[0] = first;
            filled = 1;
        }
        while filled < self.buffer.len() {
            match self.input.read(&mut self.buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => {
                    filled += count;
                    self.consumed += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn fail(&mut self, error: PayloadError) -> io::Error {
        self.phase = ReaderPhase::Failed(error);
        self.ready = 0..0;
        Error::from(error).into()
    }
}

impl<C: Chunked, R: Read> Read for ChunkReader<C, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() && !out.is_empty() {
            match self.phase {
                ReaderPhase::Reading => self.advance()?,
                ReaderPhase::Ended => return Ok(0),
                ReaderPhase::Failed(error) => return Err(Error::from(error).into()),
                ReaderPhase::Lost => return Err(io::Error::other("an earlier read failed")),
            }
        }
        let count = out.len().min(self.ready.len());
        out[..count].copy_from_slice(&self.buffer[self.ready.start..][..count]);
        self.ready.start += count;
        self.place += count as u64;
        Ok(count)
    }
}

impl<C: Chunked, R: Read + Seek> ChunkReader<C, R> {
    /// Returns the number of bytes of plaintext, after authenticating the last chunk.
    ///
    /// # Errors
    /// [`Error::Payload`], [`Error::Io`].
    pub fn plaintext_len(&mut self) -> Result<u64, Error> {
        if self.extent.is_none() {
            self.measure()?;
            self.go_to(self.place)?;
        }
        Ok(self.extent.expect("measured").1.plaintext)
    }

    /// Finds the end, and verifies it by opening the last chunk.
    fn measure(&mut self) -> Result<(), Error> {
        match self.phase {
            ReaderPhase::Failed(error) => return Err(error.into()),
            ReaderPhase::Lost => return Err(io::Error::other("an earlier read failed").into()),
            ReaderPhase::Reading | ReaderPhase::Ended => {}
        }
        let start = self.input.stream_position()? - self.consumed;
        // If the seek fails, the position of the input is unknown.
        (self.ready, self.ahead, self.phase) = (0..0, None, ReaderPhase::Lost);
        let end = self.input.seek(SeekFrom::End(0))?;
        let extent = Extent::of::<C>(end.saturating_sub(start)).inspect_err(|error| {
            self.fail(*error);
        })?;
        self.extent = Some((start, extent));
        // The extent is discarded if the last chunk does not open.
        Ok(self
            .open_chunk(extent.chunks - 1)
            .inspect_err(|_| self.extent = None)?)
    }

    fn open_chunk(&mut self, index: u64) -> io::Result<()> {
        let (start, _) = self.extent.expect("measured");
        let at = index * sealed::<C>() as u64;
        (self.ready, self.ahead, self.phase) = (0..0, None, ReaderPhase::Lost);
        self.input.seek(SeekFrom::Start(start + at))?;
        (self.consumed, self.index, self.phase) = (at, index, ReaderPhase::Reading);
        self.advance()
    }

    /// Moves to a position in the plaintext, which may be at its end or beyond.
    fn go_to(&mut self, place: u64) -> io::Result<()> {
        let (_, extent) = self.extent.expect("measured");
        let index = (place / C::SIZE as u64).min(extent.chunks - 1);
        self.open_chunk(index)?;
        let within = place - index * C::SIZE as u64;
        let within = usize::try_from(within).unwrap_or(usize::MAX);
        self.ready.start = within.min(self.ready.end);
        self.place = place;
        Ok(())
    }
}

impl<C: Chunked, R: Read + Seek> Seek for ChunkReader<C, R> {
    /// Moves to a position in the plaintext. The first call authenticates the last chunk, and
    /// so the length.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.place.checked_add_signed(by),
            SeekFrom::End(by) => self.plaintext_len()?.checked_add_signed(by),
        };
        let place = place.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "a seek to before the start")
        })?;
        self.plaintext_len()?;
        self.go_to(place)?;
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::{
        ChunkWriter,
        cobblestone::{Cipher, Cobblestone, SALT},
    };

    /// An input that, when told to, returns a part of a chunk of its choice, and then fails
    /// once.
    struct Hostile {
        input: Cursor<Vec<u8>>,
        left: Option<usize>,
    }

    impl Read for Hostile {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.left {
                None => self.input.read(out),
                Some(0) => {
                    self.left = None;
                    Err(io::ErrorKind::TimedOut.into())
                }
                Some(left) => {
                    let count = left.min(out.len());
                    out[..count].fill(b'!');
                    self.left = Some(left - count);
                    Ok(count)
                }
            }
        }
    }

    impl Seek for Hostile {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.input.seek(to)
        }
    }

    fn key() -> Cobblestone {
        Cobblestone::derive(Cipher::Aes128Gcm, &[1; 16], &[2; SALT], b"")
            .unwrap()
            .0
    }

    #[test]
    fn nothing_is_given_out_after_a_failure_until_a_seek() {
        let text = vec![7; 3 * Cobblestone::SIZE];
        let mut writer = ChunkWriter::new(key(), Vec::new());
        writer.write_all(&text).unwrap();
        let input = Cursor::new(writer.finish().unwrap());
        let mut reader = ChunkReader::new(key(), Hostile { input, left: None });
        let mut part = [0; 10];
        reader.seek(SeekFrom::Start(100)).unwrap();
        reader.read_exact(&mut part).unwrap();
        reader.input.left = Some(5000);
        reader
            .seek(SeekFrom::Start(2 * Cobblestone::SIZE as u64))
            .unwrap_err();
        for _ in 0..2 {
            reader.read(&mut part).unwrap_err();
        }
        assert_eq!(part, [7; 10]);
        assert_eq!(reader.seek(SeekFrom::Start(1)).unwrap(), 1);
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert!(rest == text[1..]);
    }
}
