//! `pqseal calendar`: key pairs for each day, hour or week, in files in the clear,
//! under a passphrase, or sealed to age recipients.

mod replace;
mod show;

use std::{
    io::{self, Write},
    ops::Range,
    path::Path,
};

use clap::{Args, Subcommand};
use getrandom::SysRng;
use pqseal_age::{
    ArmorWriter, Encryptor, Identity, PassphraseIdentity, PassphraseRecipient, Recipient,
};
use pqseal_atomic_file::{Overwrite, folder_of, sync_folder};
use pqseal_hpke::DynKem;
use pqseal_keys::calendar::{self, Calendar, PeriodLength, Plan, date};
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    calendar::warn_of_state,
    error::{Error, Exit},
    escape,
    file::{Identities, Recipients},
    input::{Source, one_stdin, warn_if_others_read},
    keyfile,
    output::{FileMode, Target, to_stdout},
    parse::{Example, help},
    passphrase::{self, Passphrase},
    suite,
};

/// The arguments of `pqseal calendar`.
#[derive(Args)]
#[command(after_long_help = help(&EXAMPLES))]
pub struct CalendarCommand {
    #[command(subcommand)]
    action: Action,
}

/// The examples of the command, and of subcommands that have none of their own.
const EXAMPLES: [Example; 3] = [
    (
        "Two years of days",
        "pqseal calendar new --from 2026-12-01 --days 730 -o logs.calendar > logs.calendar.pub",
    ),
    (
        "Shred everything before December 2027",
        "pqseal calendar shred logs.calendar --before 2027-12-01",
    ),
    (
        "Check that two files fit",
        "pqseal calendar check logs.calendar logs.calendar.pub",
    ),
];

#[derive(Subcommand)]
enum Action {
    New(Box<New>),
    Public(Public),
    Show(show::Show),
    Shred(Box<replace::Shred>),
    Lend(Box<Lend>),
    Extend(Box<replace::Extend>),
    Check(Check),
}

impl CalendarCommand {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        match self.action {
            Action::New(new) => new.run(),
            Action::Public(public) => public.run(),
            Action::Show(show) => return show.run(json),
            Action::Shred(shred) => shred.run(),
            Action::Lend(lend) => lend.run(),
            Action::Extend(extend) => extend.run(),
            Action::Check(check) => return check.run(json),
        }
        .map(|()| Exit::Done)
    }
}

/// Parses a date, or a time in UTC, as seconds since 1970.
fn parse_date(text: &str) -> Result<u64, String> {
    date::parse(text).ok_or_else(|| {
        "a period's start must be a date or a time in UTC, like 2026-12-01 or 2026-12-01T05:00Z"
            .to_owned()
    })
}

/// Returns the number of periods in a number of days.
fn period_count(days: usize, length: PeriodLength) -> Result<usize, Error> {
    match length {
        PeriodLength::Hour => days.checked_mul(24),
        PeriodLength::Day => Some(days),
        PeriodLength::Week if days.is_multiple_of(7) => Some(days / 7),
        PeriodLength::Week => None,
    }
    .filter(|count| *count > 0)
    .ok_or_else(|| Error::usage("--days must be 1 or more, and for weeks a multiple of 7"))
}

/// Returns the index of the period that begins at the time of an option; the number of periods for
/// the end of the last one.
fn period_index(calendar: &Calendar, option: &str, time: u64) -> Result<usize, Error> {
    calendar.beginning(time).map_err(|_| {
        let length = calendar.period_length();
        Error::usage(format!(
            "{option}: no {length} of the calendar begins at {}; its first one begins at {}, and its last one ends at {}",
            date::rfc3339(time),
            date::rfc3339(calendar.start_of(0)),
            date::rfc3339(calendar.start_of(calendar.count())),
        ))
    })
}

/// Returns the periods from `--from` to `--to`, both included; without one of them, from the first
/// or to the last.
fn period_range(
    calendar: &Calendar,
    from: Option<u64>,
    to: Option<u64>,
) -> Result<Range<usize>, Error> {
    let count = calendar.count();
    let first = from.map_or(Ok(0), |from| period_index(calendar, "--from", from))?;
    let last = to.map_or(Ok(count - 1), |to| period_index(calendar, "--to", to))?;
    match first <= last && last < count {
        true => Ok(first..last + 1),
        false => Err(Error::usage(
            "--to must be the start of a period of the calendar, and not before --from",
        )),
    }
}

/// Describes how many periods there are, such as `3 days`.
fn periods_in_words(count: usize, length: PeriodLength) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {length}{plural}")
}

