//! `--to`: a recipient's public key, or the file that holds it or a public calendar.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::Path,
};

use pqseal_hpke::{AnyPublicKey, KemInfo};
use pqseal_keys::{
    Fingerprint, KeyError,
    calendar::{self, Calendar, PublicCalendar},
};

use crate::{error::Error, input::Source, keyfile};

/// What is sealed to.
#[derive(Debug)]
pub enum Recipient {
    /// One public key.
    Key(AnyPublicKey),
    /// The key of the current period.
    Calendar(PublicCalendar),
}

impl Recipient {
    /// Returns the fingerprint of the key, or the id of the calendar, which neither a new period nor
    /// an extension changes.
    pub fn name(&self) -> String {
        match self {
            Self::Key(key) => Fingerprint::of(key).to_string(),
            Self::Calendar(calendar) => format!("calendar {}", calendar.id()),
        }
    }

    /// Returns the KEM of its keys.
    pub fn kem(&self) -> &KemInfo {
        match self {
            Self::Key(key) => key.kem(),
            Self::Calendar(calendar) => calendar.kem_info(),
        }
    }
}

/// Reads the public key that `--to` names or is.
///
/// # Errors
/// If it is neither a public key nor a file with one.
pub fn recipient(to: &str) -> Result<AnyPublicKey, Error> {
    match recipient_or_calendar(to, false)? {
        Recipient::Key(key) => Ok(key),
        Recipient::Calendar(_) => Err(Error::key("--to", &KeyError::Calendar).stops()),
    }
}

/// Reads the public key that `--to` names or is, or the public calendar that it names. For a run
/// that `lasts` a calendar is read as a whole, so that its keys stay in use whatever becomes of the
/// file. Otherwise the file stays open if its lines can be read one by one.
///
/// # Errors
/// If it is neither a public key nor a file with one, or with a public calendar.
pub fn recipient_or_calendar(to: &str, lasts: bool) -> Result<Recipient, Error> {
    read_recipient(to, lasts).map_err(Error::stops)
}

fn read_recipient(to: &str, lasts: bool) -> Result<Recipient, Error> {
    let source = Source::from(OsString::from(to));
    if source == Source::Stdin || Path::new(to).exists() {
        return in_file(&source, lasts);
    }
    if pqseal_keys::says_private(to) {
        return Err(Error::usage(
            "--to is a private key; other users can see it on a command line, so make a new one and pass its public key",
        ));
    }
    let key = pqseal_keys::read_public(to, None).map_err(|error| {
        let message = format!("--to is neither a file that exists nor a public key: {error}");
        Error::incomplete("bad_key", message)
    })?;
    Ok(Recipient::Key(key))
}

/// Reports whether `--to` names something that can be read again. Standard input and pipes were
/// read to their ends, and opening a pipe again could wait forever for a writer.
pub fn can_be_read_again(to: &str) -> bool {
    to != "-" && fs::metadata(to).is_ok_and(|found| found.is_file())
}

/// Reads the public key or the public calendar in a file.
///
/// # Errors
/// If it holds neither; for a private calendar, which the machine that seals must not have.
fn in_file(source: &Source, lasts: bool) -> Result<Recipient, Error> {
    let path = source.path().filter(|path| !lasts && path.is_file());
    let file = path.and_then(|path| File::open(path).ok());
    if let Some(calendar) = file.and_then(PublicCalendar::by_line) {
        return Ok(Recipient::Calendar(calendar));
    }
    let bytes = keyfile::read_bytes(source)?;
    if !calendar::is(&bytes) {
        let key = keyfile::public_in(source, &bytes, None)?;
        return Ok(Recipient::Key(key.into_key()));
    }
    let calendar = Calendar::parse(bytes).and_then(PublicCalendar::try_from);
    let calendar = calendar.map_err(|error| Error::calendar(source, &error))?;
    Ok(Recipient::Calendar(calendar))
}
