//! Recipients and identities from arguments and files.

use clap::Args;
use files::{
    keys::{AnyIdentity, AnyRecipient, LineError},
    object,
};
use zeroize::Zeroizing;

use super::{failure, plugins};
use crate::{
    binding::AllowExperimental,
    error::Error,
    input::{Source, warn_if_others_read},
    leak::key_as_argument,
    passphrase::Passphrase,
};

/// The largest file of keys, in bytes: 1 MiB, some 500 post-quantum recipients.
const LIMIT: usize = 1 << 20;

/// Who can decrypt.
#[derive(Args)]
pub(super) struct Recipients {
    /// Encrypt to this recipient: age1..., also of a plugin, or a public key as a pqseal line; may be
    /// repeated
    #[arg(short, long = "recipient", value_name = "RECIPIENT")]
    recipients: Vec<String>,
    /// Encrypt to the recipients in this file, one per line (# starts a comment), or to a public key
    /// in PEM or JWK; may be repeated
    #[arg(short = 'R', long = "recipients-file", value_name = "FILE")]
    files: Vec<Source>,
    #[command(flatten)]
    experimental: AllowExperimental,
}

impl Recipients {
    pub(super) fn sources(&self) -> &[Source] {
        &self.files
    }

    /// How a pqseal object is wrapped for them.
    pub(super) fn object_options(&self) -> object::Options {
        object::Options {
            policy: self.experimental.policy(),
            ..object::Options::default()
        }
    }

    pub(super) fn read(&self) -> Result<Vec<AnyRecipient>, Error> {
        let reader = plugins::reader().with_policy(self.experimental.policy());
        let mut found = Vec::new();
        for (text, number) in self.recipients.iter().zip(1..) {
            let starts = ["AGE-SECRET-KEY-", "AGE-PLUGIN-"];
            if starts.iter().any(|start| text.starts_with(start))
                || envelope::keys::looks_secret(text)
            {
                return Err(key_as_argument());
            }
            let recipient = reader
                .recipient(text)
                .map_err(|error| failure::of_key(&format!("-r number {number}"), &error))?;
            found.push(recipient);
        }
        for file in &self.files {
            found.extend(
                reader
                    .recipients(&text(file)?)
                    .map_err(|e| on_line(file, &e))?,
            );
        }
        Ok(found)
    }
}

/// Who decrypts.
#[derive(Args)]
pub(super) struct Identities {
    /// Decrypt with the identities (private keys) in this file, as `pqseal file keygen` or
    /// `age-keygen` writes them, those of plugins, or a private key of pqseal's; it may be under a
    /// passphrase; may be repeated
    #[arg(short, long = "identity", value_name = "FILE")]
    identities: Vec<Source>,
    #[command(flatten)]
    pub(super) passphrase: Passphrase,
}

impl Identities {
    pub(super) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.identities.iter().chain(self.passphrase.source())
    }

    pub(super) fn read(&self) -> Result<Vec<AnyIdentity>, Error> {
        let mut found = Vec::new();
        for file in &self.identities {
            let text = opened(file, &self.passphrase)?;
            found.extend(
                plugins::reader()
                    .identities(&text)
                    .map_err(|e| on_line(file, &e))?,
            );
            warn_if_others_read(file, "identity");
        }
        Ok(found)
    }
}

/// The text of a file of identities, which may be under a passphrase.
pub(super) fn opened(file: &Source, passphrase: &Passphrase) -> Result<Zeroizing<String>, Error> {
    as_text(file, passphrase.open(secret(file)?, file)?)
}

/// The text of a file of keys.
fn text(file: &Source) -> Result<Zeroizing<String>, Error> {
    as_text(file, secret(file)?)
}

fn secret(file: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    file.read_secret(LIMIT)
        .map_err(|error| Error::io(format_args!("read the key file {file}"), &error))
}

fn as_text(file: &Source, bytes: Zeroizing<Vec<u8>>) -> Result<Zeroizing<String>, Error> {
    let text = str::from_utf8(&bytes).ok().filter(|_| bytes.len() <= LIMIT);
    let text = text.ok_or_else(|| {
        Error::refused(format!(
            "cannot use the keys in {file}: it is not text, or larger than 1 MiB"
        ))
    })?;
    Ok(Zeroizing::new(text.to_owned()))
}

pub(super) fn on_line(file: &Source, error: &LineError) -> Error {
    failure::of_key(&format!("{file}, line {}", error.line), &error.error)
}