/// Returns the calendar's name for people.
fn shown_name(calendar: &Calendar) -> String {
    escape::bytes(calendar.name().as_bytes())
}

/// Make a calendar: a key pair for each day, hour or week
///
/// The private calendar goes to a new file that only its owner can read, and the public one to
/// standard output. A machine that seals needs only the public one.
#[derive(Args)]
#[command(after_long_help = help(&[
    ("Two years of days", "pqseal calendar new --from 2026-12-01 --days 730 -o logs.calendar > logs.calendar.pub"),
    ("A year of weeks under a passphrase", "pqseal calendar new --from 2026-12-07 --days 364 --period week --encrypt -o logs.age > logs.pub"),
    ("The private calendar sealed to an age recipient", "pqseal calendar new --from 2026-12-01 --days 365 -r age1... -o logs.age > logs.pub"),
]))]
struct New {
    /// The first day, such as 2026-12-01; for hours it may be a time in UTC, such as
    /// 2026-12-01T05:00Z, and for weeks it must be a Monday
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
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
    fn run(self) -> Result<(), Error> {
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
        let (recipients, text) = (self.recipients.read()?, calendar.as_str());
        let bytes = match (self.encrypt, recipients.is_empty()) {
            (true, false) => {
                return Err(Error::usage(
                    "-r and --encrypt exclude each other; leave one of them out",
                ));
            }
            (true, true) => self.passphrase.seal(text.as_bytes())?,
            (false, true) => Zeroizing::new(text.as_bytes().to_vec()),
            (false, false) => {
                let recipients: Vec<_> = recipients.iter().map(AsRef::as_ref).collect();
                encrypted(text, &recipients)?
            }
        };
        self.output
            .write(&bytes, FileMode::Owner, Overwrite::Refuse)?;
        // The private keys are on the disk before anyone can seal to them.
        sync_folder(folder_of(path)).map_err(|error| Error::io("sync the folder", &error))?;
        to_stdout(public.as_str().as_bytes())?;
        let _ = writeln!(io::stderr(), "fingerprint: {}", calendar.fingerprint());
        Ok(())
    }

    fn generate(&self, path: &Path) -> Result<Calendar, Error> {
        let file = path
            .file_name()
            .and_then(|name| name.to_str()?.split('.').next());
        let file = file.filter(|name| !name.is_empty());
        let plan = Plan {
            kem: self.kem,
            length: self.period,
            start: self.from,
            count: period_count(self.days, self.period)?,
            name: self.name.as_deref().or(file).unwrap_or("logs"),
        };
        Calendar::generate(&plan, &mut SysRng).map_err(not_made)
    }
}

