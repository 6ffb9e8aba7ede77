//! The formats in which keys are written, as text or as bytes.

use std::{fmt, str::FromStr};

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, ParseError};
use zeroize::Zeroizing;

#[cfg(feature = "cose-key")]
use crate::{Algorithm, algorithm, cose_key};
use crate::{KeyError, base64, der, jwk, line, pem::write_pem, raw, read_public};

/// A format in which keys are written. As text it is `raw`, `json`, `pem`, `jwk` or `line`.
///
/// ```
/// use pqseal_keys::KeyFormat;
///
/// assert_eq!("pem".parse(), Ok(KeyFormat::Pem));
/// assert_eq!(KeyFormat::Line.to_string(), "line");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFormat {
    /// Base64 of the serialized key, as dashboards take an X25519 public key.
    Raw,
    /// The key-pair file of matched-data-cli.
    Json,
    /// PKCS#8 (RFC 5958) and SubjectPublicKeyInfo (RFC 5280) as PEM (RFC 7468). SEC 1 is read, not
    /// written.
    Pem,
    /// JSON Web Key (RFC 7517).
    Jwk,
    /// A line of pqseal's own format, for every KEM and with a checksum.
    Line,
}

impl KeyFormat {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Raw, Self::Json, Self::Pem, Self::Jwk, Self::Line];

    const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Json => "json",
            Self::Pem => "pem",
            Self::Jwk => "jwk",
            Self::Line => "line",
        }
    }

    /// Writes a key in `format`, or by default in PEM, or as a pqseal line if PEM has no encoding
    /// for its KEM.
    ///
    /// # Errors
    /// The errors of `write`.
    pub fn or_pem<T>(
        format: Option<Self>,
        write: impl Fn(Self) -> Result<T, KeyError>,
    ) -> Result<T, KeyError> {
        match format {
            Some(format) => write(format),
            None => write(Self::Pem).or_else(|error| match error {
                KeyError::FormatLacksKem => write(Self::Line),
                other => Err(other),
            }),
        }
    }
}

impl FromStr for KeyFormat {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut formats = Self::ALL.iter().copied();
        formats
            .find(|format| format.name() == text)
            .ok_or(ParseError::new("raw, json, pem, jwk or line"))
    }
}

impl fmt::Display for KeyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Writes a private key as text, ending in a line break. Wiped on drop.
///
/// ```
/// use pqseal_keys::KeyFormat;
///
/// let key = pqseal_keys::read_private("uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=", None)?;
/// let pem = pqseal_keys::write_private(&key, KeyFormat::Pem)?;
/// assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----"));
/// # Ok::<(), pqseal_keys::KeyError>(())
/// ```
///
/// # Errors
/// [`KeyError::FormatLacksKem`], [`KeyError::Hpke`] for a key that cannot be exported.
pub fn write_private(
    key: &AnyPrivateKey,
    format: KeyFormat,
) -> Result<Zeroizing<String>, KeyError> {
    let text = match format {
        KeyFormat::Raw => Ok(Zeroizing::new(base64::encode(key.to_bytes()?.as_ref()))),
        KeyFormat::Json => raw::write_pair(key),
        KeyFormat::Pem => Ok(write_pem("PRIVATE KEY", &der::write_private_der(key)?)),
        KeyFormat::Jwk => jwk::write_private(key),
        KeyFormat::Line => line::write_private(key),
    }?;
    Ok(Zeroizing::new(end_line(&text)))
}

/// Writes a public key as text, ending in a line break.
///
/// # Errors
/// [`KeyError::FormatLacksKem`]; [`KeyError::FormatLacksPublic`] for JSON, which holds only key
/// pairs.
pub fn write_public(key: &AnyPublicKey, format: KeyFormat) -> Result<String, KeyError> {
    let text = match format {
        KeyFormat::Raw => Ok(base64::encode(key.as_ref())),
        KeyFormat::Json => Err(KeyError::FormatLacksPublic),
        KeyFormat::Pem => Ok(write_pem("PUBLIC KEY", &der::write_public_der(key)?).to_string()),
        KeyFormat::Jwk => jwk::write_public(key),
        KeyFormat::Line => Ok(line::write_public(key)),
    }?;
    Ok(end_line(&text))
}

/// Returns the format in which to show a public key to people: raw for an X25519 key, as dashboards
/// expect it, otherwise a line, which names the KEM.
#[must_use]
pub fn default_format(key: &AnyPublicKey) -> KeyFormat {
    // Raw if a reader without a given KEM would read the same key.
    let read_back = write_public(key, KeyFormat::Raw).and_then(|text| read_public(&text, None));
    if read_back.is_ok_and(|read| read == *key) {
        KeyFormat::Raw
    } else {
        KeyFormat::Line
    }
}

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
        BinaryFormat::Der => der::write_private_der(key),
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
        BinaryFormat::Der => der::write_public_der(key),
        #[cfg(feature = "cose-key")]
        BinaryFormat::CoseKey(alg) => cose_key::write_public(key, alg, None),
    }
}

/// Returns a copy that ends in a line break. A key's text never grows in place, which would leave a
/// copy unwiped.
fn end_line(text: &str) -> String {
    let line = text.trim_end_matches('\n');
    let mut copy = String::with_capacity(line.len() + 1);
    copy.extend([line, "\n"]);
    copy
}
