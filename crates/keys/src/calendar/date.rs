//! Dates and times in UTC (RFC 3339), computed from the seconds since 1970. Nothing here reads a
//! clock.

/// Formats seconds since 1970. Years are counted from March, so that a leap day ends one; 400 of
/// them have 146,097 days.
pub fn rfc3339(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z",
        second % 60
    )
}

/// Parses a date, such as `2026-12-01`, or a date and a time that ends in `Z`, with or without
/// seconds, as seconds since 1970.
pub fn parse(text: &str) -> Option<u64> {
    let whole = match (text.len(), text.strip_suffix('Z')) {
        (10, _) => format!("{text}T00:00:00Z"),
        (17, Some(minutes)) => format!("{minutes}:00Z"),
        _ => text.to_owned(),
    };
    let numbers = [(0, 4), (5, 2), (8, 2), (11, 2), (14, 2), (17, 2)];
    let numbers = numbers.map(|(at, length)| whole.get(at..at + length)?.parse::<u64>().ok());
    let [
        Some(year),
        Some(month),
        Some(day),
        Some(hour),
        Some(minute),
        Some(second),
    ] = numbers
    else {
        return None;
    };
    // A year that begins in March ends with February.
    let years = year.checked_sub(u64::from(month <= 2))?;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day.checked_sub(1)?;
    let days = years * 365 + years / 4 - years / 100 + years / 400 + day_of_year;
    let seconds = days.checked_sub(719_468)? * 86_400 + hour * 3600 + minute * 60 + second;
    // An invalid date, such as 30 February, becomes another one.
    (rfc3339(seconds) == whole).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
            assert_eq!(parse(text), Some(seconds));
        }
        assert_eq!(parse("2000-02-29"), Some(951_782_400));
        assert_eq!(parse("2000-02-29T01:00Z"), Some(951_786_000));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2026",
            "2026-11-31",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "1969-12-31",
            "2026-11-23T24:00:00Z",
            "2026-11-23T24:00Z",
            "2026-11-23T08:00:60Z",
            "2026-11-23T08:00:00",
            "2026-11-23T08:00:00+01:00",
            "2026-11-23 08:00:00Z",
            "+026-11-23",
            "2026-11-2\u{e9}",
            "2026-11-23T08:0\u{e9}Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
