//! `pqseal file rekey`: changes the recipients of a payload, which is not decrypted.

mod change;
mod locked;

use std::path::{Path, PathBuf};

use clap::Args;
use pqseal_age::{AnyHeader, Input, keys::AnyRecipient};

use super::{
    decrypt, encrypt, failure,
    identities::{Identities, Keys},
    keys::Recipients,
};
use crate::{
    error::{Error, Exit, warn},
    input::{Source, one_stdin},
    output::Target,
    signals,
};
use change::Change;
use locked::Locked;

/// Change the recipients of encrypted files without decrypting their payload
///
/// All recipients are replaced by those given. The file key stays the same, so anyone who could
/// decrypt the old file and kept its key can still read the new one. To withdraw access, encrypt
/// again.
///
/// A file that was encrypted with --reserve is changed in place if the new header fits. Both
/// headers are kept as FILE.pqseal-header until the new one is on the disk; if that is interrupted,
/// the next rekey restores the old one. Any other file is written again as a whole; the system
/// copies the payload. If the old file had room in its header, the new one has too.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::FILE_REKEY))]
pub(super) struct Rekey {
    #[command(flatten)]
    identities: Identities,
    #[command(flatten)]
    recipients: Recipients,
    /// Leave room in the header if the whole file is written again, as --reserve of `pqseal file
    /// encrypt` does; not in armored files
    #[arg(long)]
    reserve: bool,
    /// Write to this file, and leave FILE as it is
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
    /// Replace OUT if it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// The encrypted files
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,
}

impl Rekey {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        if self.output.is_some() && self.inputs.len() > 1 {
            return Err(Error::usage(
                "-o takes one file; rekey the files one at a time",
            ));
        }
        if self.inputs.iter().any(|input| input.as_os_str() == "-") {
            return Err(Error::usage(
                "rekey changes a file in place, so it cannot take standard input (`-`); name the file",
            ));
        }
        let keys = self.recipients.sources().iter();
        one_stdin(self.identities.sources().chain(keys.clone()))?;
        if let Some(output) = &self.output {
            super::check_keys(output, self.identities.sources().chain(keys))?;
        }
        let recipients = self.recipients.read()?;
        let identities = self.identities.read()?;
        encrypt::check(&recipients)?;
        signals::before_the_end(|| {}).map_err(|error| Error::io("handle signals", &error))?;
        let (mut exit, mut is_any_changed) = (Exit::Done, false);
        for path in &self.inputs {
            match self.one(path, &identities, &recipients) {
                Ok(()) => is_any_changed = true,
                Err(error) => {
                    error.report(json);
                    exit = error.exit;
                }
            }
        }
        if is_any_changed {
            warn(
                "same_file_key",
                "anyone who could decrypt the old file and kept its file key can still read the new one; encrypt again to withdraw that",
            );
        }
        Ok(exit)
    }

    fn one(
        &self,
        path: &Path,
        identities: &Keys<'_>,
        recipients: &[AnyRecipient],
    ) -> Result<(), Error> {
        let name = Source::File(path.to_owned());
        let locked = match &self.output {
            None => Some(Locked::open(&name, path)?),
            Some(output) => {
                super::check_growth(&name, output)?;
                None
            }
        };
        let mut input = match &locked {
            Some(locked) => locked.input(&name)?,
            None => decrypt::open(&name)?,
        };
        let is_shown = self.output.as_ref().is_some_and(Target::is_terminal);
        if is_shown && matches!(input, Input::Binary(_)) {
            return Err(Error::usage(
                "the output is binary, which a terminal cannot show; name a file with -o",
            ));
        }
        let old = AnyHeader::read(&mut input);
        let old = old.map_err(|error| failure::of_file(&name, &error))?;
        let options = self.recipients.object_options();
        let key = identities.open(&name, &old, &options.policy)?;
        let change = Change {
            name: &name,
            old,
            key,
            recipients: encrypt::as_refs(recipients),
            options,
            reserve: self.reserve,
        };
        match (&locked, &self.output) {
            (Some(locked), _) => change.under_its_name(input, locked),
            (None, output) => {
                let target = output.clone().unwrap_or(Target::Stdout);
                change.whole(input, &target, super::overwrite(self.force), None)
            }
        }
    }
}
