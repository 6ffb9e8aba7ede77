//! Messages of chunks, each sealed separately under a nonce with its index: the common part of
//! age's STREAM and Cobblestone.

use pqseal_hpke::{Tag, twice::opened};
use zeroize::Zeroizing;

use crate::PayloadError;

/// The number of bytes that sealing adds to a chunk.
pub(crate) const TAG: usize = 16;

/// A scheme that seals chunks, with its key.
pub trait Chunked: Send + Sync {
    /// The number of bytes of plaintext in each chunk except the last.
    const SIZE: usize;
    /// Set if the last chunk may be full. It is then empty only if it is the only one, and its
    /// nonce marks it as the last. If this is not set, the last chunk is always shorter than the
    /// others.
    const FULL_LAST: bool;
    /// The maximum number of chunks in a message.
    const MAX_CHUNKS: u64;

    /// Encrypts a chunk in place and returns its tag.
    ///
    /// # Errors
    /// The errors of the AEAD.
    fn seal(&self, index: u64, last: bool, chunk: &mut [u8]) -> Result<Tag, pqseal_hpke::Error>;

    /// Decrypts a chunk in place. If its tag is wrong, the chunk is filled with zeros.
    ///
    /// # Errors
    /// The errors of the AEAD.
    fn open(
        &self,
        index: u64,
        last: bool,
        chunk: &mut [u8],
        tag: &Tag,
    ) -> Result<(), pqseal_hpke::Error>;
}

/// Returns the number of bytes of a full sealed chunk.
pub(crate) const fn sealed<C: Chunked>() -> usize {
    C::SIZE + TAG
}

/// The division into chunks of a sealed message of known length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The number of chunks, at least 1.
    pub chunks: u64,
    /// The number of bytes of plaintext in the last chunk.
    pub last: usize,
    /// The total number of bytes of plaintext.
    pub plaintext: u64,
}

impl Extent {
    /// Returns the division of `sealed_len` bytes of chunks.
    ///
    /// # Errors
    /// [`PayloadError`] for a length that no message has.
    pub fn of<C: Chunked>(sealed_len: u64) -> Result<Self, PayloadError> {
        let (size, full) = (C::SIZE as u64, sealed::<C>() as u64);
        let (before, rest) = match (sealed_len / full, sealed_len % full) {
            (chunks @ 1.., 0) if C::FULL_LAST => (chunks - 1, full),
            (_, rest @ ..TAG_U64) => {
                return Err(match rest {
                    0 => PayloadError::Truncated,
                    _ => PayloadError::LastChunk,
                });
            }
            (before, rest) => (before, rest),
        };
        let last = rest - TAG_U64;
        if C::FULL_LAST && last == 0 && before > 0 {
            return Err(PayloadError::EmptyLast);
        }
        if before >= C::MAX_CHUNKS {
            return Err(PayloadError::TooLong);
        }
        Ok(Self {
            chunks: before + 1,
            last: usize::try_from(last).expect("a chunk fits in memory"),
            plaintext: before * size + last,
        })
    }
}

const TAG_U64: u64 = TAG as u64;

/// Seals the chunk of `plain` bytes at the start of `buffer`, and appends its tag.
pub(crate) fn seal_in<C: Chunked>(
    key: &C,
    index: u64,
    last: bool,
    buffer: &mut [u8],
    plain: usize,
) -> Result<(), crate::Error> {
    if index >= C::MAX_CHUNKS {
        return Err(PayloadError::TooLong.into());
    }
    let (chunk, tag) = buffer.split_at_mut(plain);
    tag[..TAG].copy_from_slice(&key.seal(index, last, chunk)?);
    Ok(())
}

/// Opens the chunk in `sealed` in place. The plaintext is its beginning. On failure the error is as
/// specific as possible.
pub(crate) fn open_in<'b, C: Chunked>(
    key: &C,
    index: u64,
    last: bool,
    sealed: &'b mut [u8],
) -> Result<&'b mut [u8], PayloadError> {
    check::<C>(index, last, sealed.len())?;
    // A full last chunk may be the result of truncation, if it opens as one that is not the last.
    let cut = last && C::FULL_LAST && sealed.len() == self::sealed::<C>();
    let copy = cut.then(|| Zeroizing::new(sealed.to_vec()));
    let length = sealed.len();
    let (chunk, tag) = sealed.split_last_chunk_mut().expect("checked");
    // A failed attempt fills the chunk with zeros.
    let ciphertext = cfg!(target_arch = "wasm32").then(|| chunk.to_vec());
    let result = opened(
        &mut || {
            if let Some(ciphertext) = &ciphertext {
                chunk.copy_from_slice(ciphertext);
            }
            key.open(index, last, chunk, tag)
        },
        |_| true,
    );
    if result.is_ok() {
        return Ok(chunk);
    }
    let is_inner = copy.is_some_and(|mut copy| {
        let (chunk, tag) = copy.split_last_chunk_mut().expect("checked");
        key.open(index, false, chunk, tag).is_ok()
    });
    Err(match () {
        () if is_inner => PayloadError::Truncated,
        () if last && length < self::sealed::<C>() => PayloadError::LastChunk,
        () => PayloadError::Altered(index),
    })
}

/// Checks that a chunk of this length is allowed at this index.
fn check<C: Chunked>(index: u64, last: bool, len: usize) -> Result<(), PayloadError> {
    let full = self::sealed::<C>();
    match len {
        _ if index >= C::MAX_CHUNKS => Err(PayloadError::TooLong),
        0 if last => Err(PayloadError::Truncated),
        ..TAG => Err(PayloadError::LastChunk),
        TAG if last && C::FULL_LAST && index > 0 => Err(PayloadError::EmptyLast),
        _ if last && !C::FULL_LAST && len == full => Err(PayloadError::Truncated),
        _ => Ok(()),
    }
}
