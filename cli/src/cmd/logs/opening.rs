//! The fields and keys of `pqseal logs open` and `pqseal logs serve`.

use clap::Args;
use pqseal_pipeline::Opener;
use pqseal_records::Rules;
use pqseal_sealed::Kind;

use super::fields::Fields;
use crate::{
    binding::{AllowExperimental, MinVersion},
    error::Error,
    input::Source,
    keyring::{Commands, Keys},
    passphrase::Passphrase,
};

/// The keys, the fields, and the context that blobs are bound to.
#[derive(Args)]
pub(super) struct Opening {
    /// A file with private keys in any format, one after another, or with a private calendar, `-`
    /// for standard input, or a folder of such files; repeat it to give several. `#` starts a comment. A comment next to a
    /// key, or on the line above it, becomes its label in counters and dead letters
    #[arg(
        short,
        long = "key",
        value_name = "KEYFILE-OR-FOLDER",
        required_unless_present_any = ["key_command", "decap_command"]
    )]
    pub(super) keys: Vec<Source>,
    #[command(flatten)]
    pub(super) passphrase: Passphrase,
    #[command(flatten)]
    commands: Commands,
    #[command(flatten)]
    pub(super) fields: Fields,
    /// Open a field although its result is already there, and replace that result, or remove it if
    /// the field does not open. If not given, such fields are skipped, and their records counted
    #[arg(long)]
    pub(super) again: bool,
    /// The application context (HPKE info) that version 4 blobs were sealed with
    #[arg(long, value_name = "TEXT")]
    pub(super) info: Option<String>,
    #[command(flatten)]
    pub(super) experimental: AllowExperimental,
    #[command(flatten)]
    pub(super) min_version: MinVersion,
}

impl Opening {
    /// Loads the keys, as they are now.
    ///
    /// # Errors
    /// If one cannot be used.
    pub(super) fn keys(&self) -> Result<Keys, Error> {
        let mut keys = Keys::load(&self.keys, &self.commands, &self.passphrase)?;
        self.min_version.apply(&mut keys.ring);
        Ok(keys)
    }

    /// Returns an opener with these keys, whose ring is taken.
    ///
    /// # Errors
    /// If an RSA key cannot be used.
    pub(super) fn opener(&self, keys: &mut Keys) -> Result<Opener, Error> {
        let others = keys.for_others()?;
        let ring = std::mem::take(&mut keys.ring);
        let opener = Opener::bound(ring, self.info(), self.experimental.policy());
        Ok(opener.with_others(others, self.kind()?))
    }

    /// Returns the kind of all sealed values; `None` if it is detected.
    pub(super) fn kind(&self) -> Result<Option<Kind>, Error> {
        Kind::required(self.fields.kind(), self.min_version.get()).map_err(|other| {
            Error::usage(format!(
                "--min-version is for matched data, and values of the kind {other} are bound to no record; leave one out"
            ))
        })
    }

    /// Returns the rules for the fields.
    ///
    /// # Errors
    /// If the fields cannot be opened together.
    pub(super) fn rules(&self) -> Result<Rules, Error> {
        let json = Kind::json_values(self.kind()?);
        let rules = self.fields.rules()?;
        Ok(Rules {
            json,
            again: self.again,
            ..rules
        })
    }

    /// Returns the info that blobs are bound to.
    pub(super) fn info(&self) -> Vec<u8> {
        self.info.clone().unwrap_or_default().into_bytes()
    }
}
