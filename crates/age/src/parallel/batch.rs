//! A batch of chunks, which are read and written together.

use std::{
    io::{self, IoSlice, Read, Write},
    ops::Range,
};
use zeroize::Zeroizing;

use super::Layout;
use crate::{
    Chunked, Error,
    chunks::{TAG, open_in, seal_in},
};

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
    pub(super) fn capacity(&self) -> usize {
        self.layout.chunks() * self.layout.segment
    }

    /// Clears the batch for new input.
    pub(super) fn start(&mut self, number: u64, ended: bool) {
        self.number = number;
        self.ended = ended;
        self.len = 0;
        self.ready.clear();
    }

    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.bytes[0] = byte;
        self.len = 1;
    }

    /// Reads input until there are `len` bytes, or `read` returns no more. Returns whether
    /// there were enough.
    pub(super) fn fill(
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

    /// Fills the batch from a stream. Returns whether there was enough input.
    pub(super) fn fill_from(&mut self, input: &mut impl Read) -> io::Result<bool> {
        self.fill(self.capacity(), |bytes, _| input.read(bytes))
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
        let chunks = self.len.div_ceil(stride).max(1);
        for at in 0..chunks {
            let start = at * stride;
            let sealed = &mut self.bytes[start..self.len.min(start + stride)];
            let last = self.ended && at + 1 == chunks;
            let plain = open_in(
                key,
                self.number * self.layout.chunks() as u64 + at as u64,
                last,
                sealed,
            )?;
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
