//! The format that `encrypt` writes.

use clap::{Args, ValueEnum};
use pqseal_age::{ContentKey, Recipient, Room, cobblestone::Cipher, object};

use super::failure;
use crate::{error::Error, suite::SuiteArg};

#[derive(Args)]
pub(super) struct FormatArgs {
    /// The format to write
    #[arg(long, value_name = "FORMAT", default_value = "age")]
    format: Format,
    /// For cobblestone: the KDF and AEAD that wrap the file's secret, such as
    /// HKDF-SHA384,AES-256-GCM; the KEM is that of each recipient's key
    #[arg(long, value_name = "KDF,AEAD")]
    suite: Option<SuiteArg>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The age format, which age, rage and others read
    Age,
    /// For pqseal only: keys of any KEM and suite, AES-256-GCM in chunks of 16 KiB
    Cobblestone,
    /// The same with AES-128-GCM
    #[value(name = "cobblestone-128")]
    Cobblestone128,
}

impl FormatArgs {
    /// Returns the suffix of encrypted files.
    pub(super) fn suffix(&self) -> &'static str {
        match self.cipher() {
            None => "age",
            Some(_) => "pqseal",
        }
    }

    /// Reports whether files are in the age format.
    pub(super) fn is_age(&self) -> bool {
        self.format == Format::Age
    }

    /// Generates a content key, and returns its header with it.
    pub(super) fn header(
        &self,
        recipients: &[&dyn Recipient],
        room: Room,
        options: &object::Options,
    ) -> Result<(Vec<u8>, ContentKey), Error> {
        let made = ContentKey::generate(self.cipher()).and_then(|key| {
            let header = key.header(recipients, room, options)?;
            Ok((header.expect("there is no limit of length"), key))
        });
        made.map_err(|error| failure::of_recipients(&error))
    }

    /// Returns the options of wrapping an object's secret, with the suite that was asked
    /// for.
    pub(super) fn options(
        &self,
        recipients: &[&dyn Recipient],
        options: object::Options,
    ) -> Result<object::Options, Error> {
        let Some(suite) = self.suite else {
            return Ok(options);
        };
        if self.is_age() {
            return Err(Error::usage(
                "--suite is for --format cobblestone; the age format has its own suites",
            ));
        }
        let mut options = options;
        for key in recipients.iter().filter_map(|one| one.public_key()) {
            let id = suite.of_key(key.kem())?;
            (options.kdf, options.aead) = (id.kdf, id.aead);
        }
        Ok(options)
    }

    fn cipher(&self) -> Option<Cipher> {
        match self.format {
            Format::Age => None,
            Format::Cobblestone => Some(Cipher::Aes256Gcm),
            Format::Cobblestone128 => Some(Cipher::Aes128Gcm),
        }
    }
}
