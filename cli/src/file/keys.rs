//! Recipients from arguments and files, and the files that hold them or identities.

use clap::Args;
use pqseal_age::{
    keys::{AnyRecipient, LineError},
    object,
};
use zeroize::Zeroizing;

use super::{failure, plugins};
use crate::{
    binding::AllowExperimental,
    error::{Error, warn},
    input::Source,
    leak::key_as_argument,
};

/// The largest file of keys, in bytes: 1 MiB, some 500 post-quantum recipients.
const LIMIT: usize = 1 << 20;

/// The options for recipients.
#[derive(Args)]
pub struct Recipients {
    /// Encrypt to this recipient: age1..., also of a plugin, a public key as a pqseal line, or of
    /// SSH ("ssh-ed25519 ..." or "ssh-rsa ..."); may be repeated
    #[arg(short, long = "recipient", value_name = "RECIPIENT")]
    recipients: Vec<String>,
    /// Encrypt to the recipients in this file, one per line (# starts a comment), such as
    /// ~/.ssh/id_ed25519.pub, or to a public key in PEM or JWK; may be repeated
    #[arg(short = 'R', long = "recipients-file", value_name = "FILE")]
    files: Vec<Source>,
    #[command(flatten)]
    experimental: AllowExperimental,
}

impl Recipients {
    /// Lists the files that are read.
    pub fn sources(&self) -> &[Source] {
        &self.files
    }

    /// Returns the options of wrapping a pqseal object for the recipients.
    pub(super) fn object_options(&self) -> object::Options {
        object::Options {
            policy: self.experimental.policy(),
            ..object::Options::default()
        }
    }

    /// Reads the recipients.
    ///
    /// # Errors
    /// If one is not a recipient.
    pub fn read(&self) -> Result<Vec<AnyRecipient>, Error> {
        let reader = plugins::reader().with_policy(self.experimental.policy());
        let mut found = Vec::new();
        for (text, number) in self.recipients.iter().zip(1..) {
            let starts = ["AGE-SECRET-KEY-", "AGE-PLUGIN-"];
            if starts.iter().any(|start| text.starts_with(start)) || pqseal_keys::looks_secret(text)
            {
                return Err(key_as_argument());
            }
            let recipient = reader
                .recipient(text)
                .map_err(|error| failure::of_key(&format!("-r number {number}"), &error))?;
            found.push(recipient);
        }
        for file in &self.files {
            let read = reader.recipients_and_skipped(secret(file)?);
            let (recipients, skipped) = read.map_err(|e| on_line(file, &e))?;
            found.extend(recipients);
            for line in skipped {
                let LineError { line, error, .. } = line;
                warn(
                    "skipped_key",
                    format_args!(
                        "{file}, line {line}: skipped, nothing is encrypted to it: {error}"
                    ),
                );
            }
        }
        Ok(found)
    }
}

/// Reads the bytes of a file of keys.
pub(super) fn secret(file: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let read = file.read_secret(LIMIT);
    let bytes =
        read.map_err(|error| Error::io(format_args!("read the key file {file}"), &error))?;
    match bytes.len() > LIMIT {
        true => Err(Error::refused(format!(
            "cannot use the keys in {file}: it is larger than 1 MiB"
        ))),
        false => Ok(bytes),
    }
}

/// Makes the error of a line of a file of keys.
pub(super) fn on_line(file: &Source, error: &LineError) -> Error {
    failure::of_key(&format!("{file}, line {}", error.line), &error.error)
}
