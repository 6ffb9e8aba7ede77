//! The interface of matched-data-cli 0.6.0, so that scripts need no change: the same arguments,
//! standard output, exit codes and messages. Unlike it, this accepts versions 1 and 2, base64 that
//! is wrapped, indented, unpadded or of the URL alphabet, keys in any format, and `truncated` with
//! a line break. Where it panics, this reports an error.

mod decrypt;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use getrandom::SysRng;
use pqseal_hpke::Policy;
use pqseal_keys::{KeyFormat, kem_by_name};

use crate::output::to_stdout;

/// Makes key pairs for matched data, and decrypts it
///
/// With the interface of matched-data-cli 0.6.0; `pqseal` does more.
#[derive(Parser)]
#[command(name = "matched-data-cli", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the matched data could not be decrypted, read or written
  2  the command line is wrong";

#[derive(Subcommand)]
enum Command {
    /// Generates a public-private key pair
    GenerateKeyPair(GenerateKeyPair),
    /// Decrypts data
    Decrypt(decrypt::Decrypt),
}

#[derive(Args)]
struct GenerateKeyPair {
    /// Output format of key pair
    #[arg(short, long, value_enum, value_name = "format", default_value = "json")]
    output_format: KeyPairFormat,
}

#[derive(Clone, Copy, ValueEnum)]
enum KeyPairFormat {
    Json,
}

/// A message, and the exit code.
struct Failure {
    message: String,
    exit: u8,
}

impl Options {
    /// Runs the command. Messages are quoted, as by a Rust program that ends with an `Err` of a
    /// string.
    pub fn run(self) -> ExitCode {
        let done = match self.command {
            Command::GenerateKeyPair(command) => command.run(),
            Command::Decrypt(command) => command.run(),
        };
        let Err(failure) = done else {
            return ExitCode::SUCCESS;
        };
        let _ = writeln!(io::stderr(), "Error: {:?}", failure.message);
        failure.exit.into()
    }
}

impl GenerateKeyPair {
    fn run(self) -> Result<(), Failure> {
        let KeyPairFormat::Json = self.output_format;
        let failed = "Failed to generate key pair";
        let kem = kem_by_name("x25519").map_err(|_| failed)?;
        let (private, _) =
            pqseal_keys::generate(kem, &Policy::standard(), &mut SysRng).map_err(|_| failed)?;
        let pair = pqseal_keys::write_private(&private, KeyFormat::Json).map_err(|_| failed)?;
        Ok(to_stdout(pair.as_bytes()).map_err(|_| "Failed to output key pair")?)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            exit: 1,
        }
    }
}
