//! The command line of `pqseal`.

use std::ffi::OsString;

use clap::{Parser, Subcommand, ValueEnum};
use envelope::keys::KeyForm;

use crate::{
    cmd,
    error::{Error, Exit},
    parse::{Deferred, parse},
    process,
};

/// Seal and open matched data by Hybrid Public Key Encryption (RFC 9180).
///
/// Whoever holds the public key can seal; only the holder of the private key can open. Standard input and output are used where no
/// file is named, and `-` names them.
#[derive(Parser)]
#[command(name = "pqseal", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Arguments {
    /// Write results and errors as JSON: one object a line, an error as {"error":{"code","message"}}
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  a blob does not open, or a key is not usable
  2  the command line is wrong
  3  a file or a stream cannot be read or written

Private keys come from files or standard input, never from arguments or the environment.";

#[derive(Subcommand)]
enum Command {
    Keygen(cmd::keygen::Keygen),
    Pubkey(cmd::pubkey::Pubkey),
    Seal(cmd::seal::Seal),
    Open(cmd::open::Open),
    #[command(about = cmd::logs::ABOUT)]
    Logs(Deferred<cmd::logs::Logs>),
    Inspect(cmd::inspect::Inspect),
    Suites(cmd::suites::Suites),
    Key(cmd::key::Key),
    Completions(cmd::completions::Completions),
    Man(cmd::man::Man),
}

/// Parses `arguments`, does what they ask for, reports what fails.
pub fn run(arguments: Vec<OsString>) -> Exit {
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    let parsed: Arguments = match parse(&arguments, wants_json, process::version) {
        Ok(parsed) => parsed,
        Err(exit) => return exit,
    };
    let json = parsed.json;
    parsed.command.run(json).unwrap_or_else(|error| {
        error.report(json);
        error.exit
    })
}

impl Command {
    fn run(self, json: bool) -> Result<Exit, Error> {
        match self {
            Self::Open(open) => return open.run(json),
            Self::Inspect(inspect) => return inspect.run(json),
            Self::Logs(Deferred(logs)) => return logs.run(),
            Self::Keygen(keygen) => keygen.run(json),
            Self::Pubkey(pubkey) => pubkey.run(json),
            Self::Seal(seal) => seal.run(),
            Self::Suites(suites) => suites.run(json),
            Self::Key(key) => key.run(),
            Self::Completions(completions) => completions.run(),
            Self::Man(man) => man.run(),
        }
        .map(|()| Exit::Done)
    }
}

/// The forms of keys, as they are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// PKCS#8 and SPKI, as OpenSSL reads and writes them
    Pem,
    /// JSON Web Key
    Jwk,
    /// The key-pair file of matched-data-cli (x25519)
    Json,
    /// The bare key in base64, as dashboards take an x25519 public key
    Raw,
    /// pqseal's own line with a checksum, for every KEM
    Line,
}

impl From<Form> for KeyForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Pem => Self::Pem,
            Form::Jwk => Self::Jwk,
            Form::Json => Self::Json,
            Form::Raw => Self::Raw,
            Form::Line => Self::Line,
        }
    }
}
