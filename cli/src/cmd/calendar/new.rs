//! `pqseal calendar new`.

use std::{
    io::{self, Write},
    path::Path,
};

use clap::Args;
use getrandom::SysRng;
use pqseal_atomic_file::{Overwrite, folder_of, sync_folder};
use pqseal_hpke::DynKem;
use pqseal_keys::calendar::{self, Calendar, PeriodLength, Plan};
use zeroize::Zeroizing;

use super::{file, period};
use crate::{
    error::Error,
    file::Recipients,
    input::one_stdin,
    output::{FileMode, Target, to_stdout},
    passphrase::Passphrase,
    suite,
};

/// Make a calendar: a key pair for each day, hour or week
///
/// The private calendar goes to a new file that only its owner can read, and the public one to
/// standard output. A machine that seals needs only the public one.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR_NEW))]
pub(super) struct New {
    /// The first day, such as 2026-12-01; for hours it may be a time in UTC, such as
    /// 2026-12-01T05:00Z, and for weeks it must be a Monday
    #[arg(long, value_name = "DATE", value_parser = period::parse)]
    from: u64,
    /// How many days the calendar has; for weeks a multiple of 7
    #[arg(long, value_name = "N")]
    days: usize,
    /// How long a period is: hour, day or week, in UTC
    #[arg(long, value_name = "LENGTH", default_value = "day")]
    period: PeriodLength,
    /// The key encapsulation mechanism of all keys; `pqseal suites` lists them
    #[arg(long, value_name = "NAME", default_value = "mlkem768-x25519", value_parser = suite::kem)]
    kem: &'static DynKem,
    /// The name of the calendar; if not given, that of the file before its first dot
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    #[command(flatten)]
    recipients: Recipients,
    /// Encrypt the private calendar with a new passphrase, as an armored age file
    #[arg(long)]
    encrypt: bool,
    #[command(flatten)]
    passphrase: Passphrase,
    /// Write the private calendar to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE", required = true)]
    output: Target,
}

impl New {
    pub(super) fn run(self) -> Result<(), Error> {
        let read = self.recipients.sources().iter();
        one_stdin(read.chain(self.passphrase.source()))?;
        let Target::File(path) = &self.output else {
            return Err(Error::usage(
                "the public calendar goes to standard output, so name a file for the private calendar with -o",
            ));
        };
        if !self.encrypt && self.passphrase.source().is_some() {
            return Err(Error::usage(
                "--passphrase-file needs --encrypt; add --encrypt, or leave --passphrase-file out",
            ));
        }
        let calendar = self.generate(path)?;
        let public = calendar.public(0..calendar.count()).map_err(not_made)?;
        let bytes = self.closed(&calendar)?;
        self.output
            .write(&bytes, FileMode::Owner, Overwrite::Refuse)?;
        // The private keys are on the disk before anyone can seal to them.
        sync_folder(folder_of(path)).map_err(|error| Error::io("sync the folder", &error))?;
        to_stdout(public.as_str().as_bytes())?;
        let _ = writeln!(io::stderr(), "fingerprint: {}", calendar.fingerprint());
        Ok(())
    }

    fn generate(&self, path: &Path) -> Result<Calendar, Error> {
        let name = || {
            let name = path.file_name()?.to_str()?.split('.').next()?;
            Some(name.to_owned()).filter(|name| !name.is_empty())
        };
        let name = self.name.clone().or_else(name);
        let plan = Plan {
            kem: self.kem,
            length: self.period,
            start: self.from,
            count: period::count(self.days, self.period)?,
            name: name.as_deref().unwrap_or("logs"),
        };
        Calendar::generate(&plan, &mut SysRng).map_err(not_made)
    }

    fn closed(&self, calendar: &Calendar) -> Result<Zeroizing<Vec<u8>>, Error> {
        let recipients = self.recipients.read()?;
        let text = calendar.as_str();
        match (self.encrypt, recipients.is_empty()) {
            (true, false) => Err(Error::usage(
                "-r and --encrypt exclude each other; leave one of them out",
            )),
            (true, true) => self.passphrase.seal(text.as_bytes()),
            (false, true) => Ok(Zeroizing::new(text.as_bytes().to_vec())),
            (false, false) => {
                let recipients: Vec<_> = recipients.iter().map(AsRef::as_ref).collect();
                file::sealed(text, &recipients)
            }
        }
    }
}

/// Converts the error of a calendar that was not made.
pub(super) fn not_made(error: calendar::Error) -> Error {
    match error {
        calendar::Error::NotAStart => Error::usage(
            "--from must be the start of a period in UTC: a day, for hours a whole hour, for weeks a Monday",
        ),
        error if error.code() == pqseal_keys::BAD_ARGUMENT => Error::usage(error.to_string()),
        calendar::Error::TooManyPeriods | calendar::Error::Header(_) => {
            Error::usage(error.to_string())
        }
        error => Error::calendar("memory", &error),
    }
}
