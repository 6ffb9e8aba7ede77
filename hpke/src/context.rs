//! Contexts (RFC 9180, section 5.2): many messages under one encapsulated key, each with its
//! sequence number.
//!
//! A context is not `Clone`: two copies would use a nonce twice.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

use crate::{
    Aead, Error, Kdf, Nonce, Secret, SharedSecret, SuiteId, Tag, aead::Sealing, kdf::ScheduleParts,
    schedule, schedule::KeySchedule, secret::Short,
};

/// The state common to sender and recipient.
pub(crate) struct Context<D: ?Sized + 'static, A: Aead + 'static> {
    pub(crate) kdf: &'static D,
    pub(crate) aead: &'static A,
    suite_id: SuiteId,
    /// Boxed, since a moved secret leaves its bytes behind.
    state: Box<State<A>>,
}

/// The secrets of a context and its sequence number. These four fields leave no gap of 8 bytes or
/// more. When the value is moved to its box, a gap would receive old bytes of the stack, and
/// nothing would wipe them.
struct State<A: Aead> {
    key: A::Key,
    base_nonce: Secret<Nonce>,
    exporter_secret: Secret<Short>,
    seq: u64,
}

/// The sender's side, which seals and exports. Created by [`crate::Suite::setup_s`].
///
/// ```
/// use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let (enc, mut sender) = suite.setup_s(&pk, b"info", Mode::Base, &mut SysRng)?;
/// let mut recipient = suite.setup_r(&enc, &sk, b"info", Mode::Base)?;
/// for message in [b"one", b"two"] {
///     let ct = sender.seal(b"", message)?;
///     assert_eq!(recipient.open(b"", &ct)?, message);
/// }
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
///
/// A forked process must not use its copy of a context: both processes would seal under the same
/// nonces.
pub struct SenderContext<D: ?Sized + 'static, A: Aead + 'static>(pub(crate) Context<D, A>);

/// The recipient's side, which opens and exports. Created by [`crate::Suite::setup_r`].
///
/// Messages that were lost or reordered are opened by their number:
///
/// ```
/// use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let (enc, mut sender) = suite.setup_s(&pk, b"info", Mode::Base, &mut SysRng)?;
/// let messages = [sender.seal(b"", b"one")?, sender.seal(b"", b"two")?];
///
/// let recipient = suite.setup_r(&enc, &sk, b"info", Mode::Base)?;
/// assert_eq!(recipient.open_at(1, b"", &messages[1])?, b"two");
/// assert_eq!(recipient.open_at(0, b"", &messages[0])?, b"one");
/// // Both sides export the same secret.
/// assert!(recipient.export(b"session", 32)? == sender.export(b"session", 32)?);
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
pub struct RecipientContext<D: ?Sized + 'static, A: Aead + 'static>(pub(crate) Context<D, A>);

impl<D: Kdf + ?Sized, A: Sealing> SenderContext<D, A> {
    /// Seals the next message. Returns ciphertext and tag, 16 bytes more than `pt` has.
    ///
    /// # Errors
    /// [`Error::MessageLimitReached`] after 2^64 - 1 messages, [`Error::InputTooLong`] beyond the
    /// AEAD's limit, [`Error::ExportOnly`].
    pub fn seal(&mut self, aad: &[u8], pt: &[u8]) -> Result<Vec<u8>, Error> {
        let next = self.0.next_seq()?;
        let state = &self.0.state;
        let sealed = A::seal(&state.key, &self.0.nonce(state.seq), aad, pt)?;
        self.0.state.seq = next;
        Ok(sealed)
    }

    /// Seals the next message, and returns its sequence number too, which
    /// [`RecipientContext::open_at`] takes.
    ///
    /// ```
    /// # use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Suite, SysRng, X25519HkdfSha256};
    /// # let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
    /// # let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
    /// let (enc, mut sender) = suite.setup_s(&pk, b"info", Mode::Base, &mut SysRng)?;
    /// sender.seal(b"", b"lost")?;
    /// let (seq, ct) = sender.seal_with_sequence(b"", b"arrived")?;
    ///
    /// let recipient = suite.setup_r(&enc, &sk, b"info", Mode::Base)?;
    /// assert_eq!(recipient.open_at(seq, b"", &ct)?, b"arrived");
    /// # Ok::<(), pqseal_hpke::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`SenderContext::seal`].
    pub fn seal_with_sequence(&mut self, aad: &[u8], pt: &[u8]) -> Result<(u64, Vec<u8>), Error> {
        let seq = self.0.state.seq;
        Ok((seq, self.seal(aad, pt)?))
    }

