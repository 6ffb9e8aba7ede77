//! `ssh-ed25519` and `ssh-rsa`: OpenSSH keys, as `age` (package `agessh`) and `rage` use them.
//! There is no specification; these modules follow `age` 1.3.
//!
//! A stanza identifies its key by the first 4 bytes of the SHA-256 of the public key in SSH's wire
//! format, so these recipients are not anonymous. Both kinds are classical.

mod private;
#[cfg(feature = "aws-lc")]
mod rsa;
#[cfg(not(feature = "aws-lc"))]
#[path = "ssh/no_rsa.rs"]
mod rsa;

use base64ct::{Base64, Base64Unpadded, Encoding};
use curve25519_dalek::{EdwardsPoint, edwards::CompressedEdwardsY};
use pqseal_hpke::{
    Secret, Short,
    dhkem::{Group, X25519},
};
use sha2::{Digest, Sha256, Sha512};
use std::{fmt, str::FromStr};
use zeroize::Zeroizing;

use super::{Identity, Recipient, first_of};
use crate::{Error, FileKey, HeaderError, KeyError, SshError, Stanza, crypto};
use rsa::{RsaPrivate, RsaPublic};

const ED25519: &str = "ssh-ed25519";
const ED25519_INFO: &[u8] = b"age-encryption.org/v1/ssh-ed25519";
const RSA: &str = "ssh-rsa";

/// A public key as in `id_ed25519.pub` or a line of `authorized_keys`.
#[derive(Clone, Debug)]
pub struct SshRecipient {
    /// The key in SSH's wire format (RFC 4253, section 6.6).
    wire: Vec<u8>,
    key: SshPublicKey,
}

impl SshRecipient {
    fn from_wire(wire: &[u8]) -> Result<Self, SshError> {
        Ok(Self {
            key: SshPublicKey::read(wire)?,
            wire: wire.to_vec(),
        })
    }

    /// Returns `ssh-ed25519` or `ssh-rsa`, the kind of the key and of its stanzas.
    pub fn kind(&self) -> &'static str {
        match self.key {
            SshPublicKey::Ed25519(_) => ED25519,
            SshPublicKey::Rsa(_) => RSA,
        }
    }

    /// Reports whether a stanza names this key. Another key may have the same hint of 4 bytes.
    pub fn is_named_in(&self, stanzas: &[Stanza]) -> bool {
        let hint = self.hint();
        let mut ours = stanzas.iter().filter(|one| one.kind == self.kind());
        ours.any(|stanza| stanza.args.first() == Some(&hint))
    }

    /// Returns the first argument of its stanzas.
    fn hint(&self) -> String {
        Base64Unpadded::encode_string(&Sha256::digest(&self.wire)[..4])
    }
}

/// A private key in OpenSSH's format.
pub struct SshIdentity {
    key: SshPrivateKey,
    recipient: SshRecipient,
}

impl SshIdentity {
    /// Reads a private key in OpenSSH's format (`-----BEGIN OPENSSH PRIVATE KEY-----`), which may
    /// be encrypted with a passphrase, or in PKCS#8 (`-----BEGIN PRIVATE KEY-----`).
    ///
    /// # Errors
    /// [`KeyError::Ssh`], [`Error::WrongPassphrase`].
    pub fn read(text: &str, passphrase: Option<&[u8]>) -> Result<Self, Error> {
        let (wire, key) = private::read(text, passphrase)?;
        let recipient = SshRecipient::from_wire(&wire)?;
        Ok(Self { key, recipient })
    }

    /// Reports whether a text is an encrypted private key in OpenSSH's format.
    pub fn is_encrypted(text: &str) -> bool {
        private::is_encrypted(text)
    }

    /// Returns the recipient of a private key in OpenSSH's format, which is not encrypted even if
    /// the key is.
    ///
    /// # Errors
    /// [`KeyError::Ssh`].
    pub fn recipient_in(text: &str) -> Result<SshRecipient, Error> {
        Ok(SshRecipient::from_wire(&private::public_in(text)?)?)
    }

    /// Returns the recipient.
    pub fn recipient(&self) -> SshRecipient {
        self.recipient.clone()
    }

