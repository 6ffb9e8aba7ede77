//! Calendars on the command line: warnings about a file, and the period of a time.

use std::path::{Path, PathBuf};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::calendar::{Calendar, KeyState, NO_PERIOD, PublicCalendar};
use pqseal_text::{
    calendar::{ENDS, ends_soon},
    date::seconds_now,
};

use crate::{
    error::{Error, warn},
    escape,
    input::Source,
};

/// How many days before its end a calendar is warned of, unless an option says otherwise.
pub const WARN_DAYS: u64 = 30;

/// Returns the second name that `pqseal calendar shred` and `extend` give an old file until it is
/// overwritten. It is beside the file, and not beside a link to it.
pub fn shredding(file: &Path) -> PathBuf {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let mut name = file.into_os_string();
    name.push(".shredding");
    name.into()
}

/// Warns if a file was cut, or if an interrupted `pqseal calendar shred` left the old one.
pub fn warn_of_state(file: &Source, calendar: &Calendar) {
    if calendar.is_cut() {
        warn(
            "calendar_cut",
            format_args!("{file}: the last line has no line end, and is not read; was it cut?"),
        );
    }
    let Some(path) = file.path() else { return };
    let old = shredding(path);
    if old.exists() {
        warn(
            "shredding",
            format_args!(
                "{} was left by an interrupted `shred` or `extend`, and has keys that should be gone; `pqseal calendar shred` overwrites it",
                escape::path(&old)
            ),
        );
    }
}

/// Warns if the last period ends in less than `days`.
pub fn warn_of_end(file: &str, calendar: &PublicCalendar, days: u64) {
    if let Some(text) = ends_soon(file, calendar, days) {
        warn(ENDS, text);
    }
}

/// Returns the period of the current time.
///
/// # Errors
/// If the calendar has no period at this time, since nothing can be sealed then.
pub fn now(file: &str, calendar: &PublicCalendar) -> Result<usize, Error> {
    calendar
        .at(seconds_now())
        .ok_or_else(|| no_period(file, calendar))
}

/// Returns the key of a period.
///
/// # Errors
/// If it was left out, or is not valid.
pub fn public_key(
    file: &str,
    calendar: &PublicCalendar,
    period: usize,
) -> Result<AnyPublicKey, Error> {
    let key = calendar.public_key(period);
    key.map_err(|error| Error::calendar(file, &error).stops())
}

/// Makes the error for a time without a period.
pub fn no_period(file: &str, calendar: &PublicCalendar) -> Error {
    Error::stopped(NO_PERIOD, pqseal_text::calendar::no_period(file, calendar))
}

/// Describes the state of a key: its name, as words.
pub fn words(state: KeyState) -> String {
    state.name().replace('-', " ")
}
