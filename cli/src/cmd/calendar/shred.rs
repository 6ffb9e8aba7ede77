//! `pqseal calendar shred`.

use std::io::{self, Write};

use clap::Args;

use super::{period, replace::Replaced, unreached};
use crate::error::Error;

/// Delete the private keys of the periods before a date
///
/// What was sealed in these periods can no longer be opened with this file. The file is replaced,
/// and the old one is overwritten. Copies that this cannot reach are named. An encrypted file stays
/// under its passphrase, unless -r or --new-passphrase-file is given; a new passphrase or recipient
/// also makes old copies of the file useless, once the old one is forgotten.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR_SHRED))]
pub(super) struct Shred {
    /// The first period that stays, by its start; the end of the calendar shreds everything
    #[arg(long, value_name = "DATE", value_parser = period::parse)]
    before: u64,
    #[command(flatten)]
    replaced: Replaced,
}

impl Shred {
    pub(super) fn run(self) -> Result<(), Error> {
        let held = self.replaced.hold()?;
        let calendar = &held.calendar;
        let before = period::index(calendar, "--before", self.before)?;
        let shredded = calendar.shred(before);
        let shredded = shredded.map_err(|error| Error::calendar(&self.replaced.file, &error))?;
        let gone = calendar.present().count() - shredded.present().count();
        let described = period::described(gone, calendar.period_length());
        let path = held.path.clone();
        held.replace(&shredded)?;
        let _ = writeln!(io::stderr(), "shredded: {described}");
        unreached::warn_of(&path);
        Ok(())
    }
}