    /// Seals the next message in place and appends the tag.
    ///
    /// # Errors
    /// Same as [`SenderContext::seal`]; `message` is then unchanged.
    pub fn seal_in_place(&mut self, aad: &[u8], message: &mut Vec<u8>) -> Result<(), Error> {
        let tag = self.seal_detached(aad, message)?;
        message.extend_from_slice(&tag);
        Ok(())
    }

    /// Seals the next message in place and returns the tag.
    ///
    /// # Errors
    /// Same as [`SenderContext::seal`]; `message` is then unchanged.
    pub fn seal_detached(&mut self, aad: &[u8], message: &mut [u8]) -> Result<Tag, Error> {
        let next = self.0.next_seq()?;
        let tag = A::seal_in_place(
            &self.0.state.key,
            &self.0.nonce(self.0.state.seq),
            aad,
            message,
        )?;
        self.0.state.seq = next;
        Ok(tag)
    }
}

impl<D: Kdf + ?Sized, A: Sealing> RecipientContext<D, A> {
    /// Opens the next message. A failure leaves the sequence number unchanged.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::MessageLimitReached`] after 2^64 - 1 messages,
    /// [`Error::ExportOnly`].
    pub fn open(&mut self, aad: &[u8], ct: &[u8]) -> Result<Vec<u8>, Error> {
        let next = self.0.next_seq()?;
        let state = &self.0.state;
        let message = A::open(&state.key, &self.0.nonce(state.seq), aad, ct)?;
        self.0.state.seq = next;
        Ok(message)
    }

    /// Opens the next message in place and removes the tag.
    ///
    /// # Errors
    /// Same as [`RecipientContext::open`]; `message` is then empty.
    pub fn open_in_place(&mut self, aad: &[u8], message: &mut Vec<u8>) -> Result<(), Error> {
        open_joined(message, |body, tag| self.open_detached(aad, body, tag))
    }

    /// Opens the next message in place, with its tag in `tag`.
    ///
    /// # Errors
    /// Same as [`RecipientContext::open`]; after [`Error::Open`] `message` holds zeros.
    pub fn open_detached(
        &mut self,
        aad: &[u8],
        message: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        let next = self.0.next_seq()?;
        A::open_in_place(
            &self.0.state.key,
            &self.0.nonce(self.0.state.seq),
            aad,
            message,
            tag,
        )?;
        self.0.state.seq = next;
        Ok(())
    }

    /// Opens the message with sequence number `seq`, in any order and any number of times, for
    /// transports that lose and reorder. The context's own sequence number does not change. The
    /// caller must detect replays.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::ExportOnly`]; [`Error::MessageLimitReached`] for 2^64 - 1, which
    /// no sender uses.
    pub fn open_at(&self, seq: u64, aad: &[u8], ct: &[u8]) -> Result<Vec<u8>, Error> {
        if seq == u64::MAX {
            return Err(Error::MessageLimitReached);
        }
        A::open(&self.0.state.key, &self.0.nonce(seq), aad, ct)
    }
}

impl<D: Kdf + ?Sized, A: Aead> SenderContext<D, A> {
    /// Exports `len` bytes that both sides share, and that differ for each `exporter_context`
    /// (Context.Export, section 5.3).
    ///
    /// # Errors
    /// [`Error::ExportTooLong`] beyond 255 * Nh bytes (HKDF) or 65,535 (one-stage);
    /// [`Error::InputTooLong`] for an `exporter_context` beyond 65,535 bytes with a one-stage KDF.
    pub fn export(&self, exporter_context: &[u8], len: usize) -> Result<Secret, Error> {
        self.0.export(exporter_context, len)
    }

    /// Returns the sequence number of the next message.
    pub const fn sequence(&self) -> u64 {
        self.0.state.seq
    }
}

impl<D: Kdf + ?Sized, A: Aead> RecipientContext<D, A> {
    /// Exports the same bytes as [`SenderContext::export`].
    ///
    /// # Errors
    /// Same as [`SenderContext::export`].
    pub fn export(&self, exporter_context: &[u8], len: usize) -> Result<Secret, Error> {
        self.0.export(exporter_context, len)
    }

    /// Returns the sequence number of the next message.
    pub const fn sequence(&self) -> u64 {
        self.0.state.seq
    }
}

