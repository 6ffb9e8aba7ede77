//! Answers from the recipient to the sender, which a context does not carry by default
//! (draft-ietf-hpke-hpke, "Bidirectional Encryption").
//!
//! Each answer draws a random `response_nonce`, so that a replayed request never makes the
//! recipient repeat a key and nonce.

use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use crate::{
    Aead, Error, Kdf, Nonce, RecipientContext, Secret, SenderContext, Tag, aead::Sealing,
    context::Context, suite::random,
};

/// How answers of one application are derived.
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
    /// The successor draft's example: `exporter_context` names the application, as `"[application]
    /// response"`; secret and nonce have Nh bytes.
    pub const fn new(exporter_context: &'a [u8]) -> Self {
        Self {
            exporter_context,
            sizes: Sizes::Nh,
        }
    }
}

impl Response<'static> {
    /// Oblivious HTTP (RFC 9458, section 4.4): secret and nonce have max(Nk, Nn) bytes.
    pub const fn oblivious_http() -> Self {
        Self {
            exporter_context: b"message/bhttp response",
            sizes: Sizes::MaxNkNn,
        }
    }
}

impl<D: Kdf + ?Sized, A: Sealing> RecipientContext<D, A> {
    /// Seals an answer to what was sent under `enc`: `response_nonce || ciphertext || tag`.
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
        let response_nonce = random(self.0.response_len(response), rng)?;
        let (key, nonce) = self
            .0
            .response_key(response, enc.as_ref(), response_nonce.as_ref())?;
        let mut message = pt.to_vec();
        let tag = A::seal_in_place(&key, &nonce, aad, &mut message)?;
        Ok([response_nonce.as_ref(), &message, &tag].concat())
    }
}

impl<D: Kdf + ?Sized, A: Sealing> SenderContext<D, A> {
    /// Opens an answer to what was sent under `enc`.
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
        let (response_nonce, ct) = sealed
            .split_at_checked(self.0.response_len(response))
            .ok_or(Error::Open)?;
        let (ct, tag): (_, &Tag) = ct.split_last_chunk().ok_or(Error::Open)?;
        let (key, nonce) = self
            .0
            .response_key(response, enc.as_ref(), response_nonce)?;
        let mut message = ct.to_vec();
        A::open_in_place(&key, &nonce, aad, &mut message, tag)?;
        Ok(message)
    }
}

impl<D: Kdf + ?Sized, A: Aead> Context<D, A> {
    fn response_len(&self, response: Response<'_>) -> usize {
        match response.sizes {
            Sizes::Nh => self.kdf.info().n_h,
            Sizes::MaxNkNn => self.aead.info().n_k.max(self.aead.info().n_n),
        }
    }

    fn response_key(
        &self,
        response: Response<'_>,
        enc: &[u8],
        nonce: &[u8],
    ) -> Result<(A::Key, Nonce), Error> {
        let secret: Secret = self.export(response.exporter_context, self.response_len(response))?;
        let mut key = Secret::zeros(self.aead.info().n_k);
        let mut aead_nonce = Nonce::default();
        let n_n = self.aead.info().n_n;
        self.kdf.response_key(
            [enc, nonce],
            secret.as_ref(),
            key.as_mut(),
            &mut aead_nonce[..n_n],
        )?;
        Ok((self.aead.key(key.as_ref())?, aead_nonce))
    }
}
