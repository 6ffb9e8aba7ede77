//! Date and time in UTC (RFC 3339), as `age-keygen` writes it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pqseal_keys::calendar::date;

/// Returns the current time as text.
pub fn now() -> String {
    date::rfc3339(seconds_now())
}

/// Returns the current time in seconds since 1970; 0 if the clock is before that.
pub fn seconds_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Parses a date, or a date and a time that ends in `Z`, as the time since 1970.
pub fn parsed(text: &str) -> Option<Duration> {
    date::parse(text).map(Duration::from_secs)
}