/// Converts the error of a calendar that was not made.
fn not_made(error: calendar::Error) -> Error {
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

/// Print the public calendar
///
/// With --from or --to only the keys of these periods are written; all other lines stay without
/// their keys.
#[derive(Args)]
#[command(after_long_help = help(&EXAMPLES))]
struct Public {
    /// The first period whose key is written, by its start
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    from: Option<u64>,
    /// The last period whose key is written, by its start
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    to: Option<u64>,
    #[command(flatten)]
    identities: Identities,
    /// The calendar
    #[arg(value_name = "FILE")]
    file: Source,
}

impl Public {
    fn run(self) -> Result<(), Error> {
        one_stdin([&self.file].into_iter().chain(self.identities.sources()))?;
        let (calendar, _) = read_calendar(&self.file, &self.identities)?;
        let periods = period_range(&calendar, self.from, self.to)?;
        let public = calendar.public(periods);
        let public = public.map_err(|error| Error::calendar(&self.file, &error))?;
        to_stdout(public.as_str().as_bytes())
    }
}

/// Write a calendar with the private keys of a few periods
///
/// Anyone who gets the file can open what was sealed in these periods, and it cannot be taken back.
/// Every other period, at least one, is without its key. With -r the file is sealed to its reader.
/// Without, it is in the clear, even if the calendar is encrypted.
#[derive(Args)]
#[command(after_long_help = help(&[
    ("Three days to a responder, sealed to their age recipient", "pqseal calendar lend logs.calendar --from 2026-12-03 --to 2026-12-05 -r age1... -o lent.age"),
    ("The responder opens the logs", "pqseal file decrypt -i identity.txt lent.age | pqseal logs open -k - events.ndjson"),
    ("A week for the receiver", "pqseal calendar lend logs.calendar --from 2026-12-07 --to 2026-12-13 -o week.calendar"),
]))]
struct Lend {
    /// The first period to lend, by its start
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    from: u64,
    /// The last period to lend, by its start
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
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
    fn run(self) -> Result<(), Error> {
        let read = self.identities.sources().chain(self.new.sources());
        one_stdin([&self.file].into_iter().chain(read))?;
        keyfile::protect(Some(&self.output), std::slice::from_ref(&self.file))?;
        let (calendar, _) = read_calendar(&self.file, &self.identities)?;
        let periods = period_range(&calendar, Some(self.from), Some(self.to))?;
        let asked = periods.len();
        let lent = calendar.lend(periods);
        let lent = lent.map_err(|error| Error::calendar(&self.file, &error))?;
        let count = lent.present().count();
        if count == 0 {
            return Err(Error::incomplete(
                "key_shredded",
                format!("{} has no keys of these periods", self.file),
            ));
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
        let described = periods_in_words(count, calendar.period_length());
        let without = match asked - count {
            0 => String::new(),
            without => format!("; {without} more have no key"),
        };
        let _ = writeln!(io::stderr(), "lent: {described}{without}");
        Ok(())
    }
}

/// Check every key of calendars, and that they are of one calendar
///
/// Each file is compared with the first one. A file may end earlier: it is of the time before an
/// extension. Otherwise the first period in which they differ is named.
#[derive(Args)]
#[command(after_long_help = help(&EXAMPLES))]
struct Check {
    #[command(flatten)]
    files: Files,
}

impl Check {
    fn run(self, json: bool) -> Result<Exit, Error> {
        let mut first = None;
        self.files.each(json, |source, calendar| {
            let text = checked(source, &calendar, first.as_ref())?;
            first.get_or_insert_with(|| (source.clone(), calendar));
            let line = match json {
                true => json!({"file": source.to_string(), "ok": text}).to_string(),
                false => format!("{source}: {text}"),
            };
            to_stdout(format!("{line}\n").as_bytes())
        })
    }
}

fn checked(
    source: &Source,
    calendar: &Calendar,
    first: Option<&(Source, Calendar)>,
) -> Result<String, Error> {
    calendar
        .check()
        .map_err(|error| Error::calendar(source, &error))?;
    let keys = format!(
        "{} of {} have a key, and each key is right",
        calendar.present().count(),
        periods_in_words(calendar.count(), calendar.period_length()),
    );
    let Some((name, first)) = first else {
        return Ok(format!("{keys}; fingerprint {}", calendar.fingerprint()));
    };
    let mut both = calendar.chain().zip(first.chain());
    let difference = match both.position(|(a, b)| a != b) {
        Some(0) => "their first lines differ".to_owned(),
        Some(at) => format!("they differ from {} on", calendar.period_name(at - 1)),
        None => {
            return Ok(match calendar.count().cmp(&first.count()) {
                std::cmp::Ordering::Equal => format!("{keys}; the same calendar as {name}"),
                std::cmp::Ordering::Less => format!("{keys}; {name} was extended since"),
                std::cmp::Ordering::Greater => format!("{keys}; it was extended since {name}"),
            });
        }
    };
    Err(Error::incomplete(
        "calendars_differ",
        format!("{source} and {name} are not of one calendar: {difference}"),
    ))
}

/// The encryption of a file.
enum Lock {
    /// It is not encrypted.
    Clear,
    /// It is under this passphrase.
    Passphrase(Zeroizing<String>),
    /// It is sealed to age recipients, whom it does not name.
    Recipients,
}

/// The calendars that are looked at.
#[derive(Args)]
struct Files {
    #[command(flatten)]
    identities: Identities,
    /// The calendars, private or public
    #[arg(value_name = "FILE", required = true)]
    files: Vec<Source>,
}

/// The options that name for whom a new file is.
#[derive(Args)]
struct For {
    #[command(flatten)]
    recipients: Recipients,
    /// Encrypt the new file under the passphrase on the first line of this file
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<Source>,
}

impl Files {
    /// Calls `each` with every file that can be read, and reports the errors of the others.
    ///
    /// # Errors
    /// If standard input is named twice.
    fn each(
        &self,
        json: bool,
        mut each: impl FnMut(&Source, Calendar) -> Result<(), Error>,
    ) -> Result<Exit, Error> {
        one_stdin(self.files.iter().chain(self.identities.sources()))?;
        let mut exit = Exit::Done;
        for source in &self.files {
            let found = read_calendar(source, &self.identities);
            if let Err(error) = found.and_then(|(calendar, _)| each(source, calendar)) {
                error.report(json);
                exit = Exit::Incomplete;
            }
        }
        Ok(exit)
    }
}

impl Lock {
    /// Returns the bytes of a file with this calendar, in the armor of age if it is encrypted.
    ///
    /// # Errors
    /// If it was sealed to recipients, and no recipient is named now.
    fn close(&self, calendar: &Calendar, new: &For) -> Result<Zeroizing<Vec<u8>>, Error> {
        let text = calendar.as_str();
        if let Some(closed) = new.close(text)? {
            return Ok(closed);
        }
        match self {
            Self::Clear => Ok(Zeroizing::new(text.as_bytes().to_vec())),
            Self::Passphrase(passphrase) => {
                encrypted(text, &[&PassphraseRecipient::new(passphrase.clone())])
            }
            Self::Recipients => Err(Error::usage(
                "the calendar is sealed to age recipients, and does not name them; name those of the new file with -r, or give --new-passphrase-file",
            )),
        }
    }
}

impl For {
    /// Lists the files that are read.
    fn sources(&self) -> impl Iterator<Item = &Source> {
        let recipients = self.recipients.sources().iter();
        recipients.chain(&self.new_passphrase_file)
    }

