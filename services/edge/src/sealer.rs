//! What events are sealed to: one key, or the current key of a public calendar.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use pqseal_edge::{Events, Matched};
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::calendar::{NO_PERIOD, PublicCalendar};
use pqseal_matched_data::SealOptions;
use pqseal_server::{
    Error,
    log::{Level, log},
};
use pqseal_text::{
    calendar::{ENDS, ends_soon, no_period},
    date::seconds_now,
};
use serde_json::json;

/// Seals events.
pub struct EventSealer(Sealer);

enum Sealer {
    Key(Box<Events>, String),
    Calendar(Box<CalendarEvents>),
}

/// A public calendar, and the writer of events for the period that was current last.
struct CalendarEvents {
    name: String,
    file: String,
    calendar: PublicCalendar,
    warn_days: u64,
    current: Mutex<(usize, Events)>,
}

impl EventSealer {
    /// Seals events to one key; `name` is what the log calls it.
    ///
    /// # Errors
    /// If nothing can be sealed to this key.
    pub fn to_key(key: &AnyPublicKey, name: String) -> Result<Self, Error> {
        Ok(Self(Sealer::Key(Box::new(events(key, None)?), name)))
    }

    /// Seals events to the current key of a calendar, which was read from `file`; `name` is what the
    /// log calls it. A warning is logged `warn_days` before its end.
    ///
    /// # Errors
    /// If the calendar has no key for the current period.
    pub fn to_calendar(
        calendar: PublicCalendar,
        name: String,
        file: &str,
        warn_days: u64,
    ) -> Result<Self, Error> {
        let period = now(file, &calendar)?;
        let events = events_of(file, &calendar, period)?;
        Ok(Self(Sealer::Calendar(Box::new(CalendarEvents {
            name,
            file: file.to_owned(),
            calendar,
            warn_days,
            current: Mutex::new((period, events)),
        }))))
    }

    /// Returns the fingerprint of the key, or the id of the calendar.
    pub(crate) fn name(&self) -> &str {
        match &self.0 {
            Sealer::Key(_, name) => name,
            Sealer::Calendar(periods) => &periods.name,
        }
    }

    /// Returns a warning if the calendar ends soon.
    pub(crate) fn ends_soon(&self) -> Option<String> {
        match &self.0 {
            Sealer::Key(..) => None,
            Sealer::Calendar(periods) => periods.ends_soon(),
        }
    }

    /// Logs the warning that the calendar ends soon.
    pub(crate) fn warn_of_end(&self) {
        if let Sealer::Calendar(periods) = &self.0 {
            periods.warn_of_end();
        }
    }

