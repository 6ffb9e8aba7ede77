//! `--to`: a recipient's public key, or the file that holds it or a public calendar.

use std::{ffi::OsString, path::Path};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::KeyError;

use crate::{
    error::{Error, Exit},
    input::Source,
    keyfile::{self, Recipient},
};

/// Reads the public key that `--to` names or is.
///
/// # Errors
/// If it is neither a public key nor a file with one.
pub fn recipient(to: &str) -> Result<AnyPublicKey, Error> {
    match recipient_or_calendar(to)? {
        Recipient::Key(key) => Ok(key),
        Recipient::Calendar(_) => Err(Error::key("--to", &KeyError::Calendar).stops()),
    }
}

/// Reads the public key that `--to` names or is, or the public calendar that it names.
///
/// # Errors
/// If it is neither a public key nor a file with one, or with a public calendar.
pub fn recipient_or_calendar(to: &str) -> Result<Recipient, Error> {
    read_recipient(to).map_err(Error::stops)
}

fn read_recipient(to: &str) -> Result<Recipient, Error> {
    let source = Source::from(OsString::from(to));
    if source == Source::Stdin || Path::new(to).exists() {
        return keyfile::public_or_calendar(&source);
    }
    if pqseal_keys::says_private(to) {
        return Err(Error::usage(
            "--to is a private key; other users can see it on a command line, so make a new one and pass its public key",
        ));
    }
    let key = pqseal_keys::read_public(to, None).map_err(|error| {
        let message = format!("--to is neither a file that exists nor a public key: {error}");
        Error {
            exit: Exit::Incomplete,
            code: "bad_key",
            message,
        }
    })?;
    Ok(Recipient::Key(key))
}
