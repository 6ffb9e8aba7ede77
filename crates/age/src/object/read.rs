//! Strict reading of the header of an object, whose encoding is unique.

use std::io::{self, Read};

use super::{BOUND, Entry, FIXED, Header, MAC, MAGIC, VERSION, secret::aead_id};
use crate::{Error, HeaderError, MAX_HEADER, cobblestone::Cipher};

impl Header {
    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// [`Error::Header`], [`Error::Io`].
    pub fn read(input: &mut impl Read) -> Result<Self, Error> {
        let mut bytes = vec![0; FIXED];
        // Of another file, no more is read than necessary to detect that.
        let (magic, rest) = bytes.split_at_mut(MAGIC.len() + 1);
        exactly(input, magic)?;
        match magic.split_last() {
            Some((&VERSION, magic)) if magic == MAGIC => {}
            Some((_, magic)) if magic == MAGIC => return Err(HeaderError::ObjectVersion.into()),
            _ => return Err(HeaderError::NotAge.into()),
        }
        exactly(input, rest)?;
        let cipher = cipher(&bytes)?;
        let (length, count) = lengths(&bytes)?;
        let left = length - FIXED;
        // Grows with the input. The length in the header is not used for the allocation.
        if input.take(left as u64).read_to_end(&mut bytes)? < left {
            return Err(HeaderError::Truncated.into());
        }
        let entries = entries(&bytes[FIXED..length - MAC], count)?;
        Ok(Self {
            bytes,
            cipher,
            entries,
        })
    }
}

fn exactly(input: &mut impl Read, bytes: &mut [u8]) -> Result<(), Error> {
    input.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => HeaderError::Truncated.into(),
        _ => error.into(),
    })
}

fn cipher(bytes: &[u8]) -> Result<Cipher, HeaderError> {
    let found = [Cipher::Aes128Gcm, Cipher::Aes256Gcm]
        .into_iter()
        .find(|cipher| bytes[BOUND - 2..BOUND] == aead_id(*cipher).to_be_bytes());
    found.ok_or(HeaderError::Cipher)
}

/// Returns the length of the header and the number of recipients.
fn lengths(bytes: &[u8]) -> Result<(usize, usize), HeaderError> {
    let long = bytes[BOUND..].first_chunk().expect("17 bytes");
    let count = bytes[BOUND + 4..].first_chunk().expect("17 bytes");
    let length = u32::from_be_bytes(*long) as usize;
    let count = usize::from(u16::from_be_bytes(*count));
    match length {
        _ if length > MAX_HEADER => Err(HeaderError::TooLong),
        _ if count == 0 || length < FIXED + MAC => Err(HeaderError::Object),
        _ => Ok((length, count)),
    }
}

/// Parses the recipients, after which there are zeros.
fn entries(mut bytes: &[u8], count: usize) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for _ in 0..count {
        let (length, rest) = bytes.split_first_chunk().ok_or(HeaderError::Object)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (blob, rest) = rest.split_at_checked(length).ok_or(HeaderError::Object)?;
        entries.push(Entry::of(blob.to_vec())?);
        bytes = rest;
    }
    match bytes.iter().all(|byte| *byte == 0) {
        true => Ok(entries),
        false => Err(HeaderError::Object.into()),
    }
}
