//! Marks that distinguish a file from one that was rewritten in its place: a hash of the bytes
//! before the position that was read to.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

use sha2::{Digest, Sha256};

/// The maximum number of bytes that are hashed.
const SIZE: u64 = 256;

/// A hash of the bytes before a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of bytes.
    pub(super) size: u64,
    /// The first 8 bytes of their SHA-256.
    pub(super) hash: u64,
}

impl Mark {
    /// Returns the mark of the bytes before `offset`.
    pub(super) fn before(file: &File, offset: u64) -> io::Result<Self> {
        Self::of(file, offset, offset.min(SIZE))
    }

    /// Reports whether the bytes before `offset` have this mark.
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
