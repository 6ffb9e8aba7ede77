//! Answers from the recipient to the sender, which a context does not carry by default
//! (draft-ietf-hpke-hpke, "Bidirectional Encryption").
//!
//! Each answer draws a random `response_nonce`, so that a replayed request never makes the
//! recipient repeat a key and nonce.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use rand_core::TryCryptoRng;

use crate::{
    Aead, AnyAead, DynKdf, Error, Kdf, Nonce, RecipientContext, Secret, SenderContext, Tag,
    aead::Sealing,
    context::{Context, nonce_at},
    suite::random,
};

/// The derivation of answers of one application.
///
/// ```
/// use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Response, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let application = Response::new(b"example response");
///
/// let (enc, mut client) = suite.setup_s(&pk, b"info", Mode::Base, &mut SysRng)?;
/// let request = client.seal(b"", b"question")?;
///
/// let mut server = suite.setup_r(&enc, &sk, b"info", Mode::Base)?;
/// assert_eq!(server.open(b"", &request)?, b"question");
/// let response = server.seal_response(application, &enc, b"", b"answer", &mut SysRng)?;
///
/// assert_eq!(client.open_response(application, &enc, b"", &response)?, b"answer");
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    exporter_context: &'a [u8],
    sizes: Sizes,
}

#[derive(Clone, Copy, Debug)]
enum Sizes {
    Nh,
    MaxNkNn,
}

impl<'a> Response<'a> {
    /// Derives answers as in the successor draft's example: `exporter_context` names the
    /// application, as `"[application] response"`; secret and nonce have Nh bytes.
    pub const fn new(exporter_context: &'a [u8]) -> Self {
        Self {
            exporter_context,
            sizes: Sizes::Nh,
        }
    }

    /// Derives answers as in Oblivious HTTP for messages other than Binary HTTP, or in chunks (RFC
    /// 9458, section 4.6): `exporter_context` is `"[media type] response"`; secret and nonce have
    /// max(Nk, Nn) bytes.
    pub const fn oblivious(exporter_context: &'a [u8]) -> Self {
        Self {
            exporter_context,
            sizes: Sizes::MaxNkNn,
        }
    }
}

impl Response<'static> {
    /// Derives answers as in Oblivious HTTP (RFC 9458, section 4.4): secret and nonce have max(Nk,
    /// Nn) bytes.
    pub const fn oblivious_http() -> Self {
        Self::oblivious(b"message/bhttp response")
    }
}

/// The secret from which the answers to one encapsulated key are derived, separate from its
/// context: for an answer in several messages, as in chunked Oblivious HTTP, or for one that comes
/// much later.
///
/// ```
/// use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Response, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let (enc, sender) = suite.setup_s(&pk, b"info", Mode::Base, &mut SysRng)?;
/// let recipient = suite.setup_r(&enc, &sk, b"info", Mode::Base)?;
///
/// let form = Response::new(b"example response");
/// let (nonce, mut answers) = recipient.response_secret(form, &enc)?.generate(&mut SysRng)?;
/// let mut received = sender.response_secret(form, &enc)?.key(&nonce)?;
/// for answer in [b"one", b"two"] {
///     let ct = answers.seal(b"", answer)?;
///     assert_eq!(received.open(b"", &ct)?, answer);
/// }
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
pub struct ResponseSecret<D: ?Sized + 'static = DynKdf, A: 'static = AnyAead> {
    kdf: &'static D,
    aead: &'static A,
    enc: Vec<u8>,
    secret: Secret,
}

/// The key of one answer, for its messages in sequence. Made by [`ResponseSecret`]. Not `Clone`:
/// two copies would use a nonce twice.
pub struct ResponseKey<A: Aead + 'static = AnyAead> {
    /// Boxed, each separately: a moved secret leaves its bytes behind, and a struct of both would
    /// have a gap that keeps bytes of the stack.
    key: Box<A::Key>,
    base_nonce: Box<Secret<Nonce>>,
    seq: u64,
}

