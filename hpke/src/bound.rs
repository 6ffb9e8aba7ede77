//! Keys that are bound to a suite, mode and info once, so that all work that does not depend on the
//! message is done in advance.
//!
//! This is for programs that use one key for many messages, such as a pipeline that opens or an
//! edge that seals. Each message has its own encapsulated key, unless a context is set up for
//! several.

mod sender;

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

pub use self::sender::{EncAndCt, Message, Sender};
use crate::{
    Aead, AnyAead, DynKdf, DynKem, Error, Kdf, Kem, Mode, RecipientContext, Secret, SharedSecret,
    SharedSecrets, Suite, aead::Sealing, context::Context, kdf::ScheduleParts, mode,
    schedule::KeySchedule,
};

/// A private key that opens messages of one suite, mode and info.
///
/// ```
/// use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Recipient, Sealed, Sender, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let sender = Sender::new(suite, pk, b"log 7", Mode::Base)?;
/// let (enc, ct) = sender.seal(b"", b"GET /", &mut SysRng)?;
/// let recipient = Recipient::new(suite, sk, b"log 7", Mode::Base)?;
/// let opened = recipient.open_batch(&[Sealed { enc: &enc, aad: b"", ct: &ct }]);
/// assert_eq!(opened, [Ok(b"GET /".to_vec())]);
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
pub struct Recipient<
    K: Kem + ?Sized + 'static = DynKem,
    D: ?Sized + 'static = DynKdf,
    A: 'static = AnyAead,
> {
    kem: &'static K,
    sk_r: K::PrivateKey,
    /// Boxed, since an unboxed `None` has unused bytes, to which a move would copy old bytes of the
    /// stack.
    pk_s: Option<Box<K::PublicKey>>,
    schedule: KeySchedule<D, A>,
}

/// One sealed message, as [`Recipient::open_batch`] takes it.
#[derive(Clone, Copy, Debug)]
pub struct Sealed<'a> {
    /// The encapsulated key.
    pub enc: &'a [u8],
    /// The data that the sender authenticated with the message.
    pub aad: &'a [u8],
    /// Ciphertext and tag.
    pub ct: &'a [u8],
}

impl<K: Kem + ?Sized, D: Kdf + ?Sized, A: Aead> Recipient<K, D, A> {
    /// Binds `sk_r` to suite, info and mode.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] with a one-stage KDF, if `info` or the psk_id is longer than 65,535
    /// bytes.
    pub fn new(
        suite: Suite<K, D, A>,
        sk_r: K::PrivateKey,
        info: &[u8],
        mode: Mode<'_, K::PublicKey>,
    ) -> Result<Self, Error> {
        Ok(Self {
            kem: suite.kem(),
            sk_r,
            pk_s: mode.key().cloned().map(Box::new),
            schedule: suite.schedule(&mode, info)?,
        })
    }

    /// Creates the context of one encapsulated key, under which several messages were sealed.
    ///
    /// # Errors
    /// Same as [`Suite::setup_r`].
    pub fn setup(
        &self,
        enc: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<RecipientContext<D, A>, Error> {
        Context::new(&self.schedule, &self.decap(enc.as_ref())?).map(RecipientContext)
    }

    /// Exports the same secret as [`Suite::receive_export`], without deriving a key or nonce.
    ///
    /// # Errors
    /// Same as [`Suite::receive_export`].
    pub fn export(
        &self,
        enc: &(impl AsRef<[u8]> + ?Sized),
        exporter_context: &[u8],
        len: usize,
    ) -> Result<Secret, Error> {
        let secrets = self
            .schedule
            .secrets(&self.decap(enc.as_ref())?, ScheduleParts::Exporter)?;
        self.schedule
            .export(&secrets.exporter_secret, exporter_context, len)
    }

    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, Error> {
        mode::decap(self.kem, enc, &self.sk_r, self.pk_s.as_deref())
    }
}

impl<K: Kem + ?Sized, D: Kdf + ?Sized, A: Sealing> Recipient<K, D, A> {
    /// Opens the one message sealed under `enc`. With a two-stage KDF no exporter secret is
    /// derived.
    ///
    /// # Errors
    /// Same as [`Suite::open`].
    pub fn open(
        &self,
        enc: &(impl AsRef<[u8]> + ?Sized),
        aad: &[u8],
        ct: &[u8],
    ) -> Result<Vec<u8>, Error> {
        self.schedule.open(&self.decap(enc.as_ref())?, aad, ct)
    }

    /// Opens many messages, each under its own encapsulated key. Returns one result per message, in
    /// order.
    pub fn open_batch(&self, messages: &[Sealed<'_>]) -> Vec<Result<Vec<u8>, Error>> {
        let shared_secrets = self.decap_batch(messages);
        let mut results: Vec<_> = messages.iter().map(|_| Ok(Vec::new())).collect();
        for ((result, shared_secret), message) in
            results.iter_mut().zip(&*shared_secrets).zip(messages)
        {
            let opened = (shared_secret.as_ref().map_err(|error| *error))
                .and_then(|secret| self.schedule.open(secret, message.aad, message.ct));
            match opened {
                Ok(plaintext) => *result = Ok(plaintext),
                Err(error) => refuse(result, error),
            }
        }
        results
    }

    /// Decapsulates the key of each message, in order. The KEM has a batch function only for modes
    /// without a sender key, and a single message gains nothing from it.
    fn decap_batch(&self, messages: &[Sealed<'_>]) -> SharedSecrets {
        if self.pk_s.is_some() || messages.len() < 2 {
            return messages
                .iter()
                .map(|message| self.decap(message.enc))
                .collect();
        }
        self.kem.decap_batch(
            &messages
                .iter()
                .map(|message| message.enc)
                .collect::<Vec<_>>(),
            &self.sk_r,
        )
    }
}

/// Writes an error in place of a result. Moving `error` there would copy the size of the largest
/// variant, so also its unused bytes, which may be old bytes of a secret. So the common errors,
/// which carry no data, are constructed in place.
fn refuse(result: &mut Result<Vec<u8>, Error>, error: Error) {
    const PLAIN: [Error; 5] = [
        Error::Open,
        Error::Deserialize,
        Error::Validation,
        Error::KeyUnavailable,
        Error::Decap,
    ];

    /// Not inlined, since inlining would turn it back into a copy of `error`.
    #[inline(never)]
    fn write(result: &mut Result<Vec<u8>, Error>, place: usize) {
        *result = match place {
            0 => Err(Error::Open),
            1 => Err(Error::Deserialize),
            2 => Err(Error::Validation),
            3 => Err(Error::KeyUnavailable),
            _ => Err(Error::Decap),
        };
    }
    match PLAIN.iter().position(|plain| *plain == error) {
        Some(place) => write(result, place),
        None => *result = Err(error),
    }
}

impl<K: Kem + ?Sized, D: ?Sized, A> fmt::Debug for Recipient<K, D, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({})", self.schedule.suite_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a message of a batch gets the same error as if it were opened separately.
    #[test]
    fn an_error_is_written_into_a_list_as_it_is() {
        for error in [
            Error::Open,
            Error::Deserialize,
            Error::Validation,
            Error::KeyUnavailable,
            Error::Decap,
            Error::InputTooLong,
        ] {
            let mut result = Ok(b"plaintext".to_vec());
            refuse(&mut result, error);
            assert_eq!(result, Err(error));
        }
    }
}
