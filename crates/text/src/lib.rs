//! The text that pqseal's programs and services share, written for people or by them.
//!
//! [`escape`] shows what others wrote, [`reason`] an error of the system, [`calendar`] the end of a
//! calendar of keys. [`date`] and [`duration`] parse and write times.

#![forbid(unsafe_code)]

pub mod calendar;
pub mod date;
pub mod escape;

use std::{io, time::Duration};

/// Parses a number of seconds, or a number with a unit. Crates for this accept more, such as `1year`
/// or `1h 30m`.
///
/// # Errors
/// A description of the format.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(BAD_DURATION.to_owned()),
    };
    let number = digits.parse().ok().and_then(|n: u64| n.checked_mul(unit));
    number
        .map(Duration::from_secs)
        .ok_or_else(|| BAD_DURATION.to_owned())
}

const BAD_DURATION: &str =
    "a duration must be a number followed by s, m, h or d, such as 60s, 5m, 1h or 2d";

/// Returns the system's message without its number and its capital letter, or the limit that was
/// reached.
pub fn reason(error: &io::Error) -> String {
    if let (io::ErrorKind::FileTooLarge, Some(limit)) = (error.kind(), largest_file()) {
        return format!(
            "file too large; files that this process writes may have at most {limit} bytes (ulimit -f)"
        );
    }
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let is_word = |second: char| !second.is_uppercase();
    match text.split_at_checked(1) {
        Some((first, rest)) if rest.starts_with(is_word) => first.to_lowercase() + rest,
        _ => text.to_owned(),
    }
}

/// Returns the largest size in bytes of a file that this process writes, if it is limited (`ulimit
/// -f`).
#[cfg(unix)]
fn largest_file() -> Option<u64> {
    let limit = rlimit::Resource::FSIZE.get_soft().ok()?;
    (limit != rlimit::INFINITY).then_some(limit)
}

/// Returns `None`, because other systems have no such limit.
#[cfg(not(unix))]
const fn largest_file() -> Option<u64> {
    None
}
