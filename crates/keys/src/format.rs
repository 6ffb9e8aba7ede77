//! The names of the formats in which keys are written.

use std::{fmt, str::FromStr};

use pqseal_hpke::ParseError;

use super::KeyError;

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
