//! Batches of chunks, which are read and written together, and their sources: a stream, which one
//! thread reads at a time, or a file, which all threads read at their own offsets.

use std::{
    fs::File,
    io::{self, IoSlice, Read, Write},
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use zeroize::Zeroizing;

use super::{Layout, lock};
use crate::{
    Chunked, Error, PayloadError,
    chunks::{TAG, open_in, seal_in},
};

/// An input that several threads read in batches.
pub trait Source: Sync {
    /// Reads the next batch. Returns `None` at the end.
    #[doc(hidden)]
    fn next(&self, batch: &mut Batch) -> Option<io::Result<()>>;
}

/// A stream, such as a pipe.
pub struct Stream<R>(Mutex<StreamInput<R>>);

impl<R: Read + Send> Stream<R> {
    /// Creates a source that reads a stream to its end.
    pub fn new(input: R) -> Self {
        Self(Mutex::new(StreamInput {
            input,
            number: 0,
            ahead: None,
            ended: false,
        }))
    }
}

impl<R: Read + Send> Source for Stream<R> {
    fn next(&self, batch: &mut Batch) -> Option<io::Result<()>> {
        let mut input = lock(&self.0);
        (!input.ended).then(|| {
            batch.start(input.number, false);
            input.number += 1;
            let read = input.fill(batch);
            input.ended |= read.is_err();
            read
        })
    }
}

struct StreamInput<R> {
    input: R,
    number: u64,
    /// The first byte of the next batch, which is read to detect the end.
    ahead: Option<u8>,
    ended: bool,
}

impl<R: Read> StreamInput<R> {
    fn fill(&mut self, batch: &mut Batch) -> io::Result<()> {
        if let Some(byte) = self.ahead.take() {
            batch.bytes[0] = byte;
            batch.len = 1;
        }
        let full = batch.fill(batch.capacity(), |bytes, _| self.input.read(bytes))?;
        if full {
            self.ahead = self.byte()?;
        }
        if self.ahead.is_none() {
            self.ended = true;
            batch.ended = true;
        }
        Ok(())
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        loop {
            match self.input.read(&mut byte) {
                Ok(count) => return Ok((count > 0).then_some(byte[0])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A regular file from an offset to its end, read at offsets and never mapped. An error is returned
/// if its size changes meanwhile.
pub struct FileAt<'f> {
    file: &'f File,
    start: u64,
    end: u64,
    number: AtomicU64,
}

impl<'f> FileAt<'f> {
    /// Creates a source that reads from byte `start` on.
    ///
    /// # Errors
    /// An error if the file's length is unavailable.
    pub fn new(file: &'f File, start: u64) -> io::Result<Self> {
        Ok(Self {
            file,
            start,
            end: file.metadata()?.len().max(start),
            number: AtomicU64::new(0),
        })
    }

    fn fill(&self, batch: &mut Batch, offset: u64, len: usize, ended: bool) -> io::Result<()> {
        let whole = batch.fill(len, |bytes, at| {
            read_at(self.file, bytes, offset + at as u64)
        })?;
        let grown = ended && read_at(self.file, &mut [0], self.end)? > 0;
        match whole && !grown {
            true => Ok(()),
            false => Err(Error::from(PayloadError::Changed).into()),
        }
    }
}

impl Source for FileAt<'_> {
    fn next(&self, batch: &mut Batch) -> Option<io::Result<()>> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let capacity = batch.capacity();
        let offset = number
            .checked_mul(capacity as u64)?
            .checked_add(self.start)?;
        if offset >= self.end && number > 0 {
            return None;
        }
        let left = self.end - offset;
        let len = usize::try_from(left).map_or(capacity, |left| left.min(capacity));
        let ended = len as u64 == left;
        batch.start(number, ended);
        Some(self.fill(batch, offset, len, ended))
    }
}

/// Consecutive chunks. Wiped on drop.
pub struct Batch {
    layout: Layout,
    /// The chunks, with room for one more tag, since a message that fills its chunks may end in
    /// an empty one.
    bytes: Zeroizing<Vec<u8>>,
    /// The index of the batch, from 0.
    pub(super) number: u64,
    /// The number of bytes that were read.
    len: usize,
    /// Set if the input ends here.
    ended: bool,
    /// The ranges to be written.
    ready: Vec<Range<usize>>,
}

impl Batch {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            layout,
            bytes: Zeroizing::new(vec![0; layout.chunks() * layout.stride + TAG]),
            number: 0,
            len: 0,
            ended: false,
            ready: Vec::new(),
        }
    }

    /// Returns the number of input bytes in a full batch.
    fn capacity(&self) -> usize {
        self.layout.chunks() * self.layout.segment
    }

    /// Clears the batch for new input.
    fn start(&mut self, number: u64, ended: bool) {
        self.number = number;
        self.ended = ended;
        self.len = 0;
        self.ready.clear();
    }

    /// Reads input until there are `len` bytes, or `read` returns no more. Returns whether
    /// there were enough.
    fn fill(
        &mut self,
        len: usize,
        mut read: impl FnMut(&mut [u8], usize) -> io::Result<usize>,
    ) -> io::Result<bool> {
        let Layout { segment, stride } = self.layout;
        while self.len < len {
            let within = self.len % segment;
            let start = self.len / segment * stride + within;
            let count = (segment - within).min(len - self.len);
            match read(&mut self.bytes[start..start + count], self.len) {
                Ok(0) => return Ok(false),
                Ok(count) => self.len += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Returns the index of the first chunk.
    fn first(&self) -> u64 {
        self.number * self.layout.chunks() as u64
    }

    /// Seals the input that was read.
    pub(super) fn seal<C: Chunked>(&mut self, key: &C) -> Result<(), Error> {
        let Layout { segment, stride } = self.layout;
        let (full, rest) = (self.len / segment, self.len % segment);
        let more = rest > 0 || (self.ended && (!C::FULL_LAST || self.len == 0));
        let chunks = full + usize::from(more);
        for at in 0..chunks {
            let plain = if at < full { segment } else { rest };
            let last = self.ended && at + 1 == chunks;
            let index = self.first() + at as u64;
            seal_in(key, index, last, &mut self.bytes[at * stride..], plain)?;
        }
        self.ready.push(0..self.len + chunks * TAG);
        Ok(())
    }

    /// Opens the input that was read. If a chunk fails, those before it are ready.
    pub(super) fn open<C: Chunked>(&mut self, key: &C) -> Result<(), Error> {
        let Layout { stride, .. } = self.layout;
        let (first, chunks) = (self.first(), self.len.div_ceil(stride).max(1));
        for at in 0..chunks {
            let start = at * stride;
            let sealed = &mut self.bytes[start..self.len.min(start + stride)];
            let last = self.ended && at + 1 == chunks;
            let plain = open_in(key, first + at as u64, last, sealed)?;
            self.ready.push(start..start + plain.len());
        }
        Ok(())
    }

    /// Writes the ready ranges, with one system call if the output accepts several slices.
    pub(super) fn write(&self, output: &mut impl Write) -> Result<(), Error> {
        let slices = self.ready.iter().map(|range| &self.bytes[range.clone()]);
        let mut slices: Vec<_> = slices.map(IoSlice::new).collect();
        let mut left = &mut slices[..];
        // Removes empty slices, for which 0 would be a valid result.
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            match output.write_vectored(left) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(count) => IoSlice::advance_slices(&mut left, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}
