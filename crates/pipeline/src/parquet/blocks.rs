//! Ranges of an object as the parquet crate requests them: a few bytes of a page's header, then the
//! page, alternating between columns. A request to a store takes as long as the transfer of a
//! megabyte, so whole blocks are read, and the last ones are cached.

use std::{
    io::{self, Read},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use parquet::{
    errors::{ParquetError, Result},
    file::reader::{ChunkReader, Length},
};

use crate::content::Object;

/// The size of a block, in bytes.
const BLOCK: u64 = 2 << 20;
/// The number of blocks that are cached: 32 MiB.
const KEPT: usize = 16;

/// An object, with the blocks that were used last.
pub(super) struct Blocks {
    object: Arc<dyn Object>,
    size: u64,
    /// The blocks with their numbers, most recently used last.
    kept: Arc<Mutex<Vec<(u64, Bytes)>>>,
}

impl Blocks {
    pub(super) fn new(object: Arc<dyn Object>) -> Self {
        Self {
            size: object.stamp().size,
            object,
            kept: Arc::default(),
        }
    }

    /// Returns the rest of the block that contains the byte at `start`.
    fn rest(&self, start: u64) -> io::Result<Bytes> {
        let block = self.block(start / BLOCK)?;
        let within = usize::try_from(start % BLOCK).map_err(io::Error::other)?;
        Ok(block.slice(within.min(block.len())..))
    }

    fn block(&self, number: u64) -> io::Result<Bytes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match kept.iter().position(|(other, _)| *other == number) {
            Some(at) => kept.remove(at).1,
            None => self.read(number)?,
        };
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((number, found.clone()));
        Ok(found)
    }

    fn read(&self, number: u64) -> io::Result<Bytes> {
        let start = number * BLOCK;
        let length = self.size.saturating_sub(start).min(BLOCK);
        let length = usize::try_from(length).map_err(io::Error::other)?;
        Ok(self.object.read_at(start, length)?.into())
    }
}

impl Length for Blocks {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Blocks {
    type T = BlockReader;

    fn get_read(&self, start: u64) -> Result<BlockReader> {
        let blocks = Self {
            object: self.object.clone(),
            size: self.size,
            kept: self.kept.clone(),
        };
        Ok(BlockReader { blocks, at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Checked before any allocation, since a damaged file may request any length.
        if start
            .checked_add(length as u64)
            .is_none_or(|end| end > self.size)
        {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} are not within the object's {}",
                self.size
            )));
        }
        let first = self.rest(start).map_err(external)?;
        if first.len() >= length {
            return Ok(first.slice(..length));
        }
        let mut bytes = Vec::with_capacity(length);
        let mut rest = self.get_read(start)?.take(length as u64);
        rest.read_to_end(&mut bytes).map_err(external)?;
        Ok(bytes.into())
    }
}

/// The bytes from a position to the end.
pub(super) struct BlockReader {
    blocks: Blocks,
    at: u64,
}

impl Read for BlockReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.blocks.size {
            return Ok(0);
        }
        let rest = self.blocks.rest(self.at)?;
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length as u64;
        Ok(length)
    }
}

fn external(error: io::Error) -> ParquetError {
    ParquetError::External(error.into())
}