    fn open(&self, stanza: &Stanza) -> Result<Option<FileKey>, Error> {
        let hint = self.recipient.hint();
        match (&self.key, &self.recipient.key) {
            (SshPrivateKey::Ed25519(key), SshPublicKey::Ed25519(public)) => {
                key.open(public, &self.recipient.wire, &hint, stanza)
            }
            (SshPrivateKey::Rsa(key), SshPublicKey::Rsa(_)) => key.open(&hint, stanza),
            _ => unreachable!("a private key is read with the public key of its kind"),
        }
    }
}

impl Recipient for SshRecipient {
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
        let stanza = match &self.key {
            SshPublicKey::Ed25519(key) => key.wrap(&self.wire, self.hint(), file_key),
            SshPublicKey::Rsa(key) => key.wrap(self.hint(), file_key),
        };
        Ok(vec![stanza?])
    }
}

impl Identity for SshIdentity {
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error> {
        first_of(self.recipient.kind(), stanzas, |stanza| self.open(stanza))
    }

    fn recipient_text(&self) -> Option<String> {
        Some(self.recipient.to_string())
    }
}

impl FromStr for SshRecipient {
    type Err = KeyError;

    /// Parses a kind, the key in base64, and an optional comment.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let mut words = text.split_ascii_whitespace();
        let (kind, base64) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let wire = Base64::decode_vec(base64).map_err(|_| SshError::Malformed)?;
        match WireReader(&wire).string() == Ok(kind.as_bytes()) {
            true => Ok(Self::from_wire(&wire)?),
            false => Err(SshError::Malformed.into()),
        }
    }
}

impl fmt::Display for SshRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = Base64::encode_string(&self.wire);
        write!(f, "{} {key}", self.kind())
    }
}

impl fmt::Debug for SshIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SshIdentity({})", self.recipient)
    }
}

#[derive(Clone, Debug)]
enum SshPublicKey {
    Ed25519(Ed25519Public),
    Rsa(RsaPublic),
}

impl SshPublicKey {
    /// Reads the wire format: `ssh-ed25519` (RFC 8709, section 4) or `ssh-rsa` (RFC 4253, section
    /// 6.6).
    fn read(wire: &[u8]) -> Result<Self, SshError> {
        let mut reader = WireReader(wire);
        let key = match reader.string()? {
            b"ssh-ed25519" => Self::Ed25519(Ed25519Public::new(reader.string()?)?),
            b"ssh-rsa" => {
                let exponent = reader.positive()?;
                Self::Rsa(RsaPublic::new(reader.positive()?, exponent)?)
            }
            _ => return Err(SshError::Kind),
        };
        reader.end()?;
        Ok(key)
    }
}

enum SshPrivateKey {
    Ed25519(Ed25519Private),
    Rsa(RsaPrivate),
}

/// The u coordinate of an Ed25519 key's point.
#[derive(Clone, Debug)]
struct Ed25519Public([u8; 32]);

impl Ed25519Public {
    /// Converts an Ed25519 public key (RFC 8032, section 5.1.5).
    fn new(bytes: &[u8]) -> Result<Self, SshError> {
        let point = CompressedEdwardsY::from_slice(bytes).ok();
        let point = point.and_then(|encoded| encoded.decompress());
        match point.filter(|point| !point.is_small_order()) {
            Some(point) => Ok(Self(point.to_montgomery().to_bytes())),
            None => Err(SshError::Malformed),
        }
    }

    fn wrap(&self, wire: &[u8], hint: String, file_key: &FileKey) -> Result<Stanza, Error> {
        let scalar = X25519::scalar(&crypto::random::<32>()?[..])?;
        let share = X25519::point_bytes(&X25519::public(&scalar));
        let secret = X25519::dh(&scalar, &X25519::point(&self.0)?)?;
        let wrapping = self.wrapping_key(secret, wire, &share)?;
        let args = vec![hint, Base64Unpadded::encode_string(&share)];
        let body = crypto::wrap(&wrapping, file_key)?;
        Ok(Stanza::new(ED25519, args, body))
    }

