//! The length of a calendar's periods, and the names of periods.

use std::{fmt, str::FromStr};

use pqseal_hpke::ParseError;

use super::date;

/// The first second of the year 10000, in seconds since 1970: no period ends later, so that each
/// name has four digits for its year.
const END_OF_DATES: u64 = 253_402_300_800;

/// The length of a period in UTC. As text it is `hour`, `day` or `week`.
///
/// ```
/// use pqseal_keys::calendar::PeriodLength;
///
/// let length: PeriodLength = "hour".parse()?;
/// assert_eq!(length.seconds(), 3600);
/// assert_eq!(length.name_of(1_764_547_200), "2025-12-01T00:00Z");
/// # Ok::<(), pqseal_hpke::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodLength {
    /// 3,600 seconds.
    Hour,
    /// 86,400 seconds. Leap seconds are not counted, so every day has this length.
    Day,
    /// 7 days, from Monday.
    Week,
}

impl PeriodLength {
    const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Week];

    /// Returns the number of seconds.
    pub const fn seconds(self) -> u64 {
        match self {
            Self::Hour => 3600,
            Self::Day => 86_400,
            Self::Week => 7 * 86_400,
        }
    }

    /// Returns the name of the period that begins at `start`, in seconds since 1970: its date, and
    /// for hours its time.
    pub fn name_of(self, start: u64) -> String {
        let mut name = date::rfc3339(start);
        name.truncate(self.name_len());
        if self == Self::Hour {
            name.replace_range(16.., "Z");
        }
        name
    }

    /// Returns the size of a name, in bytes.
    pub(super) const fn name_len(self) -> usize {
        match self {
            Self::Hour => 17,
            Self::Day | Self::Week => 10,
        }
    }

    /// Returns the index of the one of `count` periods from `start` that contains `time`; `None`
    /// outside them.
    pub(super) fn index(self, start: u64, count: usize, time: u64) -> Option<usize> {
        let since = time.checked_sub(start)?;
        let index = usize::try_from(since / self.seconds()).ok()?;
        (index < count).then_some(index)
    }

    /// Reports whether a period may begin at `start`. 1 January 1970 was a Thursday.
    pub(super) const fn may_begin(self, start: u64) -> bool {
        let offset = match self {
            Self::Hour | Self::Day => 0,
            Self::Week => 3 * 86_400,
        };
        start < END_OF_DATES && (start + offset).is_multiple_of(self.seconds())
    }

    /// Returns the end of `count` periods from `start`; `None` if it is after the year 9999.
    pub(super) const fn end(self, start: u64, count: usize) -> Option<u64> {
        let end = start.saturating_add((count as u64).saturating_mul(self.seconds()));
        if end <= END_OF_DATES { Some(end) } else { None }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
        }
    }
}

impl FromStr for PeriodLength {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut all = Self::ALL.into_iter();
        all.find(|length| length.text() == text)
            .ok_or(ParseError::new("hour, day or week"))
    }
}

impl fmt::Display for PeriodLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
