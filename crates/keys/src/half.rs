//! A key of either half, for raw texts that can be both.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, ParseError};

use super::{KeyError, public_key, single};

/// A private or a public key.
#[derive(Debug)]
pub enum Key {
    /// A private key, which includes the public key.
    Private(AnyPrivateKey),
    /// Only a public key.
    Public(AnyPublicKey),
}

/// The half that a raw text holds. As text it is `private` or `public`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawHalf {
    /// The private key.
    Private,
    /// The public key.
    Public,
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
    either(file.as_ref(), kem, raw)
}

fn either(
    file: &[u8],
    kem: Option<&'static DynKem>,
    raw: Option<RawHalf>,
) -> Result<Key, KeyError> {
    let content = single(file)?;
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
