//! `pqseal pubkey`: prints the public key of a private key.

use clap::Args;
use pqseal_hpke::{AnyPublicKey, DynKem};
use pqseal_keys::{Fingerprint, KeyError, KeyFormat};
use serde_json::json;

use crate::{
    error::Error,
    form::{Form, write_public},
    input::{Source, one_stdin},
    keyfile::{self, Raw},
    output::to_stdout,
    passphrase::Passphrase,
    suite,
};

/// The arguments of `pqseal pubkey`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("The public key of a private key", "pqseal pubkey key.pem"),
    ("Its key id and fingerprint", "pqseal pubkey --fingerprint key.pem"),
    ("As a PEM file for other programs", "pqseal pubkey --form pem key.pem > public.pem"),
]))]
pub struct Pubkey {
    /// The KEM of a raw key, x25519 if not given; a key in any other format names its KEM, which
    /// must be the same
    #[arg(long, value_name = "NAME", value_parser = suite::kem)]
    kem: Option<&'static DynKem>,
    /// How to write the public key; if not given, base64 for x25519 and a pqseal-public-key line
    /// for other KEMs
    #[arg(long, value_enum)]
    form: Option<Form>,
    /// Print the key's fingerprint (SHA-256) and its key id instead. The key id is the beginning of
    /// the fingerprint; version 4 blobs name their key by it
    #[arg(long, conflicts_with = "form")]
    fingerprint: bool,
    #[command(flatten)]
    raw: Raw,
    #[command(flatten)]
    passphrase: Passphrase,
    /// The key file
    #[arg(value_name = "KEYFILE")]
    key: Source,
}

impl Pubkey {
    /// Prints the public key.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        one_stdin([&self.key].into_iter().chain(self.passphrase.source()))?;
        let key =
            keyfile::either(&self.key, self.kem, self.raw.half(), &self.passphrase)?.into_public();
        let shown = key.and_then(|key| match self.form {
            _ if self.fingerprint && !json => {
                let fingerprint = Fingerprint::of(key.key());
                let id = fingerprint.key_id();
                Ok(format!("fingerprint: {fingerprint}\nkey id:      {id}\n").into_bytes())
            }
            Some(form) => write_public(&key, Some(form)),
            None if json => Ok(public_json(key.key())?.into_bytes()),
            None => Ok(public_text(key.key())?.into_bytes()),
        });
        to_stdout(&shown.map_err(|error| Error::named_key(&self.key, &error))?)
    }
}

/// Returns the key in its default format, ending in a line break.
pub(super) fn public_text(key: &AnyPublicKey) -> Result<String, KeyError> {
    pqseal_keys::write_public(key, pqseal_keys::default_format(key))
}

/// Returns the pqseal-public-key line, which names the half, and the comment above it: the base64,
/// if dashboards take that.
pub(super) fn comment_and_line(key: &AnyPublicKey) -> Result<(String, String), KeyError> {
    let comment = match pqseal_keys::default_format(key) {
        KeyFormat::Raw => format!("# for dashboards: {}", public_text(key)?),
        _ => String::new(),
    };
    Ok((comment, pqseal_keys::write_public(key, KeyFormat::Line)?))
}

/// Describes a public key as JSON.
pub(super) fn public_json(key: &AnyPublicKey) -> Result<String, KeyError> {
    let fingerprint = Fingerprint::of(key);
    let described = json!({
        "kem": key.kem().short_name,
        "public_key": public_text(key)?.trim_end(),
        "fingerprint": fingerprint.to_string(),
        "key_id": fingerprint.key_id().to_string(),
    });
    Ok(format!("{described}\n"))
}
