//! Identities from files. Those under a passphrase stay locked until no other identity opens a file.

use std::cell::OnceCell;

use clap::Args;
use pqseal_age::{
    AnyHeader, ContentKey, Error as AgeError, Identity, SshIdentity, SshRecipient,
    keys::AnyIdentity,
};
use pqseal_hpke::Policy;
use pqseal_keys::{Content, KeyText, pbes2};
use zeroize::Zeroizing;

use super::{failure, keys, plugins};
use crate::{
    error::Error,
    input::{Source, warn_if_others_read},
    keyfile::Skipped,
    passphrase::{self, Passphrase},
};

const PASSPHRASE_FILE: &str = "A file with the passphrase of the encrypted file or of its identity file on its first line, `-` for standard input; if not given, it is asked for on the terminal";

/// The options for identities.
#[derive(Args)]
#[command(mut_arg("passphrase_file", |arg| arg.help(PASSPHRASE_FILE)))]
pub struct Identities {
    /// Decrypt with the identities (private keys) in this file, as `pqseal file keygen` or
    /// `age-keygen` writes them, those of plugins, a private key of pqseal's, or of SSH
    /// (~/.ssh/id_ed25519); it may be under a passphrase, which is asked for only if no other
    /// identity opens the file; may be repeated
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

    /// Reads all identities, and asks for the passphrases of those under one.
    ///
    /// # Errors
    /// If one is not an identity.
    pub fn unlocked(&self) -> Result<Vec<AnyIdentity>, Error> {
        let mut found = Vec::new();
        for file in &self.identities {
            found.extend(all_of(file, &self.passphrase)?);
            warn_if_others_read(file, "identity");
        }
        Ok(found)
    }

    /// Reads the files, without unlocking those under a passphrase.
    pub(super) fn read(&self) -> Result<Keys<'_>, Error> {
        let (mut ready, mut locked) = (Vec::new(), Vec::new());
        for file in &self.identities {
            let found = Locked::read(file)?;
            warn_if_others_read(file, "identity");
            match found.is_locked() {
                true => locked.push(found),
                false => ready.extend(found.unlock(&self.passphrase)?),
            }
        }
        let passphrase = &self.passphrase;
        Ok(Keys {
            ready,
            locked,
            passphrase,
        })
    }
}

/// Reads the identities of a file, which may be under a passphrase.
pub(super) fn all_of(file: &Source, passphrase: &Passphrase) -> Result<Vec<AnyIdentity>, Error> {
    Locked::read(file)?.unlock(passphrase)
}

/// The identities of a run.
pub(super) struct Keys<'a> {
    ready: Vec<AnyIdentity>,
    locked: Vec<Locked<'a>>,
    passphrase: &'a Passphrase,
}

impl Keys<'_> {
    /// Returns the content key of a file. Asks for the passphrase of the file, or for those of
    /// identities that may open it.
    pub(super) fn open(
        &self,
        name: &Source,
        header: &AnyHeader,
        policy: &Policy,
    ) -> Result<ContentKey, Error> {
        let failed = |error| failure::of_file(name, &error);
        if matches!(header, AnyHeader::Age(header) if header.is_passphrase()) {
            let identity = self.passphrase.identity(name)?;
            return header.open(&[&identity], policy).map_err(failed);
        }
        if self.ready.is_empty() && self.locked.is_empty() {
            return Err(Error::usage(format!(
                "{name} is encrypted to recipients; give an identity with -i"
            )));
        }
        let mut opened = header.open(&refs(&self.ready), policy);
        for locked in self.locked.iter().filter(|locked| locked.may_open(header)) {
            if !matches!(opened, Err(AgeError::NoMatch | AgeError::Plugin(_))) {
                break;
            }
            opened = header.open(&refs(locked.identities(self.passphrase)?), policy);
        }
        opened.map_err(failed)
    }
}

fn refs(identities: &[AnyIdentity]) -> Vec<&dyn Identity> {
    identities.iter().map(AsRef::as_ref).collect()
}

/// An identity file that may be under a passphrase.
struct Locked<'a> {
    file: &'a Source,
    bytes: Zeroizing<Vec<u8>>,
    /// The public half of an SSH key under a passphrase, which is not encrypted.
    ssh: Option<SshRecipient>,
    /// The identities, once they were needed.
    unlocked: OnceCell<Vec<AnyIdentity>>,
}

impl<'a> Locked<'a> {
    fn read(file: &'a Source) -> Result<Self, Error> {
        let bytes = keys::secret(file)?;
        let ssh = encrypted_ssh(&bytes)
            .map(SshIdentity::recipient_in)
            .transpose();
        let ssh = ssh.map_err(|error| failure::of_key(&file.to_string(), &error))?;
        let unlocked = OnceCell::new();
        Ok(Self {
            file,
            bytes,
            ssh,
            unlocked,
        })
    }

    fn is_locked(&self) -> bool {
        self.ssh.is_some() || passphrase::is_encrypted(&self.bytes) || pbes2::is_in(&self.bytes)
    }

    /// Reports whether it is worth a question for the passphrase. Only SSH keys tell.
    fn may_open(&self, header: &AnyHeader) -> bool {
        match (&self.ssh, header) {
            (None, _) => true,
            (Some(recipient), AnyHeader::Age(header)) => recipient.is_named_in(header.stanzas()),
            (Some(_), AnyHeader::Object(_)) => false,
        }
    }

    fn identities(&self, passphrase: &Passphrase) -> Result<&[AnyIdentity], Error> {
        if self.unlocked.get().is_none() {
            let _ = self.unlocked.set(self.unlock(passphrase)?);
        }
        Ok(self.unlocked.get().map_or(&[], Vec::as_slice))
    }

    fn unlock(&self, passphrase: &Passphrase) -> Result<Vec<AnyIdentity>, Error> {
        if self.ssh.is_some() {
            return self.unlock_ssh(passphrase);
        }
        let bytes = passphrase.open(self.bytes.clone(), self.file)?;
        let mut skipped = Skipped::default();
        let identities = plugins::reader().identities(&bytes, |entry| skipped.add(entry));
        skipped.warn(self.file);
        identities.map_err(|error| keys::on_line(self.file, &error))
    }

    fn unlock_ssh(&self, passphrase: &Passphrase) -> Result<Vec<AnyIdentity>, Error> {
        let text = encrypted_ssh(&self.bytes).unwrap_or_default();
        let answer = passphrase.text(self.file)?;
        match SshIdentity::read(text, Some(answer.as_bytes())) {
            Ok(identity) => Ok(vec![Box::new(identity)]),
            Err(AgeError::WrongPassphrase) => Err(passphrase::wrong(self.file)),
            Err(error) => Err(failure::of_key(&self.file.to_string(), &error)),
        }
    }
}

/// Returns the SSH key of a file if it is under a passphrase.
fn encrypted_ssh(file: &[u8]) -> Option<&str> {
    match KeyText::new(file).ok()?.single() {
        Content::Pem { text, .. } => Some(text).filter(|text| SshIdentity::is_encrypted(text)),
        _ => None,
    }
}
