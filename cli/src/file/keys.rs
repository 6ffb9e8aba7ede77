//! Recipients and identities from arguments and files.

use clap::Args;
use pqseal_age::{
    SshIdentity,
    keys::{AnyIdentity, AnyRecipient, LineError},
    object,
};
use pqseal_keys::{Content, KeyText};
use zeroize::Zeroizing;

use super::{failure, plugins};
use crate::{
    binding::AllowExperimental,
    error::{Error, warn},
    input::{Source, warn_if_others_read},
    keyfile::Skipped,
    leak::key_as_argument,
    passphrase::{self, Passphrase},
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

const PASSPHRASE_FILE: &str = "A file with the passphrase of the encrypted file or of its identity file on its first line, `-` for standard input; if not given, it is asked for on the terminal";

/// The options for identities.
#[derive(Args)]
#[command(mut_arg("passphrase_file", |arg| arg.help(PASSPHRASE_FILE)))]
pub struct Identities {
    /// Decrypt with the identities (private keys) in this file, as `pqseal file keygen` or
    /// `age-keygen` writes them, those of plugins, a private key of pqseal's, or of SSH
    /// (~/.ssh/id_ed25519); it may be under a passphrase; may be repeated
    #[arg(short, long = "identity", value_name = "FILE")]
    identities: Vec<Source>,
    #[command(flatten)]
    pub passphrase: Passphrase,
}

impl Identities {
    /// Lists the files that are read.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.identities.iter().chain(self.passphrase.source())
    }

    /// Reads the identities.
    ///
    /// # Errors
    /// If one is not an identity.
    pub fn read(&self) -> Result<Vec<AnyIdentity>, Error> {
        let mut found = Vec::new();
        for file in &self.identities {
            found.extend(identities(file, &self.passphrase)?);
            warn_if_others_read(file, "identity");
        }
        Ok(found)
    }
}

/// Reads the identities of a file, which may be under a passphrase.
pub(super) fn identities(
    file: &Source,
    passphrase: &Passphrase,
) -> Result<Vec<AnyIdentity>, Error> {
    let bytes = passphrase.open(secret(file)?, file)?;
    if let Some(text) = encrypted_ssh(&bytes) {
        let answer = passphrase.text(file)?;
        let identity = SshIdentity::read(text, Some(answer.as_bytes()));
        let identity = identity.map_err(|error| match error {
            pqseal_age::Error::WrongPassphrase => passphrase::wrong(file),
            error => failure::of_key(&file.to_string(), &error),
        })?;
        return Ok(vec![Box::new(identity)]);
    }
    let mut skipped = Skipped::default();
    let identities = plugins::reader().identities(&bytes, |entry| skipped.add(entry));
    skipped.warn(file);
    identities.map_err(|e| on_line(file, &e))
}

/// Returns the SSH key of a file if it is under a passphrase.
fn encrypted_ssh(file: &[u8]) -> Option<&str> {
    match KeyText::new(file).ok()?.single() {
        Content::Pem { text, .. } => Some(text).filter(|text| SshIdentity::is_encrypted(text)),
        _ => None,
    }
}

fn secret(file: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
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

fn on_line(file: &Source, error: &LineError) -> Error {
    failure::of_key(&format!("{file}, line {}", error.line), &error.error)
}
