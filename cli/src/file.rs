//! `pqseal file`: files in the age format (age-encryption.org/v1), and in pqseal's own for large
//! objects.
//!
//! A run passes: names -> `plan` (an output for each input) -> one file at a time -> `place` (an
//! output that appears complete or not at all). The crate `pqseal-age` implements the formats.

mod decrypt;
mod encrypt;
mod failure;
mod format;
mod identities;
pub mod inspect;
mod journal;
mod keygen;
mod keys;
mod meter;
mod place;
mod plan;
mod plugins;
mod printable;
mod range;
mod rekey;
mod threads;
mod work;

use clap::{Args, Subcommand};

pub use identities::Identities;
pub use keygen::{NewIdentity, new_identity};
pub use keys::Recipients;

use work::{
    check_growth, check_keys, finished, is_regular, open_input, overwrite, position, run_all,
    sources,
};

use crate::error::{Error, Exit};

/// The arguments of `pqseal file`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::FILE))]
pub struct File {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Encrypt(Box<encrypt::Encrypt>),
    Decrypt(Box<decrypt::Decrypt>),
    Inspect(inspect::Inspect),
    Rekey(Box<rekey::Rekey>),
    Keygen(keygen::Keygen),
}

impl File {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.action {
            Action::Encrypt(encrypt) => encrypt.run(json),
            Action::Decrypt(decrypt) => decrypt.run(json),
            Action::Inspect(inspect) => inspect.run(json),
            Action::Rekey(rekey) => rekey.run(json),
            Action::Keygen(keygen) => keygen.run().map(|()| Exit::Done),
        }
    }
}
