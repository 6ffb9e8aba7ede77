//! Messages in chunks (draft-ietf-ohai-chunked-ohttp-08, sections 4 to 6).
//!
//! A chunk is its length and its ciphertext. The last one has length 0 and extends to the end of
//! the message.

use std::{mem, ops::Range};

use pqseal_hpke::{
    AnyAead, DynKdf, ResponseKey, ResponseSecret, SenderContext, Tag, rand_core::TryCryptoRng,
};

use super::{Framing, Gateway, RequestHeader, RequestRecipient};
use crate::{Error, Plaintext};

/// The size of the largest chunk that is sealed, in bytes of plaintext, and by default of the
/// largest that is opened (section 3).
pub const MAX_CHUNK: usize = 1 << 14;

/// A sealer of a message in chunks. The message is the concatenated output of [`ChunkSealer::seal`]
/// and [`ChunkSealer::finish`].
#[derive(Debug)]
pub struct ChunkSealer {
    /// The head of the message, until it is output.
    head: Vec<u8>,
    key: SealingKey,
}

impl ChunkSealer {
    pub(super) const fn request(head: Vec<u8>, context: SenderContext<DynKdf, AnyAead>) -> Self {
        let key = SealingKey::Request(context);
        Self { head, key }
    }

    /// Seals the next bytes of the message, in chunks of 16 KiB and a shorter last one. The first
    /// call also outputs the head of the message. Without bytes there is no chunk.
    ///
    /// # Errors
    /// [`Error::Hpke`] after 2^64 - 1 chunks.
    pub fn seal(&mut self, data: &[u8]) -> Result<Vec<u8>, Error> {
        let mut message = mem::take(&mut self.head);
        for chunk in data.chunks(MAX_CHUNK) {
            let sealed = self.key.seal(b"", chunk)?;
            write_length(sealed.len(), &mut message);
            message.extend(sealed);
        }
        Ok(message)
    }

    /// Seals the last bytes of the message, which may be none, and ends it.
    ///
    /// # Errors
    /// Same as [`ChunkSealer::seal`].
    pub fn finish(mut self, data: &[u8]) -> Result<Vec<u8>, Error> {
        let before = data.len().saturating_sub(1) / MAX_CHUNK * MAX_CHUNK;
        let (before, last) = data.split_at(before);
        let mut message = self.seal(before)?;
        write_length(0, &mut message);
        message.extend(self.key.seal(FINAL, last)?);
        Ok(message)
    }
}

#[derive(Debug)]
enum SealingKey {
    Request(SenderContext<DynKdf, AnyAead>),
    Response(ResponseKey),
}

impl SealingKey {
    fn seal(&mut self, aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(match self {
            Self::Request(context) => context.seal(aad, plaintext)?,
            Self::Response(key) => key.seal(aad, plaintext)?,
        })
    }
}

impl Gateway {
    /// Begins to open a request in chunks
    /// ([`media_type::CHUNKED_REQUEST`](super::media_type::CHUNKED_REQUEST)).
    #[must_use]
    pub fn chunked(&self) -> RequestChunks<'_> {
        RequestChunks {
            gateway: self,
            context: None,
            chunks: ChunkBuffer::new(),
        }
    }
}

/// An opener of a request in chunks, as they arrive, which also seals the response. Made by
/// [`Gateway::chunked`].
#[derive(Debug)]
pub struct RequestChunks<'g> {
    gateway: &'g Gateway,
    /// The context, once the head of the message was read.
    context: Option<RequestRecipient>,
    chunks: ChunkBuffer,
}

