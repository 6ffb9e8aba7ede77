//! `--to`: a recipient's public key, or the file that holds it.

use std::{ffi::OsString, path::Path};

use pqseal_hpke::AnyPublicKey;

use crate::{
    error::{Error, Exit},
    input::Source,
    keyfile,
};

/// Reads the public key that `--to` names or is.
///
/// # Errors
/// If it is neither a public key nor a file with one.
pub fn recipient(to: &str) -> Result<AnyPublicKey, Error> {
    read_recipient(to).map_err(Error::stops)
}

fn read_recipient(to: &str) -> Result<AnyPublicKey, Error> {
    let source = Source::from(OsString::from(to));
    if source == Source::Stdin || Path::new(to).exists() {
        return keyfile::public(&source, None);
    }
    if pqseal_keys::says_private(to) {
        return Err(Error::usage(
            "--to is a private key; other users can see it on a command line, so make a new one and pass its public key",
        ));
    }
    pqseal_keys::read_public(to, None).map_err(|error| {
        let message = format!("--to is neither a file that exists nor a public key: {error}");
        Error {
            exit: Exit::Incomplete,
            code: "bad_key",
            message,
        }
    })
}
