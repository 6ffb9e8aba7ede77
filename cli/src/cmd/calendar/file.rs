//! Files with calendars, in the clear, under a passphrase, or sealed to age recipients.

use std::io::Write;

use clap::Args;
use pqseal_age::{
    ArmorWriter, Encryptor, Identity, PassphraseIdentity, PassphraseRecipient, Recipient,
};
use pqseal_keys::calendar::Calendar;
use zeroize::Zeroizing;

use crate::{
    calendar::warn_of_state,
    error::{Error, Exit},
    file::{Identities, Recipients},
    input::{Source, one_stdin, warn_if_others_read},
    keyfile,
    passphrase::{self, Passphrase},
};

/// The encryption of a file.
pub(super) enum Lock {
    /// It is not encrypted.
    Clear,
    /// It is under this passphrase.
    Passphrase(Zeroizing<String>),
    /// It is sealed to age recipients, whom it does not name.
    Recipients,
}

/// The calendars that are looked at.
#[derive(Args)]
pub(super) struct Files {
    #[command(flatten)]
    identities: Identities,
    /// The calendars, private or public
    #[arg(value_name = "FILE", required = true)]
    files: Vec<Source>,
}

/// The options that name for whom a new file is.
#[derive(Args)]
pub(super) struct For {
    #[command(flatten)]
    recipients: Recipients,
    /// Encrypt the new file under the passphrase on the first line of this file
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<Source>,
}

impl Files {
    /// Calls `each` with every file that can be read, and reports the errors of the others.
    ///
    /// # Errors
    /// If standard input is named twice.
    pub(super) fn each(
        &self,
        json: bool,
        mut each: impl FnMut(&Source, Calendar) -> Result<(), Error>,
    ) -> Result<Exit, Error> {
        one_stdin(self.files.iter().chain(self.identities.sources()))?;
        let mut exit = Exit::Done;
        for source in &self.files {
            let found = read(source, &self.identities);
            if let Err(error) = found.and_then(|(calendar, _)| each(source, calendar)) {
                error.report(json);
                exit = Exit::Incomplete;
            }
        }
        Ok(exit)
    }
}

impl Lock {
    /// Returns the bytes of a file with this calendar, in the armor of age if it is encrypted.
    ///
    /// # Errors
    /// If it was sealed to recipients, and no recipient is named now.
    pub(super) fn close(
        &self,
        calendar: &Calendar,
        new: &For,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let text = calendar.as_str();
        if let Some(closed) = new.close(text)? {
            return Ok(closed);
        }
        match self {
            Self::Clear => Ok(Zeroizing::new(text.as_bytes().to_vec())),
            Self::Passphrase(passphrase) => {
                sealed(text, &[&PassphraseRecipient::new(passphrase.clone())])
            }
            Self::Recipients => Err(Error::usage(
                "the calendar is sealed to age recipients, and does not name them; name those of the new file with -r, or give --new-passphrase-file",
            )),
        }
    }
}

impl For {
    /// Lists the files that are read.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Source> {
        let recipients = self.recipients.sources().iter();
        recipients.chain(&self.new_passphrase_file)
    }

    /// Returns the bytes of an encrypted file, if an option asks for one.
    pub(super) fn close(&self, text: &str) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let recipients = self.recipients.read()?;
        if let Some(file) = &self.new_passphrase_file {
            if !recipients.is_empty() {
                return Err(Error::usage(
                    "-r and --new-passphrase-file exclude each other; leave one of them out",
                ));
            }
            let passphrase = Passphrase::in_file_of(file.clone());
            let recipient = passphrase.recipient("nothing was written")?;
            return sealed(text, &[&recipient]).map(Some);
        }
        let recipients: Vec<_> = recipients.iter().map(AsRef::as_ref).collect();
        match recipients.is_empty() {
            true => Ok(None),
            false => sealed(text, &recipients).map(Some),
        }
    }
}

/// Encrypts a calendar, as an armored age file.
pub(super) fn sealed(
    text: &str,
    recipients: &[&dyn Recipient],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let write = || {
        let mut file = Encryptor::new(recipients, ArmorWriter::new(Vec::new())?)?;
        file.write_all(text.as_bytes())?;
        Ok::<_, pqseal_age::Error>(file.finish()?.finish()?)
    };
    let written = write().map_err(|error| Error::io("encrypt the calendar", &error.into()))?;
    Ok(Zeroizing::new(written))
}

/// Reads a calendar of either half.
///
/// # Errors
/// If it is not one, or does not open with the passphrase or the identities.
pub(super) fn read(source: &Source, identities: &Identities) -> Result<(Calendar, Lock), Error> {
    let (calendar, lock) = parse(source, keyfile::read_bytes(source)?, identities)?;
    warn_of_state(source, &calendar);
    if calendar.is_private() {
        warn_if_others_read(source, "key");
    }
    Ok((calendar, lock))
}

/// Parses the bytes of a file, which may be encrypted.
///
/// # Errors
/// As [`read`].
pub(super) fn parse(
    source: &Source,
    bytes: Zeroizing<Vec<u8>>,
    identities: &Identities,
) -> Result<(Calendar, Lock), Error> {
    let (bytes, lock) = match passphrase::is_encrypted(&bytes) {
        true => open(source, &bytes, identities)?,
        false => (bytes, Lock::Clear),
    };
    let calendar = Calendar::parse(bytes).map_err(|error| Error::calendar(source, &error))?;
    Ok((calendar, lock))
}

fn open(
    source: &Source,
    bytes: &[u8],
    identities: &Identities,
) -> Result<(Zeroizing<Vec<u8>>, Lock), Error> {
    if passphrase::is_under_passphrase(bytes, source)? {
        let text = identities.passphrase.text(source)?;
        let identity = PassphraseIdentity::new(text.clone());
        let opened = passphrase::decrypt(bytes, source, &[&identity])?;
        return Ok((opened, Lock::Passphrase(text)));
    }
    let read = identities.unlocked()?;
    if read.is_empty() {
        return Err(Error {
            exit: Exit::Incomplete,
            code: "bad_key",
            message: format!(
                "{source} is sealed to age recipients; give an identity of one of them with -i"
            ),
        });
    }
    let read: Vec<&dyn Identity> = read.iter().map(AsRef::as_ref).collect();
    let opened = passphrase::decrypt(bytes, source, &read)?;
    Ok((opened, Lock::Recipients))
}
