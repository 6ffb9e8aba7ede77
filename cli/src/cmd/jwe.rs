//! `pqseal jwe`: JSON Web Encryption with HPKE (JOSE-HPKE).

pub(super) mod inspect;
mod open;
mod seal;

use clap::{Args, Subcommand};

use crate::error::Error;

/// The arguments of `pqseal jwe`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::JWE))]
pub struct Jwe {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Seal(Box<seal::Seal>),
    Open(Box<open::Open>),
    Inspect(inspect::Inspect),
}

impl Jwe {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        match self.action {
            Action::Seal(seal) => seal.run(),
            Action::Open(open) => open.run(json),
            Action::Inspect(inspect) => inspect.run(json),
        }
    }
}
