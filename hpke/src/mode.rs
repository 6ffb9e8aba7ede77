//! The four modes of RFC 9180, section 5, each with its keys.

use core::fmt;

use crate::{Error, Kem, SharedSecret};

/// The authentication of the sender. For `Key` the sender passes its private key, the recipient the
/// sender's public key.
///
/// ```
/// use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let (sender_sk, sender_pk) = suite.generate_key_pair(&mut SysRng)?;
///
/// let by_sender = Mode::Auth(&sender_sk);
/// let (enc, ct) = suite.seal(&pk, b"info", by_sender, b"aad", b"message", &mut SysRng)?;
/// let from_sender = Mode::Auth(&sender_pk);
/// assert_eq!(suite.open(&enc, &sk, b"info", from_sender, b"aad", &ct)?, b"message");
/// assert!(suite.open(&enc, &sk, b"info", Mode::Base, b"aad", &ct).is_err());
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
#[derive(Debug)]
pub enum Mode<'a, Key> {
    /// mode_base, 0x00: anyone may have sealed.
    Base,
    /// mode_psk, 0x01: the sender holds the pre-shared key.
    Psk(Psk<'a>),
    /// mode_auth, 0x02: the sender holds the private key. RFC 9180 only; the successor draft
    /// reserves the number.
    Auth(&'a Key),
    /// mode_auth_psk, 0x03: both. RFC 9180 only; the successor draft reserves the number.
    AuthPsk(&'a Key, Psk<'a>),
}

/// A pre-shared key and its id.
///
/// ```
/// use pqseal_hpke::{Aes128Gcm, HkdfSha256, Mode, Psk, Suite, SysRng, X25519HkdfSha256};
///
/// let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
/// let (sk, pk) = suite.generate_key_pair(&mut SysRng)?;
/// let shared = [7; 32]; // random bytes that both sides have
/// let mode = Mode::Psk(Psk::new(&shared, b"2026-11")?);
///
/// let (enc, ct) = suite.seal(&pk, b"info", mode, b"aad", b"message", &mut SysRng)?;
/// let mode = Mode::Psk(Psk::new(&shared, b"2026-11")?);
/// assert_eq!(suite.open(&enc, &sk, b"info", mode, b"aad", &ct)?, b"message");
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Psk<'a> {
    psk: &'a [u8],
    psk_id: &'a [u8],
}

impl<'a> Psk<'a> {
    /// Creates a pre-shared key from `psk`, at least 32 bytes from a source of as much entropy (RFC
    /// 9180, section 9.5), and its id, at least one byte. Both may have any length with HKDF, and
    /// at most 65,535 bytes with a one-stage KDF.
    ///
    /// # Errors
    /// [`Error::InvalidPsk`] if one of the two is empty or the psk is shorter.
    pub const fn new(psk: &'a [u8], psk_id: &'a [u8]) -> Result<Self, Error> {
        if psk.len() < 32 || psk_id.is_empty() {
            Err(Error::InvalidPsk)
        } else {
            Ok(Self { psk, psk_id })
        }
    }
}

impl fmt::Debug for Psk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Psk({} bytes, id {:02x?})", self.psk.len(), self.psk_id)
    }
}

impl<Key> Clone for Mode<'_, Key> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Key> Copy for Mode<'_, Key> {}

impl<'a, Key> Mode<'a, Key> {
    /// Returns the mode's number in the key schedule (RFC 9180, table 1).
    pub const fn id(&self) -> u8 {
        match self {
            Self::Base => 0,
            Self::Psk(_) => 1,
            Self::Auth(_) => 2,
            Self::AuthPsk(..) => 3,
        }
    }

    pub(crate) const fn psk(&self) -> &'a [u8] {
        match self {
            Self::Psk(psk) | Self::AuthPsk(_, psk) => psk.psk,
            _ => b"",
        }
    }

    pub(crate) const fn psk_id(&self) -> &'a [u8] {
        match self {
            Self::Psk(psk) | Self::AuthPsk(_, psk) => psk.psk_id,
            _ => b"",
        }
    }

    pub(crate) const fn key(&self) -> Option<&'a Key> {
        match self {
            Self::Auth(key) | Self::AuthPsk(key, _) => Some(key),
            _ => None,
        }
    }
}

/// Runs AuthEncap if there is a sender key, otherwise Encap.
pub(crate) fn encap<K: Kem + ?Sized>(
    kem: &K,
    pk_r: &K::PublicKey,
    sk_s: Option<&K::PrivateKey>,
    randomness: &[u8],
) -> Result<(SharedSecret, K::Enc), Error> {
    match sk_s {
        None => kem.encap(pk_r, randomness),
        Some(sk_s) => kem.auth_encap(pk_r, sk_s, randomness),
    }
}

/// Runs AuthDecap if there is a sender key, otherwise Decap.
pub(crate) fn decap<K: Kem + ?Sized>(
    kem: &K,
    enc: &[u8],
    sk_r: &K::PrivateKey,
    pk_s: Option<&K::PublicKey>,
) -> Result<SharedSecret, Error> {
    match pk_s {
        None => kem.decap(enc, sk_r),
        Some(pk_s) => kem.auth_decap(enc, sk_r, pk_s),
    }
}
