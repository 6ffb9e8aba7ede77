//! `pqseal cose`: COSE with HPKE (COSE-HPKE).

pub(super) mod inspect;
mod open;
mod seal;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::{
    error::Error,
    input::Source,
    message::{hex, text_or_file},
};

/// The arguments of `pqseal cose`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::COSE))]
pub struct Cose {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Seal(Box<seal::Seal>),
    Open(Box<open::Open>),
    Inspect(inspect::Inspect),
}

impl Cose {
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

/// The external_aad of a message.
#[derive(Args)]
struct External {
    /// Data that is authenticated and not sent (external_aad); the same value is required to open
    /// the message
    #[arg(long, value_name = "TEXT", conflicts_with = "aad_file")]
    aad: Option<String>,
    /// The same, from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    aad_file: Option<Source>,
}

impl External {
    fn sources(&self) -> Vec<&Source> {
        self.aad_file.iter().collect()
    }

    fn read(&self) -> Result<Vec<u8>, Error> {
        text_or_file(self.aad.as_ref(), self.aad_file.as_ref())
    }
}

/// Returns a header's byte string: as text if it is UTF-8, otherwise in hexadecimal digits after
/// `0x`.
fn bytes(name: &'static str, value: &[u8]) -> (&'static str, Value) {
    match std::str::from_utf8(value) {
        Ok(text) => (name, json!(text)),
        Err(_) => (name, json!(format!("0x{}", hex(value)))),
    }
}
