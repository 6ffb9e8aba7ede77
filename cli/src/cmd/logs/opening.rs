//! The fields and keys of `pqseal logs open` and `pqseal logs serve`.

use clap::Args;
use pqseal_matched_data::KeyRing;
use pqseal_pipeline::Opener;

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

    /// Returns an opener with the keys of `ring`.
    pub(super) fn opener(&self, ring: KeyRing) -> Opener {
        Opener::bound(ring, self.info(), self.experimental.policy())
    }

    /// Returns the info that blobs are bound to.
    pub(super) fn info(&self) -> Vec<u8> {
        self.info.clone().unwrap_or_default().into_bytes()
    }
}
