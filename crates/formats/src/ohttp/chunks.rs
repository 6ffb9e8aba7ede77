//! Messages in chunks (draft-ietf-ohai-chunked-ohttp-08, sections 4 to 6).
//!
//! A chunk is its length and its ciphertext. The last one has length 0 and extends to the end of
//! the message.

use std::mem;

use pqseal_hpke::{
    AnyAead, DynKdf, ResponseKey, ResponseSecret, SenderContext, rand_core::TryCryptoRng,
};

use super::{
    Form, Gateway, Header,
    framing::{Chunks, FINAL, MAX_CHUNK, write_length},
    gateway::Receiving,
};
use crate::{Error, Plaintext};

/// A sealer of a message in chunks. The message is the concatenated output of [`ChunkSealer::seal`]
/// and [`ChunkSealer::finish`].
#[derive(Debug)]
pub struct ChunkSealer {
    /// The head of the message, until it is output.
    head: Vec<u8>,
    key: SealingKey,
}

/// An opener of a request in chunks, as they arrive, which also seals the response. Made by
/// [`Gateway::chunked`].
#[derive(Debug)]
pub struct RequestChunks<'g> {
    gateway: &'g Gateway,
    /// The context, once the head of the message was read.
    context: Option<Receiving>,
    chunks: Chunks,
}

/// An opener of a response in chunks, as they arrive. Made by
/// [`Client::chunked`](super::Client::chunked).
#[derive(Debug)]
pub struct ResponseChunks {
    secret: ResponseSecret,
    /// The key, once the nonce was read.
    key: Option<ResponseKey>,
    chunks: Chunks,
}

#[derive(Debug)]
enum SealingKey {
    Request(SenderContext<DynKdf, AnyAead>),
    Response(ResponseKey),
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
        RequestChunks::new(self)
    }
}

impl<'g> RequestChunks<'g> {
    const fn new(gateway: &'g Gateway) -> Self {
        Self {
            gateway,
            context: None,
            chunks: Chunks::new(),
        }
    }

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
fn head(gateway: &Gateway, chunks: &mut Chunks) -> Result<Option<Receiving>, Error> {
    let Some(header) = chunks.buffer.first_chunk() else {
        return Ok(None);
    };
    let header = Header::from_bytes(*header);
    let len = Header::LEN + gateway.enc_len(header)?;
    let set_up = |head: Vec<u8>| gateway.set_up(header, &head[Header::LEN..], Form::Chunked);
    chunks.take(len).map(set_up).transpose()
}

impl ResponseChunks {
    pub(super) const fn new(secret: ResponseSecret) -> Self {
        Self {
            secret,
            key: None,
            chunks: Chunks::new(),
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
