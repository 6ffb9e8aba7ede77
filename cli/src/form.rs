//! The formats of keys, as they are typed.

use clap::ValueEnum;
use envelope::keys::{KeyError, KeyFormat};

/// A key format on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// PKCS#8 and SPKI, as OpenSSL reads and writes them
    Pem,
    /// JSON Web Key
    Jwk,
    /// The key-pair file of matched-data-cli (x25519)
    Json,
    /// The bare key in base64, as dashboards take an x25519 public key
    Raw,
    /// pqseal's own line with a checksum, for every KEM
    Line,
}

impl From<Form> for KeyFormat {
    fn from(form: Form) -> Self {
        match form {
            Form::Pem => Self::Pem,
            Form::Jwk => Self::Jwk,
            Form::Json => Self::Json,
            Form::Raw => Self::Raw,
            Form::Line => Self::Line,
        }
    }
}

/// Writes a key in `form`, or as [`KeyFormat::or_default`] says.
///
/// # Errors
/// If the format cannot hold such keys.
pub fn in_form<T>(
    form: Option<Form>,
    write: impl Fn(KeyFormat) -> Result<T, KeyError>,
) -> Result<T, KeyError> {
    KeyFormat::or_default(form.map(Into::into), write)
}
