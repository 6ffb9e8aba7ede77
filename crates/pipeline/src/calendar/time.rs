//! The times of records.

use pqseal_keys::calendar::date;
use pqseal_records::json;

/// Numbers below these are in seconds, milliseconds and microseconds; all others in nanoseconds.
/// The bounds are in the years 5138 and 1973.
const UNITS: [(u64, u64); 3] = [
    (100_000_000_000, 1),
    (100_000_000_000_000, 1000),
    (100_000_000_000_000_000, 1_000_000),
];

/// Parses a time of RFC 3339, or a number since 1970, as seconds since 1970. A fraction is cut off.
/// `value` is JSON or text.
pub(super) fn parse(value: &[u8]) -> Option<u64> {
    let text = json::decode_string(value);
    let text = str::from_utf8(text.as_deref().unwrap_or(value)).ok()?;
    let text = text.trim();
    number(text).or_else(|| rfc3339(text))
}

fn number(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let number: u64 = whole.parse().ok()?;
    let unit = UNITS.iter().find(|(bound, _)| number < *bound);
    Some(number / unit.map_or(1_000_000_000, |(_, unit)| *unit))
}

fn rfc3339(text: &str) -> Option<u64> {
    let (date, rest) = text.split_at_checked(10)?;
    let (time, rest) = rest.strip_prefix(['T', 't', ' '])?.split_at_checked(8)?;
    let local = date::parse(&format!("{date}T{time}Z"))?;
    let zone = match rest.strip_prefix('.') {
        Some(rest) => {
            let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            Some(zone).filter(|zone| zone.len() < rest.len())?
        }
        None => rest,
    };
    if zone == "Z" || zone == "z" {
        return Some(local);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let two_digits = |text: &str, below: u64| {
        let is_number = text.len() == 2 && text.bytes().all(|c| c.is_ascii_digit());
        let number: u64 = text.parse().ok().filter(|_| is_number)?;
        Some(number).filter(|number| *number < below)
    };
    let offset = two_digits(hours, 24)? * 3600 + two_digits(minutes, 60)? * 60;
    match zone.as_bytes()[0] {
        b'+' => local.checked_sub(offset),
        b'-' => Some(local + offset),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_logs_are_read() {
        let time = Some(1_796_083_200);
        for text in [
            "2026-12-01T00:00:00Z",
            "\"2026-12-01T00:00:00.999Z\"",
            "2026-12-01T01:30:00+01:30",
            "\"2026-11-30T16:00:00-08:00\"",
            "2026-12-01 00:00:00z",
            "1796083200",
            "\"1796083200\"",
            "1796083200.123",
            "1796083200999",
            "1796083200999999",
            "1796083200999999999",
        ] {
            assert_eq!(parse(text.as_bytes()), time, "{text}");
        }
    }

    #[test]
    fn other_values_are_no_times() {
        for text in [
            "",
            "null",
            "-1",
            "1e9",
            "1796083200.",
            "99999999999999999999999",
            "2026-12-01",
            "2026-12-01T00:00:00",
            "2026-12-01T00:00:00.Z",
            "2026-12-01T00:00:00+1:00",
            "2026-12-01T00:00:00*01:00",
            "2026-12-01T00:00:00+24:00",
            "2026-02-30T00:00:00Z",
            "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse(&[0xff; 30]), None);
    }
}
