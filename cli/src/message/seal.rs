//! The arguments of `seal`, and the recipients.

use std::{ffi::OsString, path::Path};

use clap::Args;
use pqseal_atomic_file::Overwrite;
use pqseal_formats::{ALGORITHMS, Algorithm, KeyManagement, PublicKey};

use super::{Shared, by_name};
use crate::{
    error::Error,
    input::{Source, one_stdin},
    keyfile,
    output::{FileMode, Target},
    places::Places,
    recipient::recipient,
};

/// The arguments of `seal` in both formats.
#[derive(Args)]
pub struct SealArgs {
    /// A recipient's public key: base64 (x25519), a pqseal-public-key line, or a file with a key in
    /// any format; repeat it for several recipients. The message names the `kid` of a JWK or
    /// COSE_Key
    #[arg(long, value_name = "PUBLIC-KEY-OR-FILE", required = true)]
    to: Vec<String>,
    /// The algorithm, such as HPKE-9, or HPKE-9-KE for several recipients; not needed if the key's
    /// file names it, or if there is only one for its KEM
    #[arg(long, value_name = "NAME", value_parser = by_name)]
    alg: Option<Algorithm>,
    #[command(flatten)]
    pub shared: Shared,
    /// Write to this file; it appears only when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// What to encrypt
    #[arg(value_name = "FILE", default_value = "-")]
    pub input: Source,
}

impl SealArgs {
    /// Checks standard input and the output, before anything is read.
    ///
    /// # Errors
    /// If standard input would be read twice, or a key overwritten.
    pub fn check(&self, others: &[&Source]) -> Result<(), Error> {
        let to: Vec<_> = self.to.iter().map(|to| OsString::from(to).into()).collect();
        let sources = to.iter().chain([&self.input]).chain(self.shared.sources());
        one_stdin(sources.chain(others.iter().copied()))?;
        keyfile::protect(self.output.as_ref(), &to)
    }

    /// Checks another output, that of `option`.
    ///
    /// # Errors
    /// If a key would be overwritten, or the message goes to the same place.
    pub fn check_output(&self, option: &'static str, target: &Target) -> Result<(), Error> {
        let to: Vec<_> = self.to.iter().map(|to| OsString::from(to).into()).collect();
        let mut places = Places::default();
        places.add("-o", self.target())?;
        places.add(option, target)?;
        keyfile::protect_from(option, false, target, &to)
    }

    /// Returns the output of the message.
    pub fn target(&self) -> &Target {
        self.output.as_ref().unwrap_or(&Target::Stdout)
    }

    /// Reports whether there are several recipients.
    pub const fn several(&self) -> bool {
        self.to.len() > 1
    }

    /// Reads the recipients' keys, each with its algorithm.
    ///
    /// # Errors
    /// If one is not a key, or its algorithm is not known.
    pub fn recipients(&self) -> Result<Vec<(Algorithm, PublicKey)>, Error> {
        let recipient = |to: &String| {
            let key = read(to).map_err(Error::stops)?;
            Ok((self.algorithm(&key)?, key))
        };
        self.to.iter().map(recipient).collect()
    }

    fn algorithm(&self, key: &PublicKey) -> Result<Algorithm, Error> {
        if let Some(alg) = self.alg.or(key.alg()) {
            return Ok(alg);
        }
        let mode = match self.several() {
            true => KeyManagement::KeyEncryption,
            false => KeyManagement::Integrated,
        };
        let of_kem: Vec<_> = ALGORITHMS
            .iter()
            .filter(|alg| alg.suite_id().kem == key.key().kem().id && alg.mode() == mode)
            .collect();
        match of_kem[..] {
            [alg] => Ok(*alg),
            [] => Err(Error::usage(format!(
                "there is no algorithm for a key of {}; `pqseal jwe --help` lists the algorithms",
                key.key().kem().short_name
            ))),
            _ => Err(Error::usage(format!(
                "the key does not name its algorithm; add --alg and {}",
                super::one_of(of_kem.iter().map(|alg| alg.name()))
            ))),
        }
    }

    /// Writes the message.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, message: &[u8]) -> Result<(), Error> {
        self.target()
            .write(message, FileMode::Umask, Overwrite::Allow)
    }
}

/// Reads the public key that `--to` names or is.
fn read(to: &str) -> Result<PublicKey, Error> {
    let source = Source::from(OsString::from(to));
    match source == Source::Stdin || Path::new(to).exists() {
        true => keyfile::public_with_use(&source, None),
        false => recipient(to).map(PublicKey::new),
    }
}
