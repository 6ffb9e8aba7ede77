//! Calendars that end soon, or have no period for the current time.

use pqseal_keys::calendar::{PublicCalendar, date};

use crate::date::seconds_now;

/// The code of the warning that a calendar ends soon.
pub const ENDS: &str = "calendar_ends";

/// Returns the text of a warning if the last period ends in less than `days`.
pub fn ends_soon(file: &str, calendar: &PublicCalendar, days: u64) -> Option<String> {
    let end = calendar.end();
    let left = end.saturating_sub(seconds_now());
    (left < days.saturating_mul(86_400)).then(|| {
        format!(
            "the calendar in {file} ends at {}, in {} days; extend it with `pqseal calendar extend`, and append the new lines to the public file",
            date::rfc3339(end),
            left / 86_400
        )
    })
}

/// Returns the text of the error for a time without a period.
pub fn no_period(file: &str, calendar: &PublicCalendar) -> String {
    let from = date::rfc3339(calendar.start());
    let to = date::rfc3339(calendar.end());
    format!(
        "nothing is sealed: the calendar in {file} has periods from {from} to {to}, and none for now; extend it with `pqseal calendar extend`"
    )
}
