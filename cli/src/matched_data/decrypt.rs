//! `matched-data-cli decrypt`.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Read},
    str,
};

use clap::{Args, ValueEnum};
use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{KeyError, KeyText};
use pqseal_matched_data::{Error, Frame, Opener, Trailing};

use super::Failure;
use crate::{
    blobs,
    error::{Exit, warn},
    input::Source,
    keyfile,
    output::to_stdout,
    passphrase::Passphrase,
    whole,
};

/// The arguments.
#[derive(Args)]
#[command(
    override_usage = "matched-data-cli decrypt [OPTIONS] -k <PRIVATE_KEY_FILENAME> <MATCHED_DATA_FILENAME>"
)]
pub(super) struct Decrypt {
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

/// The old arguments. It does not matter which of them are given.
const OLD: [&str; 3] = ["matched_data", "private_key", "private_key_stdin"];

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Raw,
    Utf8Lossy,
}

impl Decrypt {
    /// Reads, checks and reports in the order of the existing tool, since only the first error is
    /// reported.
    pub(super) fn run(self) -> Result<(), Failure> {
        let (data, key) = self.sources()?;
        let key = read_key(key)?;
        let text = read_data(data)?;
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

fn read_data(source: &Source) -> Result<Vec<u8>, Failure> {
    let (read, failed) = match source {
        Source::Stdin => (read_stdin(), "Failed to read matched data from stdin"),
        Source::File(path) => (fs::read(path), "Failed to read matched data from file"),
    };
    let bytes = read.map_err(|_| failed)?;
    str::from_utf8(&bytes).map_err(|_| failed)?;
    Ok(bytes)
}

/// Reads standard input. On a terminal one line that is a complete blob is enough, so that Enter
/// ends a paste as in the existing tool.
fn read_stdin() -> io::Result<Vec<u8>> {
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    if io::stdin().is_terminal() {
        stdin.read_until(b'\n', &mut bytes)?;
        if whole::blob(&bytes).is_some() {
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
    let opener = Opener::new(&key?).map_err(|_| "Provided private key is invalid")?;
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
