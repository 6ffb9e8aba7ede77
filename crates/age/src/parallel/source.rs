//! The sources of batches: a stream, which one thread reads at a time, or a file, which all threads
//! read at their own offsets.

use std::{
    fs::File,
    io::{self, Read},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::batch::Batch;
use crate::{Error, PayloadError};

/// An input that several threads read in batches.
pub trait Source: Sync {
    /// Reads the next batch. Returns `None` at the end.
    #[doc(hidden)]
    fn next(&self, batch: &mut Batch) -> Option<io::Result<()>>;
}

/// A stream, such as a pipe.
pub struct Stream<R>(Mutex<Reading<R>>);

struct Reading<R> {
    input: R,
    number: u64,
    /// The first byte of the next batch, which is read to detect the end.
    ahead: Option<u8>,
    ended: bool,
}

impl<R: Read + Send> Stream<R> {
    /// Creates a source that reads a stream to its end.
    pub fn new(input: R) -> Self {
        Self(Mutex::new(Reading {
            input,
            number: 0,
            ahead: None,
            ended: false,
        }))
    }
}

impl<R: Read + Send> Source for Stream<R> {
    fn next(&self, batch: &mut Batch) -> Option<io::Result<()>> {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!reading.ended).then(|| {
            batch.start(reading.number, false);
            reading.number += 1;
            let read = reading.fill(batch);
            reading.ended |= read.is_err();
            read
        })
    }
}

impl<R: Read> Reading<R> {
    fn fill(&mut self, batch: &mut Batch) -> io::Result<()> {
        if let Some(byte) = self.ahead.take() {
            batch.push(byte);
        }
        let full = batch.fill_from(&mut self.input)?;
        if full {
            self.ahead = self.byte()?;
        }
        if self.ahead.is_none() {
            self.ended = true;
            batch.end();
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

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}
