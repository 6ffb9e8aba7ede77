//! A public key to which messages are sealed.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use crate::{
    Aead, AnyAead, DynKdf, DynKem, Error, Kdf, Kem, Mode, SenderContext, SharedSecret, Suite,
    aead::Sealing, context::Context, schedule::KeySchedule, suite::random,
};

/// A public key to which messages of one suite, mode and info are sealed.
pub struct Sender<
    'k,
    K: Kem + ?Sized + 'static = DynKem,
    D: ?Sized + 'static = DynKdf,
    A: 'static = AnyAead,
> {
    suite: Suite<K, D, A>,
    pk_r: K::PublicKey,
    sk_s: Option<&'k K::PrivateKey>,
    schedule: KeySchedule<D, A>,
}

/// `(enc, ct)`, an encapsulated key and a ciphertext with its tag.
pub type EncAndCt<E> = (E, Vec<u8>);

/// One message, as [`Sender::seal_batch`] takes it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The data authenticated with the message.
    pub aad: &'a [u8],
    /// The plaintext.
    pub pt: &'a [u8],
}

impl<'k, K: Kem + ?Sized, D: Kdf + ?Sized, A: Aead> Sender<'k, K, D, A> {
    /// Binds `pk_r` to suite, info and mode.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] with a one-stage KDF, if `info` or the psk_id is longer than 65,535
    /// bytes.
    pub fn new(
        suite: Suite<K, D, A>,
        pk_r: K::PublicKey,
        info: &[u8],
        mode: Mode<'k, K::PrivateKey>,
    ) -> Result<Self, Error> {
        Ok(Self {
            schedule: suite.schedule(&mode, info)?,
            suite,
            pk_r,
            sk_s: mode.key(),
        })
    }

    /// Precomputes a table of multiples of the public key. It makes [`Sender::seal`],
    /// [`Sender::setup`] and [`Sender::seal_batch`] faster without changing their output.
    ///
    /// The table has 30 kB, and passes through the stack. On a server with AVX2 or AVX-512 IFMA,
    /// computing it takes about 0.1 ms and pays off after 15 messages. On one without them, it
    /// takes about 1 ms and pays off after 40 messages, or 250 with the feature `aws-lc`.
    /// X25519HkdfSha256 and the hybrids with X25519 have such a table; other KEMs, and WebAssembly
    /// builds, ignore this call.
    ///
    /// ```
    /// # use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Sender, Suite, SysRng, X25519HkdfSha256};
    /// # let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
    /// # let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
    /// let sender = Sender::new(suite, pk, b"log 7", Mode::Base)?.precompute();
    /// for line in [b"GET /1", b"GET /2"] {
    ///     let (enc, ct) = sender.seal(b"", line, &mut SysRng)?;
    /// #   assert_eq!(suite.open(&enc, &sk, b"log 7", Mode::Base, b"", &ct)?, line);
    /// }
    /// # Ok::<(), pqseal_hpke::Error>(())
    /// ```
    #[must_use]
    pub fn precompute(mut self) -> Self {
        self.suite.kem().precompute(&mut self.pk_r);
        self
    }

    /// Creates a fresh encapsulated key and the context that seals under it.
    ///
    /// # Errors
    /// Same as [`Suite::setup_s`].
    pub fn setup<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(K::Enc, SenderContext<D, A>), Error> {
        let (shared_secret, enc) = self.suite.encap(&self.pk_r, self.sk_s, rng)?;
        Ok((
            enc,
            SenderContext(Context::new(&self.schedule, &shared_secret)?),
        ))
    }
}

impl<K: Kem + ?Sized, D: Kdf + ?Sized, A: Sealing> Sender<'_, K, D, A> {
    /// Seals one message under a fresh encapsulated key. Returns `(enc, ct)`.
    ///
    /// # Errors
    /// Same as [`Suite::seal`].
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        aad: &[u8],
        pt: &[u8],
        rng: &mut R,
    ) -> Result<(K::Enc, Vec<u8>), Error> {
        let (shared_secret, enc) = self.suite.encap(&self.pk_r, self.sk_s, rng)?;
        Ok((enc, self.schedule.seal(&shared_secret, aad, pt)?))
    }

    /// Seals many messages, each under its own encapsulated key, like one [`Sender::seal`] after
    /// another with the same `rng`. Returns `(enc, ct)` of each, in order.
    ///
    /// With X25519, in base and PSK mode, on machines with AVX2 or AVX-512 IFMA, ephemeral keys are
    /// computed with SIMD: from 12 messages on, or from three on after [`Sender::precompute`].
    ///
    /// ```
    /// # use pqseal_hpke::{Aes128Gcm, HkdfSha256, Message, Mode, Sender, Suite, SysRng, X25519HkdfSha256};
    /// # let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
    /// # let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
    /// let sender = Sender::new(suite, pk, b"log 7", Mode::Base)?;
    /// let lines = [b"GET /1", b"GET /2"].map(|pt| Message { aad: b"", pt });
    /// let sealed = sender.seal_batch(&lines, &mut SysRng)?;
    /// # let (enc, ct) = &sealed[1];
    /// # assert_eq!(suite.open(enc, &sk, b"log 7", Mode::Base, b"", ct)?, b"GET /2");
    /// # Ok::<(), pqseal_hpke::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Sender::seal`]. On an error, no message is returned.
    pub fn seal_batch<R: TryCryptoRng + ?Sized>(
        &self,
        messages: &[Message<'_>],
        rng: &mut R,
    ) -> Result<Vec<EncAndCt<K::Enc>>, Error> {
        if self.sk_s.is_some() || messages.len() < 2 {
            return messages
                .iter()
                .map(|message| self.seal(message.aad, message.pt, rng))
                .collect();
        }
        let kem = self.suite.kem();
        let n_random = kem.info().n_random;
        let randomness = random(messages.len() * n_random, rng)?;
        // Not `chunks`: a KEM may need no randomness.
        let parts = (0..messages.len()).map(|at| &randomness.as_ref()[at * n_random..][..n_random]);
        let randomness: Vec<_> = parts.collect();
        let (shared_secrets, encs) = kem.encap_batch(&self.pk_r, &randomness)?;
        let seal =
            |((secret, enc), message): ((&Result<SharedSecret, Error>, K::Enc), &Message<'_>)| {
                let secret = secret.as_ref().map_err(|error| *error)?;
                Ok((enc, self.schedule.seal(secret, message.aad, message.pt)?))
            };
        shared_secrets
            .iter()
            .zip(encs)
            .zip(messages)
            .map(seal)
            .collect()
    }
}

impl<K: Kem + ?Sized, D: ?Sized, A> fmt::Debug for Sender<'_, K, D, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({})", self.schedule.suite_id)
    }
}
