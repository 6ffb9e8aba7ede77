//! `pqseal tls`: servers' key exchange, and keys for Encrypted Client Hello.

mod ech_keygen;
mod probe;

use clap::{Args, Subcommand};

use crate::error::{Error, Exit};

/// The arguments of `pqseal tls`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::TLS))]
pub struct Tls {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Probe(probe::Probe),
    EchKeygen(ech_keygen::EchKeygen),
}

impl Tls {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.action {
            Action::Probe(probe) => probe.run(json),
            Action::EchKeygen(keygen) => keygen.run(json).map(|()| Exit::Done),
        }
    }
}