    /// Derives the wrapping key: the Diffie-Hellman value times a scalar of the SSH key, then HKDF
    /// over both shares.
    fn wrapping_key(
        &self,
        secret: Secret<Short>,
        wire: &[u8],
        share: &[u8; 32],
    ) -> Result<Zeroizing<[u8; 32]>, pqseal_hpke::Error> {
        let factor = X25519::scalar(&crypto::hkdf(wire, b"", ED25519_INFO)[..])?;
        let secret = X25519::dh(&factor, &X25519::point(secret.as_ref())?)?;
        let salt = [*share, self.0].concat();
        Ok(crypto::hkdf(&salt, secret.as_ref(), ED25519_INFO))
    }
}

/// The scalar of an Ed25519 key.
struct Ed25519Private(<X25519 as Group>::Scalar);

impl Ed25519Private {
    /// Converts an Ed25519 seed: the first half of its hash, which X25519 clamps as Ed25519 does.
    fn new(seed: &[u8; 32]) -> Self {
        let hash = Zeroizing::new(<[u8; 64]>::from(Sha512::digest(seed)));
        Self(X25519::scalar(&hash[..32]).expect("any 32 bytes are a scalar"))
    }

    /// Computes the public key of a seed, in the encoding of Ed25519.
    fn public_of(seed: &[u8; 32]) -> [u8; 32] {
        let hash = Zeroizing::new(<[u8; 64]>::from(Sha512::digest(seed)));
        let half = hash.first_chunk().expect("SHA-512 has 64 bytes");
        let point = EdwardsPoint::mul_base_clamped(*half);
        point.compress().to_bytes()
    }

    /// Reports whether this is the private key of a public key.
    fn is_of(&self, public: &Ed25519Public) -> bool {
        X25519::public_bytes(&self.0) == public.0
    }

    fn open(
        &self,
        public: &Ed25519Public,
        wire: &[u8],
        hint: &str,
        stanza: &Stanza,
    ) -> Result<Option<FileKey>, Error> {
        let [named, share] = &stanza.args[..] else {
            return Err(HeaderError::Arguments.into());
        };
        let share = stanza.share(share)?.try_into();
        let share: [u8; 32] = share.map_err(|_| HeaderError::Arguments)?;
        if named != hint {
            return Ok(None);
        }
        crypto::wrapped(&stanza.body)?;
        let point = X25519::point(&share).map_err(|_| HeaderError::Share)?;
        let secret = X25519::dh(&self.0, &point).map_err(|_| HeaderError::Share)?;
        let wrapping = public.wrapping_key(secret, wire, &share)?;
        crypto::unwrap(&wrapping, &stanza.body)
    }
}

/// A reader of SSH's wire format (RFC 4251, section 5): strings with a length of 4 bytes before
/// them. It checks each length against the remaining bytes.
struct WireReader<'b>(&'b [u8]);

impl<'b> WireReader<'b> {
    fn take(&mut self, len: usize) -> Result<&'b [u8], SshError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(SshError::Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, SshError> {
        let bytes = self.take(4)?.try_into().expect("4 bytes");
        Ok(u32::from_be_bytes(bytes))
    }

    fn string(&mut self) -> Result<&'b [u8], SshError> {
        let len = self.number()?;
        self.take(usize::try_from(len).map_err(|_| SshError::Malformed)?)
    }

    /// Reads a positive integer (`mpint`) without its sign: big-endian, with a nonzero first byte.
    fn positive(&mut self) -> Result<&'b [u8], SshError> {
        let number = self.string()?;
        match number {
            [0, 0x80..=0xff, ..] => Ok(&number[1..]),
            [1..0x80, ..] => Ok(number),
            _ => Err(SshError::Malformed),
        }
    }

    fn end(self) -> Result<(), SshError> {
        match self.0 {
            [] => Ok(()),
            _ => Err(SshError::Malformed),
        }
    }
}

/// The integers of an RSA private key (RFC 8017, section 3.2), in SSH's order.
#[cfg_attr(not(feature = "aws-lc"), expect(dead_code, reason = "RSA is refused"))]
struct RsaIntegers<'b> {
    n: &'b [u8],
    e: &'b [u8],
    d: &'b [u8],
    q_inv: &'b [u8],
    p: &'b [u8],
    q: &'b [u8],
}