impl RequestChunks<'_> {
    /// Allows chunks of up to `bytes` bytes of plaintext, which are kept in memory.
    #[must_use]
    pub const fn max_chunk(mut self, bytes: usize) -> Self {
        self.chunks.max_chunk = bytes;
        self
    }

    /// Takes the next bytes of the message, any number of them, and returns the plaintext of the
    /// chunks that are now complete, except the last chunk.
    ///
    /// Plaintext of an incomplete message is authentic, but an attacker may have truncated the
    /// message.
    ///
    /// # Errors
    /// [`Error::UnknownKey`] and [`Error::AlgorithmNotAllowed`], which
    /// [`KEY_PROBLEM`](super::KEY_PROBLEM) reports; [`Error::Open`], [`Error::TooLong`]. After an
    /// error every call returns the same error.
    pub fn open(&mut self, bytes: &[u8]) -> Result<Plaintext, Error> {
        let Self {
            gateway,
            context,
            chunks,
        } = self;
        chunks.unless_failed(|chunks| {
            chunks.buffer.extend_from_slice(bytes);
            if context.is_none() {
                *context = head(gateway, chunks)?;
            }
            match context {
                Some((context, _)) => chunks.open(|aad, ct| context.open(aad, ct)),
                None => Ok(Plaintext::new(Vec::new())),
            }
        })
    }

    /// Ends the message and returns the plaintext of its last chunk. Only then is the message
    /// complete.
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::Open`].
    pub fn finish(&mut self) -> Result<Plaintext, Error> {
        let context = self.context.as_mut();
        self.chunks
            .finish(context.map(|(context, _)| move |aad: &[u8], ct: &[u8]| context.open(aad, ct)))
    }

    /// Creates the sealer of the response in chunks. A response may begin before the request is
    /// complete.
    ///
    /// # Errors
    /// [`Error::Usage`] before the head of the request was read, which is the first 7 bytes and the
    /// encapsulated key; [`Error::Hpke`].
    pub fn response<R: TryCryptoRng + ?Sized>(&self, rng: &mut R) -> Result<ChunkSealer, Error> {
        let (_, secret) = self.context.as_ref().ok_or(Error::Usage(
            "a response needs the head of the request: open more of it first",
        ))?;
        let (head, key) = secret.generate(rng)?;
        let key = SealingKey::Response(key);
        Ok(ChunkSealer { head, key })
    }
}

/// Creates the context of a request, if its header and encapsulated key are complete.
fn head(gateway: &Gateway, chunks: &mut ChunkBuffer) -> Result<Option<RequestRecipient>, Error> {
    let Some(header) = chunks.buffer.first_chunk() else {
        return Ok(None);
    };
    let header = RequestHeader::from_bytes(*header);
    let len = RequestHeader::LEN + gateway.enc_len(header)?;
    match chunks.take(len) {
        Some(head) => Ok(Some(gateway.set_up(
            header,
            &head[RequestHeader::LEN..],
            Framing::Chunked,
        )?)),
        None => Ok(None),
    }
}

/// An opener of a response in chunks, as they arrive. Made by
/// [`Client::chunked`](super::Client::chunked).
#[derive(Debug)]
pub struct ResponseChunks {
    secret: ResponseSecret,
    /// The key, once the nonce was read.
    key: Option<ResponseKey>,
    chunks: ChunkBuffer,
}

impl ResponseChunks {
    pub(super) const fn new(secret: ResponseSecret) -> Self {
        Self {
            secret,
            key: None,
            chunks: ChunkBuffer::new(),
        }
    }

    /// Sets the limit like [`RequestChunks::max_chunk`].
    #[must_use]
    pub const fn max_chunk(mut self, bytes: usize) -> Self {
        self.chunks.max_chunk = bytes;
        self
    }

    /// Opens chunks like [`RequestChunks::open`].
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::TooLong`]. After an error every call returns the same error.
    pub fn open(&mut self, bytes: &[u8]) -> Result<Plaintext, Error> {
        let Self {
            secret,
            key,
            chunks,
        } = self;
        chunks.unless_failed(|chunks| {
            chunks.buffer.extend_from_slice(bytes);
            if key.is_none() {
                let nonce = chunks.take(secret.nonce_len());
                *key = nonce.map(|nonce| secret.key(&nonce)).transpose()?;
            }
            match key {
                Some(key) => chunks.open(|aad, ct| key.open(aad, ct)),
                None => Ok(Plaintext::new(Vec::new())),
            }
        })
    }

    /// Ends the message like [`RequestChunks::finish`].
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::Open`].
    pub fn finish(&mut self) -> Result<Plaintext, Error> {
        let key = self.key.as_mut();
        self.chunks
            .finish(key.map(|key| move |aad: &[u8], ct: &[u8]| key.open(aad, ct)))
    }
}

/// The aad of the last chunk.
const FINAL: &[u8] = b"final";

/// The bytes of a message that are not opened yet.
#[derive(Debug)]
struct ChunkBuffer {
    buffer: Vec<u8>,
    max_chunk: usize,
    /// Set if the last chunk follows.
    last: bool,
    /// The error after which nothing more is opened.
    failed: Option<Error>,
}

impl ChunkBuffer {
    const fn new() -> Self {
        Self {
            buffer: Vec::new(),
            max_chunk: MAX_CHUNK,
            last: false,
            failed: None,
        }
    }

    /// Runs an operation unless an earlier one failed. There is no second attempt, which would
    /// begin in the middle.
    fn unless_failed<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = run(self);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
            self.buffer = Vec::new();
        }
        result
    }

    /// Removes the first `len` bytes, if all of them are available.
    fn take(&mut self, len: usize) -> Option<Vec<u8>> {
        (self.buffer.len() >= len).then(|| self.buffer.drain(..len).collect())
    }

    /// Opens the complete chunks.
    fn open(
        &mut self,
        mut open: impl FnMut(&[u8], &[u8]) -> Result<Vec<u8>, pqseal_hpke::Error>,
    ) -> Result<Plaintext, Error> {
        let (mut opened, mut at) = (Plaintext::new(Vec::new()), 0);
        while let Some(chunk) = self.next(&mut at)? {
            if opened.capacity() == 0 {
                // Room for all available bytes, once a chunk is complete.
                opened = Plaintext::new(Vec::with_capacity(self.buffer.len()));
            }
            match open(b"", &self.buffer[chunk])? {
                empty if empty.is_empty() => return Err(Error::Open),
                plaintext => opened.append(Plaintext::new(plaintext)),
            }
        }
        self.buffer.drain(..at);
        if self.last {
            self.check(self.buffer.len())?;
        }
        Ok(opened)
    }

    /// Locates the next complete chunk that is not the last, and moves `at` behind it.
    fn next(&mut self, at: &mut usize) -> Result<Option<Range<usize>>, Error> {
        if self.last {
            return Ok(None);
        }
        let Some((len, prefix)) = read_length(&self.buffer[*at..]) else {
            return Ok(None);
        };
        if len == 0 {
            self.last = true;
            *at += prefix;
            return Ok(None);
        }
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        self.check(len)?;
        let start = *at + prefix;
        if self.buffer.len() - start < len {
            return Ok(None);
        }
        *at = start + len;
        Ok(Some(start..*at))
    }

    /// Checks that a chunk may have this size in bytes of ciphertext.
    const fn check(&self, len: usize) -> Result<(), Error> {
        match len > self.max_chunk.saturating_add(size_of::<Tag>()) {
            true => Err(Error::TooLong(
                "a chunk is larger than allowed; allow larger ones with max_chunk",
            )),
            false => Ok(()),
        }
    }

    /// Opens the last chunk. `open` is `None` if not even the head of the message was complete.
    fn finish(
        &mut self,
        open: Option<impl FnOnce(&[u8], &[u8]) -> Result<Vec<u8>, pqseal_hpke::Error>>,
    ) -> Result<Plaintext, Error> {
        let opened = self.unless_failed(|chunks| match open {
            Some(open) if chunks.last => Ok(Plaintext::new(open(FINAL, &chunks.buffer)?)),
            _ => Err(Error::Truncated),
        })?;
        self.failed = Some(Error::Usage("the message has ended"));
        self.buffer = Vec::new();
        Ok(opened)
    }
}

/// Writes a length as QUIC does: its first two bits encode its size. Chunks are short enough for 4
/// bytes.
fn write_length(len: usize, message: &mut Vec<u8>) {
    match u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes() {
        [0, 0, 0, short] if short < 1 << 6 => message.push(short),
        [0, 0, high, low] if high < 1 << 6 => message.extend([0x40 | high, low]),
        [high, rest @ ..] => {
            message.push(0x80 | high);
            message.extend(rest);
        }
    }
}

/// Reads a length and the number of its bytes, if all of them are available.
fn read_length(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let prefix = 1 << (first >> 6);
    let mut len = u64::from(first & 0x3f);
    for byte in bytes.get(1..prefix)? {
        len = len << 8 | u64::from(*byte);
    }
    Some((len, prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9000, appendix A.1.
    #[test]
    fn lengths_of_quic() {
        for (bytes, len) in [
            (
                &b"\xc2\x19\x7c\x5e\xff\x14\xe8\x8c"[..],
                151_288_809_941_952_652,
            ),
            (b"\x9d\x7f\x3e\x7d", 494_878_333),
            (b"\x7b\xbd", 15_293),
            (b"\x40\x25", 37),
            (b"\x25", 37),
        ] {
            assert_eq!(read_length(bytes), Some((len, bytes.len())));
            assert_eq!(read_length(&bytes[1..][..0]), None);
            assert_eq!(read_length(&bytes[..bytes.len() - 1]), None);
        }
        for len in [0, 1, 63, 64, 16_383, 16_384, 16_400, 0x3fff_ffff] {
            let mut bytes = Vec::new();
            write_length(len, &mut bytes);
            let shortest = [(64, 1), (16_384, 2)];
            let shortest = shortest.iter().find(|(end, _)| len < *end);
            assert_eq!(bytes.len(), shortest.map_or(4, |(_, size)| *size));
            assert_eq!(read_length(&bytes), Some((len as u64, bytes.len())));
        }
    }
}
