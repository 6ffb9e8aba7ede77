//! `pqseal pubkey`: prints the public key of a private key.

use clap::Args;
use pqseal_hpke::{AnyPublicKey, DynKem};
use pqseal_keys::{Fingerprint, KeyError};

use super::public;
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
#[command(after_long_help = crate::examples::help(&crate::examples::PUBKEY))]
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
        let bad_key = |error| Error::named_key(&self.key, &error);
        one_stdin([&self.key].into_iter().chain(self.passphrase.source()))?;
        let key = keyfile::either(&self.key, self.kem, self.raw.half(), &self.passphrase)?
            .into_public()
            .map_err(bad_key)?;
        let shown = match self.form {
            _ if self.fingerprint && !json => fingerprint(key.key()).into_bytes(),
            Some(form) => write_public(&key, Some(form)).map_err(bad_key)?,
            None if json => text(public::json(key.key()), bad_key)?,
            None => text(public::text(key.key()), bad_key)?,
        };
        to_stdout(&shown)
    }
}

fn text(
    shown: Result<String, KeyError>,
    bad_key: impl Fn(pqseal_formats::Error) -> Error,
) -> Result<Vec<u8>, Error> {
    Ok(shown.map_err(|error| bad_key(error.into()))?.into_bytes())
}

fn fingerprint(key: &AnyPublicKey) -> String {
    let fingerprint = Fingerprint::of(key);
    format!(
        "fingerprint: {fingerprint}\nkey id:      {}\n",
        fingerprint.key_id()
    )
}
