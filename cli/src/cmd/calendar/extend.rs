//! `pqseal calendar extend`.

use clap::Args;
use getrandom::SysRng;

use super::{new::not_made, period, replace::Replaced};
use crate::{error::Error, output::to_stdout};

/// Add days to the end of a private calendar
///
/// Replaces the file as `shred` does, and then prints the public lines of the new periods, which are
/// to be appended to the public file. An encrypted file stays under its passphrase, unless -r or
/// --new-passphrase-file is given.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR))]
pub(super) struct Extend {
    /// How many days to add; for weeks a multiple of 7
    #[arg(long, value_name = "N")]
    days: usize,
    #[command(flatten)]
    replaced: Replaced,
}

impl Extend {
    pub(super) fn run(self) -> Result<(), Error> {
        let held = self.replaced.hold()?;
        let before = held.calendar.count();
        let days = period::count(self.days, held.calendar.period_length())?;
        let wrong = |error| match error {
            error @ (pqseal_keys::calendar::Error::Lent
            | pqseal_keys::calendar::Error::PublicOnly
            | pqseal_keys::calendar::Error::Cut) => Error::calendar(&self.replaced.file, &error),
            error => not_made(error),
        };
        let extended = held.calendar.extend(days, &mut SysRng).map_err(wrong)?;
        let public = extended.public(before..extended.count()).map_err(wrong)?;
        // The private keys are on the disk before anyone can seal to them.
        held.replace(&extended)?;
        to_stdout(public.lines_from(before).as_bytes())
    }
}
