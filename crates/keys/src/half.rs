//! The half of a key pair that a text holds: keys of either half, and the detection of texts that may
//! be private keys, for programs that must not show or overwrite one.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, ParseError};

use super::{KeyError, base64, kems, line, public_key, read_private, single};

/// The marks of private key formats, which nothing else contains.
const MARKS: [&str; 4] = [line::PRIVATE, "PRIVATE KEY", AGE[0], AGE[1]];
/// The beginnings of age identities that are private keys (<https://c2sp.org/age>).
const AGE: [&str; 2] = ["AGE-SECRET-KEY-", "AGE-PLUGIN-PQSEAL-"];
/// The prefix of age recipients, including those of its plugins (<https://c2sp.org/age>).
const AGE_RECIPIENT: &str = "age1";
/// The size of the shortest private key, in bytes.
const SHORTEST: usize = 32;

/// A private or a public key.
#[derive(Debug)]
pub enum Key {
    /// A private key, which includes the public key.
    Private(AnyPrivateKey),
    /// Only a public key.
    Public(AnyPublicKey),
}

impl Key {
    /// Returns the public half.
    ///
    /// # Errors
    /// The error of the KEM, if it cannot compute the public key.
    pub fn into_public(self) -> Result<AnyPublicKey, KeyError> {
        match self {
            Self::Private(key) => public_key(&key),
            Self::Public(key) => Ok(key),
        }
    }
}

/// The half that a raw text holds. As text it is `private` or `public`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawHalf {
    /// The private key.
    Private,
    /// The public key.
    Public,
}

impl std::str::FromStr for RawHalf {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "private" => Ok(Self::Private),
            "public" => Ok(Self::Public),
            _ => Err(ParseError::new("private or public")),
        }
    }
}

/// Reads a key in any format, of either half. `file` and `kem` as in
/// [`read_private`](crate::read_private).
///
/// A raw text can be either half, and 32 bytes are valid as either half of X25519. A public key
/// that is read as a private one would make a key pair whose private key everybody knows.
///
/// ```
/// use pqseal_keys::{KeyError, RawHalf, public_key, read_key, read_private};
///
/// let text = "uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=";
/// assert_eq!(read_key(text, None, None).err(), Some(KeyError::HalfNeeded));
/// let public = read_key(text, None, Some(RawHalf::Private))?.into_public()?;
/// assert_eq!(public, public_key(&read_private(text, None)?)?);
/// # Ok::<(), KeyError>(())
/// ```
///
/// # Errors
/// [`KeyError::HalfNeeded`] for a raw text without `raw`, and the errors of
/// [`read_private`](crate::read_private) and [`read_public`](crate::read_public).
pub fn read_key(
    file: impl AsRef<[u8]>,
    kem: Option<&'static DynKem>,
    raw: Option<RawHalf>,
) -> Result<Key, KeyError> {
    let content = single(file.as_ref())?;
    let half = match content.is_raw() {
        true => raw,
        // Other formats show whether the key is public.
        false => Some(RawHalf::Private),
    };
    if half != Some(RawHalf::Public) {
        match content.private(kem) {
            Ok(_) if half.is_none() => return Err(KeyError::HalfNeeded),
            Err(KeyError::PublicOnly) => {}
            Err(_) if half.is_none() => {}
            key => return key.map(Key::Private),
        }
    }
    let key = content.public(kem)?;
    half.map(|_| Key::Public(key)).ok_or(KeyError::HalfNeeded)
}

/// Reports whether a text is marked as a private key: a pqseal line, PEM or an age identity,
/// complete or not. Programs use it to refuse a private key where a public one is expected.
///
/// ```
/// assert!(pqseal_keys::says_private("pqseal-private-key:x25519:AAAA"));
/// assert!(!pqseal_keys::says_private("pqseal-public-key:x25519:AAAA"));
/// ```
#[must_use]
pub fn says_private(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Reports whether a text may be a private key, in any format. Such a text must not be repeated in
/// a message. Base64 of 31 bytes or more counts: the shortest key has 32, and the last one may have
/// been cut off. A recipient of age does not count, although one in sixteen is valid base64.
///
/// ```
/// assert!(pqseal_keys::looks_secret("wHjQVnlEnIjEaOcWBpJy2tOZh3cSdGi4iVrOxzM9SE8="));
/// assert!(!pqseal_keys::looks_secret("age16euz7adwlmj8yjsg7q397njnl3ylv9jpwsv3q4a8895htwdfzg3qwak5vg"));
/// ```
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    says_private(text)
        || ["\"private_key\"", "\"kty\""]
            .iter()
            .any(|mark| text.contains(mark))
        || (!text.starts_with(AGE_RECIPIENT)
            && base64::decode(text.as_bytes()).is_ok_and(|bytes| bytes.len() >= SHORTEST - 1))
}

/// Reports whether a text contains a private key on one line, or what remains of one.
pub(super) fn has_private_line(text: &str) -> bool {
    text.contains(line::PRIVATE) || AGE.iter().any(|mark| text.contains(mark))
}

/// Reports whether a file is a private or public key, which must not be overwritten. A damaged
/// private key counts, since there may be no other copy. Base64 of the size of some private key
/// counts too, even if it is something else of that size, such as a blob of matched data.
#[must_use]
pub fn holds_key(file: impl AsRef<[u8]>) -> bool {
    let file = file.as_ref();
    let parsed = matches!(
        read_private(file, None),
        Ok(_) | Err(KeyError::Calendar | KeyError::PublicOnly | KeyError::Encrypted)
    );
    let is_raw =
        base64::decode(file).is_ok_and(|bytes| kems().any(|kem| kem.info().n_sk == bytes.len()));
    parsed || is_raw || std::str::from_utf8(file).is_ok_and(says_private)
}
