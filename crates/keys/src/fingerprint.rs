//! Short names of public keys.

use std::{fmt, str::FromStr};

use pqseal_hpke::{AnyPublicKey, ParseError};
use sha2::{Digest, Sha256};

/// The prefix that separates this hash from every other use of SHA-256.
const LABEL: &[u8] = b"pqseal key id";

/// The hash `SHA-256("pqseal key id" || kem_id || SerializePublicKey(pk))`, shown as 64
/// hexadecimal digits.
///
/// It covers only the public key and its KEM, since a private key can be serialized in more than
/// one way (clamped or not).
///
/// ```
/// use pqseal_keys::Fingerprint;
///
/// let key = pqseal_keys::read_public("Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=", None)?;
/// let fingerprint = Fingerprint::of(&key);
/// assert!(fingerprint.to_string().starts_with(&fingerprint.key_id().to_string()));
/// # Ok::<(), pqseal_keys::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

/// The first 8 bytes of a [`Fingerprint`], by which a version 4 blob names its key; as text 16
/// hexadecimal digits.
///
/// ```
/// use pqseal_keys::KeyId;
///
/// let id: KeyId = "0123456789abcdef".parse()?;
/// assert_eq!(id.as_ref(), [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]);
/// assert_eq!(id.to_string(), "0123456789abcdef");
/// # Ok::<(), pqseal_hpke::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 8]);

impl Fingerprint {
    /// Computes the fingerprint of a public key.
    pub fn of(key: &AnyPublicKey) -> Self {
        let hash = Sha256::new()
            .chain_update(LABEL)
            .chain_update(key.kem().id.to_be_bytes());
        Self(hash.chain_update(key.as_ref()).finalize().into())
    }

    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the first 8 bytes.
    pub const fn key_id(&self) -> KeyId {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        KeyId([a, b, c, d, e, f, g, h])
    }
}

impl KeyId {
    /// Creates an id from the bytes in a blob.
    pub const fn new(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }
}

/// Parses 16 hexadecimal digits, in either case.
impl FromStr for KeyId {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(id) if digits => Ok(Self(id.to_be_bytes())),
            _ => Err(ParseError::new("16 hexadecimal digits")),
        }
    }
}

impl AsRef<[u8]> for Fingerprint {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for KeyId {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
