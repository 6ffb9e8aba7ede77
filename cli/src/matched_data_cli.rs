//! The interface of matched-data-cli 0.6.0, so that scripts need no change: the same arguments,
//! standard output, exit codes and messages. Unlike it, this accepts versions 1 and 2, base64 that
//! is wrapped, indented, unpadded or of the URL alphabet, keys in any format, and `truncated` with
//! a line break. Where it panics, this reports an error.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Read, Write},
    process::ExitCode,
    str,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use getrandom::SysRng;
use pqseal_hpke::{AnyPrivateKey, Policy};
use pqseal_keys::{KeyError, KeyFormat, KeyText, kem_by_name};
use pqseal_matched_data::{Error, Frame, OpenerV1to3, Trailing};

use crate::{
    blobs,
    error::{Exit, warn},
    input::Source,
    keyfile,
    output::to_stdout,
    passphrase::Passphrase,
    record::whole_blob,
};

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
    Decrypt(Decrypt),
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

#[derive(Args)]
#[command(
    override_usage = "matched-data-cli decrypt [OPTIONS] -k <PRIVATE_KEY_FILENAME> <MATCHED_DATA_FILENAME>"
)]
struct Decrypt {
    /// File containing the base64 encoded encrypted matched data, or - for standard input
    #[arg(required_unless_present_any = OLD)]
    matched_data_filename: Option<Source>,
    /// File containing the private key, or - for standard input
    #[arg(short = 'k', long, required_unless_present_any = OLD)]
    private_key_filename: Option<Source>,
    /// Output format of matched data
    #[arg(
        short,
        long,
        value_enum,
        value_name = "format",
        default_value = "utf8-lossy"
    )]
    output_format: Format,
    // The options of releases before 0.5.0, recognised to report their replacement.
    #[arg(short = 'd', long, hide = true)]
    matched_data: Option<String>,
    #[arg(long, hide = true)]
    private_key: Option<String>,
    #[arg(long, hide = true)]
    private_key_stdin: bool,
}

/// The arguments of earlier releases. It does not matter which of them are given.
const OLD: [&str; 3] = ["matched_data", "private_key", "private_key_stdin"];

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Raw,
    Utf8Lossy,
}

impl Decrypt {
    /// Reads, checks and reports in the order of the existing tool, since only the first error is
    /// reported.
    fn run(self) -> Result<(), Failure> {
        let (data, key) = self.sources()?;
        let key = read_key(key)?;
        let (read, failed) = match data {
            Source::Stdin => (read_stdin(), "Failed to read matched data from stdin"),
            Source::File(path) => (fs::read(path), "Failed to read matched data from file"),
        };
        let text = read.map_err(|_| failed)?;
        str::from_utf8(&text).map_err(|_| failed)?;
        let (blob, ignored) = blobs::first(&text);
        if ignored {
            warn(
                "ignored_lines",
                "only the first line is decrypted and the rest ignored; `pqseal open` decrypts every line",
            );
        }
        let plaintext = blob.map_err(message).and_then(|blob| decrypt(&blob, key))?;
        let output = match self.output_format {
            Format::Raw => plaintext,
            Format::Utf8Lossy => format!("{}\n", String::from_utf8_lossy(&plaintext)).into_bytes(),
        };
        Ok(to_stdout(&output).map_err(|_| "Failed to output matched data")?)
    }

    fn sources(&self) -> Result<(&Source, &Source), Failure> {
        let old =
            self.matched_data.is_some() || self.private_key.is_some() || self.private_key_stdin;
        match (&self.matched_data_filename, &self.private_key_filename) {
            (Some(data), Some(key)) if !old && [data, key] == [&Source::Stdin; 2] => Err(usage(
                "Only one of private key and matched data can come from stdin; put the other in a file",
            )),
            (Some(data), Some(key)) if !old => Ok((data, key)),
            _ => Err(usage(
                "Keys and matched data are given in files since 0.5.0: \
                 matched-data-cli decrypt -k PRIVATE_KEY_FILE MATCHED_DATA_FILE (or - for stdin)",
            )),
        }
    }
}

/// Reads the key. The outer error is reported immediately, the inner one after the matched data was
/// checked.
fn read_key(source: &Source) -> Result<Result<AnyPrivateKey, Failure>, Failure> {
    let file = keyfile::read_secret_bytes(source, &Passphrase::default()).map_err(|error| {
        let hint = if error.exit == Exit::Usage || error.code == "wrong_passphrase" {
            format!(": {}", error.message)
        } else {
            String::new()
        };
        Failure {
            message: format!("Failed to read private key from file{hint}"),
            exit: 1,
        }
    })?;
    if KeyText::new(&file)
        .ok()
        .and_then(|file| file.text())
        .is_none()
    {
        return Err("Failed to read private key from file".into());
    }
    match pqseal_keys::read_private(&file, None) {
        Err(KeyError::Base64(_)) => Err("Provided private key is not base64 encoded".into()),
        key => Ok(key.map_err(|_| "Provided private key is invalid".into())),
    }
}

/// Reads standard input. On a terminal one line that is a complete blob is enough, so that Enter
/// ends a paste as in the existing tool.
fn read_stdin() -> io::Result<Vec<u8>> {
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    if io::stdin().is_terminal() {
        stdin.read_until(b'\n', &mut bytes)?;
        if whole_blob(&bytes).is_some() {
            return Ok(bytes);
        }
    }
    stdin.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn decrypt(blob: &[u8], key: Result<AnyPrivateKey, Failure>) -> Result<Vec<u8>, Failure> {
    let frame = Frame::parse(blob, Trailing::Ignore);
    if let Err(error @ (Error::Empty | Error::UnsupportedVersion(_))) = frame {
        return Err(message(error));
    }
    let opener = OpenerV1to3::new(&key?).map_err(|_| "Provided private key is invalid")?;
    opener.open(&frame.map_err(message)?).map_err(message)
}

/// Returns the message of the existing tool.
fn message(error: Error) -> Failure {
    match error {
        Error::Empty => "Provided matched data is empty".into(),
        Error::Truncated => "The payload match for this event is unavailable because it was too large.".into(),
        Error::Base64(_) => "Provided matched data is not base64 encoded".into(),
        Error::UnsupportedVersion(4) => {
            "Encryption format not supported by this tool, expected '1', '2' or '3', got '4'; use `pqseal open`".into()
        }
        Error::UnsupportedVersion(version) => {
            let message = format!("Encryption format not supported, expected '1', '2' or '3', got '{version}'");
            Failure { message, exit: 1 }
        }
        Error::TooShort { .. } | Error::TrailingBytes(_) => "Provided matched data is invalid".into(),
        _ => "Failed to decrypt matched data".into(),
    }
}

fn usage(message: &str) -> Failure {
    Failure {
        message: message.to_owned(),
        exit: 2,
    }
}