    /// Returns the lines of these requests, as [`Events::lines_of_all`] does.
    ///
    /// # Errors
    /// If sealing fails, or the calendar has no key for the current period. No line is returned
    /// then.
    pub(crate) fn lines_of_all(&self, requests: &[Matched<'_>]) -> io::Result<Vec<Vec<u8>>> {
        match &self.0 {
            Sealer::Key(events, _) => events.lines_of_all(requests).map_err(io::Error::other),
            Sealer::Calendar(periods) => periods.lines_of_all(requests),
        }
    }

    /// Returns the end of the calendar in Prometheus' text format; nothing for a single key.
    pub(crate) fn prometheus(&self) -> String {
        let Sealer::Calendar(periods) = &self.0 else {
            return String::new();
        };
        let end = periods.calendar.end();
        let name = "pqseal_edge_calendar_end_timestamp_seconds";
        format!("# TYPE {name} gauge\n{name} {end}\n")
    }
}

impl CalendarEvents {
    fn lines_of_all(&self, requests: &[Matched<'_>]) -> io::Result<Vec<Vec<u8>>> {
        let period = now(&self.file, &self.calendar).map_err(io::Error::other)?;
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != period {
            let events = events_of(&self.file, &self.calendar, period);
            *current = (period, events.map_err(io::Error::other)?);
            self.warn_of_end();
        }
        current.1.lines_of_all(requests).map_err(io::Error::other)
    }

    fn warn_of_end(&self) {
        if let Some(reason) = self.ends_soon() {
            log(Level::Warning, ENDS, json!({ "reason": reason }));
        }
    }

    fn ends_soon(&self) -> Option<String> {
        ends_soon(&self.file, &self.calendar, self.warn_days)
    }
}

/// Returns the period of the current time.
fn now(file: &str, calendar: &PublicCalendar) -> Result<usize, Error> {
    calendar
        .at(seconds_now())
        .ok_or_else(|| unusable(NO_PERIOD, no_period(file, calendar)))
}

/// Makes the writer of events for a period.
fn events_of(file: &str, calendar: &PublicCalendar, period: usize) -> Result<Events, Error> {
    let key = calendar.public_key(period).map_err(|error| {
        let message = format!("cannot use the calendar in {file}: {error}");
        unusable(error.code(), message)
    })?;
    // Version 3 does not name its key.
    events(&key, Some(4))
}

fn events(key: &AnyPublicKey, version: Option<u8>) -> Result<Events, Error> {
    let options = SealOptions {
        version,
        ..SealOptions::default()
    };
    Events::new(key, &options).map_err(|error| {
        let message = format!("{error}; `pqseal keygen` makes a key of another KEM");
        unusable(error.code(), message)
    })
}

const fn unusable(code: &'static str, message: String) -> Error {
    Error::Keys { code, message }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use getrandom::SysRng;
    use pqseal_hpke::Policy;
    use pqseal_keys::{
        calendar::{Calendar, Plan},
        generate, kem_by_name,
    };

    use super::*;

    /// Monday, 6 January 2020.
    const PAST: u64 = 1_578_268_800;

    impl EventSealer {
        /// Returns the state of a proxy whose calendar has ended.
        pub(crate) fn ended() -> Self {
            Self::in_first_period(PAST, 0..2)
        }

        /// Returns the state of a proxy in the first of two days since `start`, of which only
        /// `periods` have keys.
        fn in_first_period(start: u64, periods: Range<usize>) -> Self {
            let plan = Plan::days(kem_by_name("x25519").unwrap(), start, 2, "logs");
            let calendar = Calendar::generate(&plan, &mut SysRng).unwrap();
            let calendar = calendar.public(periods).unwrap().try_into().unwrap();
            let events = events_of("file", &calendar, 0).unwrap();
            Self(Sealer::Calendar(Box::new(CalendarEvents {
                name: "name".to_owned(),
                file: "file".to_owned(),
                calendar,
                warn_days: 0,
                current: Mutex::new((0, events)),
            })))
        }

        /// Seals to a key.
        pub(crate) fn example() -> Self {
            let key = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=";
            let key = pqseal_keys::read_public(key, None).unwrap();
            Self::to_key(&key, "name".to_owned()).unwrap()
        }
    }

    #[test]
    fn the_end_of_a_calendar_is_a_metric() {
        let end = PAST + 2 * 86_400;
        let text = EventSealer::ended().prometheus();
        assert!(text.ends_with(&format!("_seconds {end}\n")), "{text}");
        assert_eq!(EventSealer::example().prometheus(), "");
    }

    #[test]
    fn a_next_period_without_a_key_is_an_error() {
        let today = seconds_now() / 86_400 * 86_400;
        let sealer = EventSealer::in_first_period(today - 86_400, 0..1);
        let error = sealer.lines_of_all(&[]).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot use the calendar in file: this period was left out"),
            "{error}"
        );
    }

    #[test]
    fn a_key_that_nothing_is_sealed_to_is_an_error_with_advice() {
        let kem = kem_by_name("x25519-bike-l1").unwrap();
        let (_, key) = generate(kem, &Policy::draft().with_experimental(), &mut SysRng).unwrap();
        let error = events(&key, Some(4)).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            (
                "unsupported_suite",
                "KEM 0xff21 is not allowed by the policy: its status is experimental; `pqseal keygen` makes a key of another KEM"
            )
        );
    }
}
