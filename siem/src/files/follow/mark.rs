//! What tells a file from one that was written again in its place: the bytes before where it was
//! read to.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

use sha2::{Digest, Sha256};

/// How many bytes are looked at, at most.
const SIZE: u64 = 256;

/// The bytes before a place, as a hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// How many.
    pub(super) size: u64,
    /// The beginning of their SHA-256.
    pub(super) hash: u64,
}

impl Mark {
    /// Of the bytes before `offset`.
    pub(super) fn before(file: &File, offset: u64) -> io::Result<Self> {
        Self::of(file, offset, offset.min(SIZE))
    }

    /// Whether the bytes before `offset` are these.
    pub(super) fn is_before(&self, file: &File, offset: u64) -> io::Result<bool> {
        let is_empty = self.size == 0;
        Ok(is_empty || *self == Self::of(file, offset, self.size.min(SIZE))?)
    }

    fn of(mut file: &File, offset: u64, size: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset.saturating_sub(size)))?;
        let mut bytes = Vec::new();
        file.take(size).read_to_end(&mut bytes)?;
        let hash = Sha256::digest(&bytes);
        Ok(Self {
            size: bytes.len() as u64,
            hash: u64::from_be_bytes(*hash.first_chunk().expect("32 bytes are more than 8")),
        })
    }
}
