//! Formats of keys that are bytes, not text: DER, and COSE_Key with the feature `cose-key`.

use std::str::FromStr;

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, ParseError};
use zeroize::Zeroizing;

#[cfg(feature = "cose-key")]
use crate::{Algorithm, algorithm, cose_key};
use crate::{KeyError, der};

/// A format in which keys are written as bytes. As text it is `der` or `cose-key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryFormat {
    /// PKCS#8 (RFC 5958) and SubjectPublicKeyInfo (RFC 5280).
    Der,
    /// COSE_Key (RFC 9052, section 7), with its algorithm, which keys of ML-KEM and of hybrids
    /// need.
    #[cfg(feature = "cose-key")]
    CoseKey(Option<Algorithm>),
}

#[cfg(feature = "cose-key")]
impl BinaryFormat {
    /// Sets the algorithm of a COSE_Key by its name.
    ///
    /// # Errors
    /// If there is no such algorithm, or the format has none.
    pub fn with_alg(self, name: &str) -> Result<Self, ParseError> {
        match self {
            Self::CoseKey(_) => algorithm(name).map(|alg| Self::CoseKey(Some(alg))),
            Self::Der => None,
        }
        .ok_or(ParseError::new(
            "the name of an algorithm of HPKE such as HPKE-9-KE, and only for cose-key",
        ))
    }
}

impl FromStr for BinaryFormat {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "der" => Ok(Self::Der),
            #[cfg(feature = "cose-key")]
            "cose-key" => Ok(Self::CoseKey(None)),
            _ => Err(ParseError::new("der or cose-key")),
        }
    }
}

/// Reports whether a file is CBOR whose first item is a map, like a COSE_Key. No text begins so,
/// and the smallest key has 40 bytes, so 32 raw bytes are not one.
#[must_use]
pub const fn is_cose_key(file: &[u8]) -> bool {
    matches!(file, [0xa1..=0xbf, rest @ ..] if rest.len() >= 39)
}

/// Writes a private key as bytes. Wiped on drop.
///
/// ```
/// use pqseal_keys::{BinaryFormat, write_private_binary};
///
/// let key = pqseal_keys::read_private("uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=", None)?;
/// let der = write_private_binary(&key, BinaryFormat::Der)?;
/// assert_eq!(pqseal_keys::read_private(&*der, None)?.kem().short_name, "x25519");
/// # Ok::<(), pqseal_keys::KeyError>(())
/// ```
///
/// # Errors
/// [`KeyError::FormatLacksKem`], `KeyError::Alg`, [`KeyError::Hpke`] for a key that cannot be
/// exported.
pub fn write_private_binary(
    key: &AnyPrivateKey,
    format: BinaryFormat,
) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    match format {
        BinaryFormat::Der => der::write_private(key),
        #[cfg(feature = "cose-key")]
        BinaryFormat::CoseKey(alg) => cose_key::write_private(key, alg, None),
    }
}

/// Writes a public key as bytes, like [`write_private_binary`].
///
/// # Errors
/// [`KeyError::FormatLacksKem`], `KeyError::Alg`.
pub fn write_public_binary(key: &AnyPublicKey, format: BinaryFormat) -> Result<Vec<u8>, KeyError> {
    match format {
        BinaryFormat::Der => der::write_public(key),
        #[cfg(feature = "cose-key")]
        BinaryFormat::CoseKey(alg) => cose_key::write_public(key, alg, None),
    }
}

/// The error of COSE_Key in builds without it. The smallest one does not name formats.
#[cfg(all(feature = "all", not(feature = "cose-key")))]
const UNSUPPORTED: KeyError = KeyError::CoseKeyUnsupported;
#[cfg(not(any(feature = "all", feature = "cose-key")))]
const UNSUPPORTED: KeyError = KeyError::UnknownKem;

pub(super) fn read_private(file: &[u8]) -> Result<AnyPrivateKey, KeyError> {
    match is_cose_key(file) {
        #[cfg(feature = "cose-key")]
        true => cose_key::read_private(file),
        #[cfg(not(feature = "cose-key"))]
        true => Err(UNSUPPORTED),
        false => der::read_private(file),
    }
}

pub(super) fn read_public(file: &[u8]) -> Result<AnyPublicKey, KeyError> {
    match is_cose_key(file) {
        #[cfg(feature = "cose-key")]
        true => cose_key::read_public(file),
        #[cfg(not(feature = "cose-key"))]
        true => Err(UNSUPPORTED),
        false => der::read_public(file),
    }
}