    /// Returns the bytes of an encrypted file, if an option asks for one.
    fn close(&self, text: &str) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let recipients = self.recipients.read()?;
        if let Some(file) = &self.new_passphrase_file {
            if !recipients.is_empty() {
                return Err(Error::usage(
                    "-r and --new-passphrase-file exclude each other; leave one of them out",
                ));
            }
            let passphrase = Passphrase::in_file_of(file.clone());
            let recipient = passphrase.recipient("nothing was written")?;
            return encrypted(text, &[&recipient]).map(Some);
        }
        let recipients: Vec<_> = recipients.iter().map(AsRef::as_ref).collect();
        match recipients.is_empty() {
            true => Ok(None),
            false => encrypted(text, &recipients).map(Some),
        }
    }
}

/// Encrypts a calendar, as an armored age file.
fn encrypted(text: &str, recipients: &[&dyn Recipient]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let write = || {
        let mut file = Encryptor::new(recipients, ArmorWriter::new(Vec::new())?)?;
        file.write_all(text.as_bytes())?;
        Ok::<_, pqseal_age::Error>(file.finish()?.finish()?)
    };
    let written = write().map_err(|error| Error::io("encrypt the calendar", &error.into()))?;
    Ok(Zeroizing::new(written))
}

/// Reads a calendar of either half.
///
/// # Errors
/// If it is not one, or does not open with the passphrase or the identities.
fn read_calendar(source: &Source, identities: &Identities) -> Result<(Calendar, Lock), Error> {
    let (calendar, lock) = parse(source, keyfile::read_bytes(source)?, identities)?;
    warn_of_state(source, &calendar);
    if calendar.is_private() {
        warn_if_others_read(source, "key");
    }
    Ok((calendar, lock))
}

/// Parses the bytes of a file, which may be encrypted.
///
/// # Errors
/// As [`read_calendar`].
fn parse(
    source: &Source,
    bytes: Zeroizing<Vec<u8>>,
    identities: &Identities,
) -> Result<(Calendar, Lock), Error> {
    let (bytes, lock) = match passphrase::is_encrypted(&bytes) {
        true => decrypted(source, &bytes, identities)?,
        false => (bytes, Lock::Clear),
    };
    let calendar = Calendar::parse(bytes).map_err(|error| Error::calendar(source, &error))?;
    Ok((calendar, lock))
}

fn decrypted(
    source: &Source,
    bytes: &[u8],
    identities: &Identities,
) -> Result<(Zeroizing<Vec<u8>>, Lock), Error> {
    if passphrase::is_under_passphrase(bytes, source)? {
        let text = identities.passphrase.text(source)?;
        let identity = PassphraseIdentity::new(text.clone());
        let opened = passphrase::decrypt(bytes, source, &[&identity])?;
        return Ok((opened, Lock::Passphrase(text)));
    }
    let read = identities.unlocked()?;
    if read.is_empty() {
        return Err(Error::incomplete(
            "bad_key",
            format!(
                "{source} is sealed to age recipients; give an identity of one of them with -i"
            ),
        ));
    }
    let read: Vec<&dyn Identity> = read.iter().map(AsRef::as_ref).collect();
    let opened = passphrase::decrypt(bytes, source, &read)?;
    Ok((opened, Lock::Recipients))
}
