//! Uses a P-256 private key in a PKCS#11 token for `pqseal open --decap-command`: see
//! `README.md`.

#![forbid(unsafe_code)]

mod token;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::{Args, Parser, Subcommand};
use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{KeyFormat, decap_command::serve};
use zeroize::Zeroizing;

use token::Token;

/// Opens pqseal's blobs with a P-256 private key in a PKCS#11 token
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a key pair in the token, and print its public key for `pqseal seal --to`
    Keygen(Place),
    /// Answer the requests of `pqseal open --decap-command`
    Serve(Place),
}

/// The location of the key.
#[derive(Args)]
struct Place {
    /// The token's PKCS#11 module, such as /usr/lib/softhsm/libsofthsm2.so
    #[arg(long, value_name = "FILE")]
    module: PathBuf,
    /// The token's label
    #[arg(long, value_name = "LABEL")]
    token: String,
    /// The key's label
    #[arg(long, value_name = "LABEL")]
    key: String,
    /// A file with the token's user PIN in its first line
    #[arg(long, value_name = "FILE")]
    pin_file: PathBuf,
}

type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let run = match Arguments::parse().action {
        Action::Keygen(place) => keygen(&place),
        Action::Serve(place) => serve_token(&place),
    };
    run.map_or_else(
        |error| {
            eprintln!("pkcs11-helper: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn keygen(place: &Place) -> Result<(), Error> {
    let token = place.open()?;
    let public = token.generate(&place.key)?;
    print!("{}", pqseal_keys::write_public(&public, KeyFormat::Line)?);
    Ok(())
}

fn serve_token(place: &Place) -> Result<(), Error> {
    let key = place.open()?.key(&place.key)?;
    let key = AnyPrivateKey::external(key.public_key()?, Arc::new(key));
    Ok(serve(&key, io::stdin().lock(), io::stdout().lock())?)
}

impl Place {
    fn open(&self) -> Result<Token, Error> {
        Token::open(&self.module, &self.token, read_pin(&self.pin_file)?)
    }
}

fn read_pin(file: &Path) -> Result<Zeroizing<String>, Error> {
    let text = fs::read_to_string(file).map(Zeroizing::new);
    let text = text.map_err(|error| format!("cannot read the PIN file: {error}"))?;
    Ok(Zeroizing::new(
        text.lines().next().unwrap_or_default().to_owned(),
    ))
}
