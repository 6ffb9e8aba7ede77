//! Dates of periods on the command line.

use std::ops::Range;

use pqseal_keys::calendar::{Calendar, PeriodLength, date};

use crate::{error::Error, escape};

/// Parses a date, or a time in UTC, as seconds since 1970.
pub(super) fn parse(text: &str) -> Result<u64, String> {
    date::parse(text).ok_or_else(|| {
        "a period's start must be a date or a time in UTC, like 2026-12-01 or 2026-12-01T05:00Z"
            .to_owned()
    })
}

/// Returns the number of periods in a number of days.
pub(super) fn count(days: usize, length: PeriodLength) -> Result<usize, Error> {
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
pub(super) fn index(calendar: &Calendar, option: &str, time: u64) -> Result<usize, Error> {
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
pub(super) fn range(
    calendar: &Calendar,
    from: Option<u64>,
    to: Option<u64>,
) -> Result<Range<usize>, Error> {
    let count = calendar.count();
    let first = from.map_or(Ok(0), |from| index(calendar, "--from", from))?;
    let last = to.map_or(Ok(count - 1), |to| index(calendar, "--to", to))?;
    match first <= last && last < count {
        true => Ok(first..last + 1),
        false => Err(Error::usage(
            "--to must be the start of a period of the calendar, and not before --from",
        )),
    }
}

/// Describes how many periods there are, such as `3 days`.
pub(super) fn described(count: usize, length: PeriodLength) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {length}{plural}")
}

/// Returns the calendar's name for people.
pub(super) fn shown_name(calendar: &Calendar) -> String {
    escape::bytes(calendar.name().as_bytes())
}