impl<D: Kdf + ?Sized, A: Aead> Context<D, A> {
    pub(crate) fn new(
        schedule: &KeySchedule<D, A>,
        shared_secret: &SharedSecret,
    ) -> Result<Self, Error> {
        const {
            let secrets = size_of::<A::Key>() + size_of::<Nonce>() + size_of::<Short>();
            assert!(size_of::<State<A>>() - secrets - size_of::<u64>() < 8);
        }
        let secrets = schedule.secrets(shared_secret, ScheduleParts::All)?;
        Ok(Self {
            kdf: schedule.kdf,
            aead: schedule.aead,
            suite_id: schedule.suite_id,
            state: Box::new(State {
                key: schedule.aead.key(secrets.key.as_ref())?,
                base_nonce: secrets.nonce(),
                exporter_secret: secrets.exporter_secret,
                seq: 0,
            }),
        })
    }
}

impl<D: Kdf + ?Sized, A: Aead> Context<D, A> {
    /// Returns the sequence number after this one (IncrementSeq). It is computed before the message
    /// is processed, so that none is processed beyond the limit.
    fn next_seq(&self) -> Result<u64, Error> {
        self.state
            .seq
            .checked_add(1)
            .ok_or(Error::MessageLimitReached)
    }

    fn nonce(&self, seq: u64) -> Nonce {
        nonce_at(self.state.base_nonce.bytes(), seq)
    }

    pub(crate) fn export(&self, exporter_context: &[u8], len: usize) -> Result<Secret, Error> {
        schedule::export(
            self.kdf,
            self.suite_id,
            &self.state.exporter_secret,
            exporter_context,
            len,
        )
    }
}

/// Computes ComputeNonce: `base_nonce xor I2OSP(seq, Nn)`.
pub(crate) fn nonce_at(base_nonce: &Nonce, seq: u64) -> Nonce {
    let mut nonce = *base_nonce;
    nonce[4..]
        .iter_mut()
        .zip(seq.to_be_bytes())
        .for_each(|(byte, seq)| *byte ^= seq);
    nonce
}

/// Opens ciphertext and tag in one buffer, which then holds the plaintext, or is empty after an
/// error.
fn open_joined(
    message: &mut Vec<u8>,
    open: impl FnOnce(&mut [u8], &Tag) -> Result<(), Error>,
) -> Result<(), Error> {
    let result = match message.split_last_chunk_mut() {
        Some((body, tag)) => open(body, tag).map(|()| body.len()),
        None => Err(Error::Open),
    };
    message.truncate(*result.as_ref().unwrap_or(&0));
    result.map(drop)
}

impl<D: ?Sized, A: Aead> fmt::Debug for SenderContext<D, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SenderContext({}, message {})",
            self.0.suite_id, self.0.state.seq
        )
    }
}

impl<D: ?Sized, A: Aead> fmt::Debug for RecipientContext<D, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "RecipientContext({}, message {})",
            self.0.suite_id, self.0.state.seq
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aes128Gcm, HkdfSha256, Mode};

    fn context(base_nonce: Nonce, seq: u64) -> Context<HkdfSha256, Aes128Gcm> {
        let id = SuiteId::new(0x20, 1, 1);
        let schedule =
            KeySchedule::new::<()>(&HkdfSha256, &Aes128Gcm, id, &Mode::Base, b"").unwrap();
        let mut context = Context::new(&schedule, &Secret::from_slice(&[7; 32])).unwrap();
        (context.state.base_nonce, context.state.seq) = (Secret::new(base_nonce), seq);
        context
    }

    /// A base nonce of ones distinguishes xor from or. The published vectors hardly do, since their
    /// sequence numbers are small.
    #[test]
    fn the_nonce_is_the_xor_of_base_nonce_and_sequence() {
        let context = context([0xff; 12], 0);
        assert_eq!(
            context.nonce(0x0102_0304_0506_0708),
            *b"\xff\xff\xff\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7"
        );
    }

    #[test]
    fn the_last_sequence_number_is_never_used() {
        let mut sender = SenderContext(context([0; 12], u64::MAX - 1));
        let mut recipient = RecipientContext(context([0; 12], u64::MAX - 1));
        let ct = sender.seal(b"", b"last").unwrap();
        assert_eq!(recipient.open(b"", &ct).unwrap(), b"last");
        assert_eq!(
            (sender.sequence(), recipient.sequence()),
            (u64::MAX, u64::MAX)
        );
        for _ in 0..2 {
            assert_eq!(
                sender.seal(b"", b"one more"),
                Err(Error::MessageLimitReached)
            );
            assert_eq!(recipient.open(b"", &ct), Err(Error::MessageLimitReached));
            assert_eq!(
                recipient.open_at(u64::MAX, b"", &ct),
                Err(Error::MessageLimitReached)
            );
        }
        let told = alloc::format!("{}", Error::MessageLimitReached);
        assert!(told.ends_with("set up a new one"), "{told}");
    }
}
