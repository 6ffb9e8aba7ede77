//! The keys of `pqseal logs seal`: one key, or a calendar.

use std::{
    ffi::OsString,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::Args;
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::calendar::PublicCalendar;
use pqseal_matched_data::Sealer;
use pqseal_pipeline::{CalendarSealer, MakeSealer, Outcome, Record, Transform};
use pqseal_records::FieldPath;

use crate::{
    calendar,
    cmd::seal::unusable,
    date::seconds_now,
    error::{Error, warn},
    input::Source,
    parse::duration,
    recipient::{Recipient, can_be_read_again, recipient_or_calendar},
    signals,
};

/// The time between two warnings that a calendar ends, in seconds.
const WARN_EVERY: u64 = 86_400;

/// The options for a calendar.
#[derive(Args)]
pub(super) struct CalendarOptions {
    /// With a calendar: seal each record to the period of its own time, in this field (RFC 3339, or
    /// Unix seconds, milliseconds, microseconds or nanoseconds)
    #[arg(long, value_name = "PATH")]
    pub(super) time_from: Option<FieldPath>,
    /// With --time-from: a record whose time is further from now, or is not a time, is sealed to
    /// the current period, and counted
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1h",
        value_parser = duration,
        requires = "time_from"
    )]
    skew: Duration,
    /// With a calendar: warn this many days before its end. No effect with a single key
    #[arg(long, value_name = "N", default_value_t = calendar::WARN_DAYS)]
    warn_days: u64,
}

/// Seals to one key, or to the periods of a calendar.
pub(super) enum Sealing {
    Key(Box<Sealer>),
    Calendar(Box<ReloadedCalendar>),
}

/// A calendar that a long run warns of each day, and reads again at SIGHUP.
pub(super) struct ReloadedCalendar {
    file: String,
    sealer: CalendarSealer,
    warn_days: u64,
    /// The day of the last warning, since 1970. It is locked while the calendar is read again, so
    /// that no other thread seals to the old one in the meantime, which may have ended.
    warned: Mutex<u64>,
    is_asked: Arc<AtomicBool>,
}

impl CalendarOptions {
    /// Returns the transform for a recipient. `make` creates the sealer for a key, given the
    /// version that it must have. If the run `lasts`, SIGHUP reads the calendar again.
    ///
    /// # Errors
    /// If the options do not fit, or the calendar has no current period.
    pub(super) fn sealing(
        &self,
        to: &str,
        recipient: Recipient,
        lasts: bool,
        make: impl Fn(&AnyPublicKey, Option<u8>) -> Result<Sealer, pqseal_matched_data::Error>
        + Send
        + Sync
        + 'static,
    ) -> Result<Sealing, Error> {
        let calendar = match recipient {
            Recipient::Calendar(calendar) => calendar,
            Recipient::Key(_) if self.time_from.is_some() => {
                return Err(Error::usage(
                    "--time-from is for a calendar, and --to is a single key; leave --time-from out",
                ));
            }
            Recipient::Key(key) => {
                let sealer = make(&key, None).map_err(|error| unusable(&error))?;
                return Ok(Sealing::Key(Box::new(sealer.precompute())));
            }
        };
        let period = calendar::now(to, &calendar)?;
        calendar::warn_of_end(to, &calendar, self.warn_days);
        let key = calendar::public_key(to, &calendar, period)?;
        make(&key, Some(4)).map_err(|error| unusable(&error))?;
        let make: MakeSealer = Box::new(move |key| Ok(make(key, Some(4))?.precompute()));
        let sealer = CalendarSealer::new(calendar, make, Box::new(seconds_now));
        let sealer = match self.time_from {
            Some(_) => sealer.with_skew(self.skew.as_secs()),
            None => sealer,
        };
        // Also for standard input, or the signal would end the run.
        let is_asked = match lasts {
            true => {
                signals::asked_to_reopen().map_err(|error| Error::io("wait for signals", &error))?
            }
            false => Arc::default(),
        };
        Ok(Sealing::Calendar(Box::new(ReloadedCalendar {
            file: to.to_owned(),
            sealer,
            warn_days: self.warn_days,
            warned: (seconds_now() / WARN_EVERY).into(),
            is_asked,
        })))
    }
}

impl ReloadedCalendar {
    /// Reads the calendar again if a signal has asked for it, and gives the warning of the day. It
    /// is called before records are sealed.
    fn reload_if_asked(&self) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_asked.swap(false, Ordering::Relaxed) {
            match self.read_again() {
                Ok(calendar) => self.sealer.set_calendar(calendar),
                Err(error) => warn("not_reloaded", format_args!("{}", error.message)),
            }
            *warned = 0;
        }
        let today = seconds_now() / WARN_EVERY;
        if *warned != today {
            *warned = today;
            calendar::warn_of_end(&self.file, &self.sealer.calendar(), self.warn_days);
        }
    }

    /// Reads the calendar again. It must be the same one, whose id a state contains, and have a key
    /// for the current period.
    fn read_again(&self) -> Result<PublicCalendar, Error> {
        if !can_be_read_again(&self.file) {
            return Err(Error::refused(format!(
                "{} cannot be read again, so the calendar that was read stays in use; name a regular file",
                Source::from(OsString::from(&self.file))
            )));
        }
        match recipient_or_calendar(&self.file, true)? {
            Recipient::Calendar(new) if new.id() == self.sealer.calendar().id() => {
                calendar::public_key(&self.file, &new, calendar::now(&self.file, &new)?)?;
                Ok(new)
            }
            _ => Err(Error::refused(format!(
                "{} is not the calendar that this run seals to, which stays in use; start the run again to change it",
                self.file
            ))),
        }
    }
}

impl Sealing {
    /// Warns of records that were sealed to another period than that of their time.
    pub(super) fn warn_of_times(&self) {
        if let Self::Calendar(calendar) = self
            && calendar.sealer.other_times() > 0
        {
            warn(
                "other_time",
                format_args!(
                    "{} values were sealed to the current period, since the time of their records was missing, not a time, further from now than --skew, or of a period without a key",
                    calendar.sealer.other_times()
                ),
            );
        }
    }
}

impl Transform for Sealing {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        match self {
            Self::Key(sealer) => sealer.chunk(records),
            Self::Calendar(calendar) => {
                calendar.reload_if_asked();
                calendar.sealer.chunk(records)
            }
        }
    }

    fn whole(&self, record: &[u8]) -> Outcome {
        match self {
            Self::Key(sealer) => sealer.whole(record),
            Self::Calendar(calendar) => {
                calendar.reload_if_asked();
                calendar.sealer.whole(record)
            }
        }
    }

    fn seals(&self) -> bool {
        true
    }

    fn uses_origins(&self) -> bool {
        match self {
            Self::Key(sealer) => sealer.uses_origins(),
            Self::Calendar(calendar) => calendar.sealer.uses_origins(),
        }
    }
}
