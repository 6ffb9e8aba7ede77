//! `pqseal calendar lend`.

use std::io::{self, Write};

use clap::Args;
use pqseal_atomic_file::Overwrite;

use super::{
    file::{self, For, Lock},
    period,
};
use crate::{
    error::{Error, Exit},
    file::Identities,
    input::{Source, one_stdin},
    keyfile,
    output::{FileMode, Target},
};

/// Write a calendar with the private keys of a few periods
///
/// Anyone who gets the file can open what was sealed in these periods, and it cannot be taken back.
/// Every other period, at least one, is without its key. With -r the file is sealed to its reader.
/// Without, it is in the clear, even if the calendar is encrypted.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR_LEND))]
pub(super) struct Lend {
    /// The first period to lend, by its start
    #[arg(long, value_name = "DATE", value_parser = period::parse)]
    from: u64,
    /// The last period to lend, by its start
    #[arg(long, value_name = "DATE", value_parser = period::parse)]
    to: u64,
    #[command(flatten)]
    new: For,
    #[command(flatten)]
    identities: Identities,
    /// Write to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE", required = true)]
    output: Target,
    /// The private calendar
    #[arg(value_name = "FILE")]
    file: Source,
}

impl Lend {
    pub(super) fn run(self) -> Result<(), Error> {
        let read = self.identities.sources().chain(self.new.sources());
        one_stdin([&self.file].into_iter().chain(read))?;
        keyfile::protect(Some(&self.output), std::slice::from_ref(&self.file))?;
        let (calendar, _) = file::read(&self.file, &self.identities)?;
        let periods = period::range(&calendar, Some(self.from), Some(self.to))?;
        let asked = periods.len();
        let lent = calendar.lend(periods);
        let lent = lent.map_err(|error| Error::calendar(&self.file, &error))?;
        let count = lent.present().count();
        if count == 0 {
            return Err(Error {
                exit: Exit::Incomplete,
                code: "key_shredded",
                message: format!("{} has no keys of these periods", self.file),
            });
        }
        if !lent.is_lent() {
            return Err(Error::refused(format!(
                "these are all keys that {} has, so the new file would be a copy of it and not a lent calendar; leave out a period, or copy the file",
                self.file
            )));
        }
        let bytes = Lock::Clear.close(&lent, &self.new)?;
        self.output
            .write(&bytes, FileMode::Owner, Overwrite::Refuse)?;
        let described = period::described(count, calendar.period_length());
        let without = match asked - count {
            0 => String::new(),
            without => format!("; {without} more have no key"),
        };
        let _ = writeln!(io::stderr(), "lent: {described}{without}");
        Ok(())
    }
}
