//! What events are sealed to: one key, or the current key of a public calendar.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use pqseal_edge::{Events, Matched};
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::calendar::PublicCalendar;
use pqseal_matched_data::SealOptions;
use serde_json::json;

use crate::{
    calendar,
    error::Error,
    recipient::{Recipient, recipient_or_calendar},
    server::log::{Level, log},
};

/// Seals events.
pub(super) enum EventSealer {
    Key(Box<Events>, String),
    Calendar(Box<CalendarEvents>),
}

/// A public calendar, and the writer of events for the period that was current last.
pub(super) struct CalendarEvents {
    name: String,
    file: String,
    calendar: PublicCalendar,
    warn_days: u64,
    current: Mutex<(usize, Events)>,
}

impl EventSealer {
    /// Reads the key or the calendar that `--to` names.
    ///
    /// # Errors
    /// As [`recipient_or_calendar`], and if the calendar has no key for the current period.
    pub(super) fn read(to: &str, warn_days: u64) -> Result<Self, Error> {
        let recipient = recipient_or_calendar(to, true)?;
        let name = recipient.name();
        let calendar = match recipient {
            Recipient::Key(key) => return Ok(Self::Key(Box::new(events(&key, None)?), name)),
            Recipient::Calendar(calendar) => calendar,
        };
        let period = calendar::now(to, &calendar)?;
        let events = events_of(to, &calendar, period)?;
        Ok(Self::Calendar(Box::new(CalendarEvents {
            name,
            file: to.to_owned(),
            calendar,
            warn_days,
            current: Mutex::new((period, events)),
        })))
    }

    /// Returns the fingerprint of the key, or the id of the calendar.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Key(_, name) => name,
            Self::Calendar(periods) => &periods.name,
        }
    }

    /// Returns a warning if the calendar ends soon.
    pub(super) fn ends_soon(&self) -> Option<String> {
        match self {
            Self::Key(..) => None,
            Self::Calendar(periods) => periods.ends_soon(),
        }
    }

    /// Logs the warning that the calendar ends soon.
    pub(super) fn warn_of_end(&self) {
        if let Self::Calendar(periods) = self {
            periods.warn_of_end();
        }
    }

    /// Returns the lines of these requests, as [`Events::lines_of_all`] does.
    ///
    /// # Errors
    /// If sealing fails, or the calendar has no key for the current period. No line is returned
    /// then.
    pub(super) fn lines_of_all(&self, requests: &[Matched<'_>]) -> io::Result<Vec<Vec<u8>>> {
        match self {
            Self::Key(events, _) => events.lines_of_all(requests).map_err(io::Error::other),
            Self::Calendar(periods) => periods.lines_of_all(requests),
        }
    }

    /// Returns the end of the calendar in Prometheus' text format; nothing for a single key.
    pub(super) fn prometheus(&self) -> String {
        let Self::Calendar(periods) = self else {
            return String::new();
        };
        let end = periods.calendar.end();
        let name = "pqseal_edge_calendar_end_timestamp_seconds";
        format!("# TYPE {name} gauge\n{name} {end}\n")
    }
}

impl CalendarEvents {
    fn lines_of_all(&self, requests: &[Matched<'_>]) -> io::Result<Vec<Vec<u8>>> {
        let failed = |error: Error| io::Error::other(error.message);
        let period = calendar::now(&self.file, &self.calendar).map_err(failed)?;
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != period {
            let events = events_of(&self.file, &self.calendar, period);
            *current = (period, events.map_err(failed)?);
            self.warn_of_end();
        }
        current.1.lines_of_all(requests).map_err(io::Error::other)
    }

    fn warn_of_end(&self) {
        if let Some(reason) = self.ends_soon() {
            log(Level::Warning, calendar::ENDS, json!({ "reason": reason }));
        }
    }

    fn ends_soon(&self) -> Option<String> {
        calendar::ends_soon(&self.file, &self.calendar, self.warn_days)
    }
}

/// Makes the writer of events for a period.
fn events_of(file: &str, calendar: &PublicCalendar, period: usize) -> Result<Events, Error> {
    let key = calendar::public_key(file, calendar, period)?;
    // Version 3 does not name its key.
    events(&key, Some(4))
}

fn events(key: &AnyPublicKey, version: Option<u8>) -> Result<Events, Error> {
    let options = SealOptions {
        version,
        ..SealOptions::default()
    };
    Events::new(key, &options).map_err(|error| Error::blob(&error).stops())
}

#[cfg(test)]
mod tests {
    use getrandom::SysRng;
    use pqseal_keys::{
        calendar::{Calendar, Plan},
        kem_by_name,
    };

    use super::*;

    /// Monday, 6 January 2020.
    const PAST: u64 = 1_578_268_800;

    impl EventSealer {
        /// Returns the state of a proxy whose calendar has ended.
        pub(in crate::proxy) fn ended() -> Self {
            let plan = Plan::days(kem_by_name("x25519").unwrap(), PAST, 2, "logs");
            let calendar = Calendar::generate(&plan, &mut SysRng).unwrap();
            let calendar = calendar.public(0..2).unwrap().try_into().unwrap();
            let events = events_of("file", &calendar, 1).unwrap();
            Self::Calendar(Box::new(CalendarEvents {
                name: "name".to_owned(),
                file: "file".to_owned(),
                calendar,
                warn_days: 0,
                current: Mutex::new((1, events)),
            }))
        }
    }

    #[test]
    fn the_end_of_a_calendar_is_a_metric() {
        let end = PAST + 2 * 86_400;
        let text = EventSealer::ended().prometheus();
        assert!(text.ends_with(&format!("_seconds {end}\n")), "{text}");
        let key = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=";
        assert_eq!(EventSealer::read(key, 0).unwrap().prometheus(), "");
    }
}
