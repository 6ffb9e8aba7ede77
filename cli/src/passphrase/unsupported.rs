//! The errors for key files under a passphrase in a build without the feature
//! `passphrase`.

use clap::Args;
use zeroize::Zeroizing;

use super::is_encrypted;
use crate::{
    error::{Error, Exit},
    input::Source,
};

/// No options: there is no passphrase to ask for.
#[derive(Args, Default)]
pub struct Passphrase {}

impl Passphrase {
    /// Returns `None`, because no passphrase is read from a file.
    pub fn source(&self) -> Option<&Source> {
        None
    }

    /// Returns `bytes` unchanged.
    ///
    /// # Errors
    /// If they are an age file.
    pub fn open(
        &self,
        bytes: Zeroizing<Vec<u8>>,
        name: &Source,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        match is_encrypted(&bytes) {
            true => Err(unsupported(&format!("cannot use the key in {name}"))),
            false => Ok(bytes),
        }
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn seal_pkcs8(&self, _der: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        Err(unsupported("no key was written"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn seal(&self, _key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        Err(unsupported("no key was made"))
    }
}

fn unsupported(what: &str) -> Error {
    Error {
        exit: Exit::Incomplete,
        code: "bad_key",
        message: format!(
            "{what}: this build does not support key files under a passphrase; build pqseal with its default features"
        ),
    }
}