impl<D: Kdf + ?Sized, A: Sealing> RecipientContext<D, A> {
    /// Seals an answer to the message sent under `enc`: `response_nonce || ciphertext || tag`.
    ///
    /// # Errors
    /// [`Error::Rng`], [`Error::InputTooLong`], [`Error::ExportOnly`].
    pub fn seal_response<R: TryCryptoRng + ?Sized>(
        &self,
        response: Response<'_>,
        enc: &(impl AsRef<[u8]> + ?Sized),
        aad: &[u8],
        pt: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>, Error> {
        let (mut sealed, mut key) = self.response_secret(response, enc)?.generate(rng)?;
        key.seal_into(aad, pt, &mut sealed)?;
        Ok(sealed)
    }
}

impl<D: Kdf + ?Sized, A: Sealing> SenderContext<D, A> {
    /// Opens an answer to the message sent under `enc`.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::ExportOnly`].
    pub fn open_response(
        &self,
        response: Response<'_>,
        enc: &(impl AsRef<[u8]> + ?Sized),
        aad: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let secret = self.response_secret(response, enc)?;
        let (response_nonce, ct) = sealed
            .split_at_checked(secret.nonce_len())
            .ok_or(Error::Open)?;
        secret.key(response_nonce)?.open(aad, ct)
    }
}

impl<D: Kdf + ?Sized, A: Aead> RecipientContext<D, A> {
    /// Derives the secret that seals answers to `enc`, separate from the context.
    ///
    /// # Errors
    /// Same as [`RecipientContext::export`].
    pub fn response_secret(
        &self,
        response: Response<'_>,
        enc: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<ResponseSecret<D, A>, Error> {
        self.0.response_secret(response, enc.as_ref())
    }
}

impl<D: Kdf + ?Sized, A: Aead> SenderContext<D, A> {
    /// Derives the secret that opens answers to `enc`, separate from the context.
    ///
    /// # Errors
    /// Same as [`SenderContext::export`].
    pub fn response_secret(
        &self,
        response: Response<'_>,
        enc: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<ResponseSecret<D, A>, Error> {
        self.0.response_secret(response, enc.as_ref())
    }
}

impl<D: Kdf + ?Sized, A: Aead> Context<D, A> {
    fn response_secret(
        &self,
        response: Response<'_>,
        enc: &[u8],
    ) -> Result<ResponseSecret<D, A>, Error> {
        let len = match response.sizes {
            Sizes::Nh => self.kdf.info().n_h,
            Sizes::MaxNkNn => self.aead.info().n_k.max(self.aead.info().n_n),
        };
        Ok(ResponseSecret {
            kdf: self.kdf,
            aead: self.aead,
            enc: enc.to_vec(),
            secret: self.export(response.exporter_context, len)?,
        })
    }
}

impl<D: Kdf + ?Sized, A: Aead> ResponseSecret<D, A> {
    /// Returns the size of a response nonce in bytes, which is that of the secret.
    pub fn nonce_len(&self) -> usize {
        self.secret.as_ref().len()
    }

    /// Generates a response nonce, which is sent to the requester, and the key for it. The
    /// recipient's side.
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::InputTooLong`] for an `enc` beyond the limit of a one-stage KDF.
    pub fn generate<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(Vec<u8>, ResponseKey<A>), Error> {
        let response_nonce = random(self.nonce_len(), rng)?;
        let key = self.key(response_nonce.as_ref())?;
        Ok((response_nonce.as_ref().to_vec(), key))
    }

    /// Derives the key of the answer with this response nonce. The sender's side.
    ///
    /// # Errors
    /// [`Error::Open`] for a nonce of another length; [`Error::InputTooLong`] for an `enc` beyond
    /// the limit of a one-stage KDF.
    pub fn key(&self, response_nonce: &[u8]) -> Result<ResponseKey<A>, Error> {
        if response_nonce.len() != self.nonce_len() {
            return Err(Error::Open);
        }
        let info = self.aead.info();
        let mut key = Secret::zeros(info.n_k);
        let mut base_nonce = Box::new(Secret::new(Nonce::default()));
        self.kdf.response_key(
            [&self.enc, response_nonce],
            self.secret.as_ref(),
            key.as_mut(),
            &mut (*base_nonce).as_mut()[..info.n_n],
        )?;
        Ok(ResponseKey {
            key: Box::new(self.aead.key(key.as_ref())?),
            base_nonce,
            seq: 0,
        })
    }
}

impl<A: Sealing> ResponseKey<A> {
    /// Seals the next message: ciphertext and tag, 16 bytes longer than `pt`.
    ///
    /// # Errors
    /// [`Error::MessageLimitReached`] after 2^64 - 1 messages, [`Error::InputTooLong`] beyond the
    /// AEAD's limit, [`Error::ExportOnly`].
    pub fn seal(&mut self, aad: &[u8], pt: &[u8]) -> Result<Vec<u8>, Error> {
        let next = self.next_seq()?;
        let sealed = A::seal(&self.key, &self.nonce(), aad, pt)?;
        self.seq = next;
        Ok(sealed)
    }

    /// Opens the next message. A failure leaves the sequence number unchanged.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::MessageLimitReached`] after 2^64 - 1 messages,
    /// [`Error::ExportOnly`].
    pub fn open(&mut self, aad: &[u8], ct: &[u8]) -> Result<Vec<u8>, Error> {
        let next = self.next_seq()?;
        let message = A::open(&self.key, &self.nonce(), aad, ct)?;
        self.seq = next;
        Ok(message)
    }

    /// Appends ciphertext and tag.
    fn seal_into(&mut self, aad: &[u8], pt: &[u8], sealed: &mut Vec<u8>) -> Result<(), Error> {
        let (next, start) = (self.next_seq()?, sealed.len());
        sealed.reserve(pt.len() + size_of::<Tag>());
        sealed.extend_from_slice(pt);
        let tag = A::seal_in_place(&self.key, &self.nonce(), aad, &mut sealed[start..])?;
        sealed.extend_from_slice(&tag);
        self.seq = next;
        Ok(())
    }

    fn next_seq(&self) -> Result<u64, Error> {
        (self.seq.checked_add(1)).ok_or(Error::MessageLimitReached)
    }

    fn nonce(&self) -> Nonce {
        nonce_at(self.base_nonce.bytes(), self.seq)
    }
}

impl<D: ?Sized, A> fmt::Debug for ResponseSecret<D, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResponseSecret({} bytes)", self.secret.as_ref().len())
    }
}

impl<A: Aead> fmt::Debug for ResponseKey<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResponseKey(message {})", self.seq)
    }
}
