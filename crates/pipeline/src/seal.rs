//! Sealing of fields under a public key, each with a separate encapsulated key, or to the keys of a
//! calendar: each record to that of the current period, or of its own time.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use getrandom::SysRng;
use pqseal_hpke::{AnyPublicKey, Message};
use pqseal_keys::calendar::{Error as CalendarError, PublicCalendar, date};
use pqseal_matched_data::Error;
use pqseal_records::json;

pub use pqseal_matched_data::Sealer;

use crate::{
    ciphertext::encode,
    error::Reason,
    opener::{Failure, FieldValue, Outcome, Transform},
};

/// Seals each field, bound to [`FieldValue::aad`], which must be empty in version 3. If one field
/// cannot be sealed, none of its chunk is, since all use one key.
impl Transform for Sealer {
    fn chunk(&self, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
        let messages = fields.iter().filter_map(|field| {
            let (aad, pt) = (field.aad, field.text?);
            Some(Message { aad, pt })
        });
        let messages: Vec<_> = messages.collect();
        let sealed = self.seal_batch(&messages, &mut SysRng);
        let mut sealed = match sealed {
            Ok(blobs) => Ok(blobs.into_iter()),
            Err(error) => Err(Failure::new(error.into())),
        };
        let outcomes = fields.iter().map(|field| match (field.text, &mut sealed) {
            (None, _) => Outcome::Absent,
            (Some(_), Ok(blobs)) => Outcome::Opened {
                plaintext: encode(&blobs.next().expect("a blob for each message")).into_bytes(),
                key: 0,
            },
            (Some(_), Err(failure)) => Outcome::Failed(failure.clone()),
        });
        outcomes.collect()
    }

    fn seals(&self) -> bool {
        true
    }
}

fn failed(reason: Reason, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
    vec![Outcome::Failed(Failure::new(reason)); fields.len()]
}

/// The number of periods whose keys are kept: records may be late, and in any order.
const KEPT: usize = 16;

/// Makes the sealer of a period's key. It must seal in version 4.
pub type MakeSealer = Box<dyn Fn(&AnyPublicKey) -> Result<Sealer, Error> + Send + Sync>;

/// Returns the current time in seconds since 1970.
pub type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// Seals each record to a period of a public calendar. A record without a current period fails with
/// [`Reason::NoPeriod`].
///
/// With a skew, a record's time is read from [`FieldValue::origin`]: RFC 3339, or Unix seconds,
/// milliseconds, microseconds or nanoseconds, as JSON or as text. If it is further from the current
/// time than the skew, is not a time, or its period has no key, the current period is used: the
/// writer of a record must not choose its period.
pub struct CalendarSealer {
    keys: RwLock<Arc<CalendarKeys>>,
    make: MakeSealer,
    clock: Clock,
    /// In seconds; `None` if records' times are not used.
    skew: Option<u64>,
    other_times: AtomicU64,
}

/// A calendar, and the sealers of the periods that were used last; `None` for one without a key.
struct CalendarKeys {
    calendar: Arc<PublicCalendar>,
    kept: Mutex<VecDeque<(usize, Option<Arc<Sealer>>)>>,
}

/// The sealer of a period; `None` if the period was left out of the calendar.
type PeriodSealer = Result<Option<Arc<Sealer>>, Error>;

impl CalendarSealer {
    /// Creates a sealer to a public calendar.
    pub fn new(calendar: PublicCalendar, make: MakeSealer, clock: Clock) -> Self {
        Self {
            keys: RwLock::new(CalendarKeys::new(calendar)),
            make,
            clock,
            skew: None,
            other_times: AtomicU64::new(0),
        }
    }

    /// Uses the time of a record if it is within this many seconds of the current time.
    #[must_use]
    pub fn with_skew(self, seconds: u64) -> Self {
        let skew = Some(seconds);
        Self { skew, ..self }
    }

    /// Returns the calendar.
    pub fn calendar(&self) -> Arc<PublicCalendar> {
        Arc::clone(&self.keys().calendar)
    }

    fn keys(&self) -> Arc<CalendarKeys> {
        let keys = self.keys.read();
        Arc::clone(&keys.unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the calendar, such as by an extended one. A chunk that was begun is finished with
    /// the previous one.
    pub fn set_calendar(&self, calendar: PublicCalendar) {
        let current = self.keys.write();
        *current.unwrap_or_else(PoisonError::into_inner) = CalendarKeys::new(calendar);
    }

    /// Returns the number of values that were sealed to the current period because the time of
    /// their record was not used. Records that are sealed as a whole are not counted.
    pub fn other_times(&self) -> u64 {
        self.other_times.load(Ordering::Relaxed)
    }

    /// Returns the calendar with its current period, and the current time.
    fn now(&self) -> Option<CurrentPeriod> {
        let (keys, time) = (self.keys(), (self.clock)());
        let period = keys.calendar.at(time)?;
        Some(CurrentPeriod { keys, period, time })
    }

    /// Returns the period of a field's record. `has_key` tells whether a period has a key.
    fn period(
        &self,
        field: &FieldValue<'_>,
        now: &CurrentPeriod,
        has_key: impl FnOnce(usize) -> bool,
    ) -> usize {
        let Some(skew) = self.skew.filter(|_| field.text.is_some()) else {
            return now.period;
        };
        let time = parse_time(field.origin).filter(|time| time.abs_diff(now.time) <= skew);
        let period = time.and_then(|time| now.keys.calendar.at(time));
        period.filter(|at| has_key(*at)).unwrap_or_else(|| {
            self.other_times.fetch_add(1, Ordering::Relaxed);
            now.period
        })
    }
}

impl CalendarKeys {
    fn new(calendar: PublicCalendar) -> Arc<Self> {
        Arc::new(Self {
            calendar: calendar.into(),
            kept: Mutex::default(),
        })
    }

    fn sealer(&self, make: &MakeSealer, period: usize) -> PeriodSealer {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sealer)) = kept.iter().find(|(known, _)| *known == period) {
            return Ok(sealer.clone());
        }
        let sealer = match self.calendar.public_key(period) {
            Err(CalendarError::LeftOut) => None,
            key => Some(Arc::new(make(&key.map_err(Error::Calendar)?)?)),
        };
        kept.truncate(KEPT - 1);
        kept.push_front((period, sealer.clone()));
        Ok(sealer)
    }
}

/// The period at the time at which a chunk is sealed.
struct CurrentPeriod {
    keys: Arc<CalendarKeys>,
    period: usize,
    time: u64,
}

fn seal(sealer: PeriodSealer, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
    match sealer.and_then(|sealer| sealer.ok_or(Error::Calendar(CalendarError::LeftOut))) {
        Ok(sealer) => sealer.chunk(fields),
        Err(error) => failed(error.into(), fields),
    }
}

impl Transform for CalendarSealer {
    fn chunk(&self, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
        let Some(now) = self.now() else {
            return failed(Reason::NoPeriod, fields);
        };
        // Each period is read once, in whatever order the records are.
        let mut sealers = BTreeMap::new();
        let mut periods = Vec::with_capacity(fields.len());
        for field in fields {
            let period = self.period(field, &now, |period| {
                let sealer = sealers.entry(period);
                let sealer = sealer.or_insert_with(|| now.keys.sealer(&self.make, period));
                !matches!(sealer, Ok(None))
            });
            periods.push((period, field));
        }
        let groups = periods.chunk_by(|(a, _), (b, _)| a == b);
        let outcomes = groups.flat_map(|group| {
            let period = group[0].0;
            let fields: Vec<_> = group.iter().map(|(_, field)| **field).collect();
            let sealer = sealers.entry(period);
            let sealer = sealer.or_insert_with(|| now.keys.sealer(&self.make, period));
            seal(sealer.clone(), &fields)
        });
        outcomes.collect()
    }

    /// Seals to the current period: a record that cannot be sealed by its fields may have no time.
    fn whole(&self, record: &[u8]) -> Outcome {
        let record = FieldValue {
            text: Some(record),
            ..FieldValue::default()
        };
        let outcomes = match self.now() {
            Some(now) => seal(now.keys.sealer(&self.make, now.period), &[record]),
            None => failed(Reason::NoPeriod, &[record]),
        };
        outcomes.into_iter().next().unwrap_or(Outcome::Absent)
    }

    fn seals(&self) -> bool {
        true
    }

    fn uses_origins(&self) -> bool {
        self.skew.is_some()
    }
}

impl fmt::Debug for CalendarSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CalendarSealer")
            .field("calendar", &self.calendar())
            .finish_non_exhaustive()
    }
}

/// Times that are numbers below these are in seconds, milliseconds and microseconds; all others in
/// nanoseconds. The bounds are in the years 5138 and 1973.
const UNITS: [(u64, u64); 3] = [
    (100_000_000_000, 1),
    (100_000_000_000_000, 1000),
    (100_000_000_000_000_000, 1_000_000),
];

/// Parses a time of RFC 3339, or a number since 1970, as seconds since 1970. A fraction is cut off.
/// `value` is JSON or text.
fn parse_time(value: &[u8]) -> Option<u64> {
    let text = json::decode_string(value);
    let text = str::from_utf8(text.as_deref().unwrap_or(value)).ok()?;
    let text = text.trim();
    number(text).or_else(|| rfc3339(text))
}

fn number(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
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
    let are_numbers = [hours, minutes].map(|text| text.len() == 2 && is_digits(text)) == [true; 2];
    let (hours, minutes): (u64, u64) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !are_numbers || hours >= 24 || minutes >= 60 {
        return None;
    }
    let offset = hours * 3600 + minutes * 60;
    match zone.as_bytes()[0] {
        b'+' => local.checked_sub(offset),
        b'-' => Some(local + offset),
        _ => None,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
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
            assert_eq!(parse_time(text.as_bytes()), time, "{text}");
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
            assert_eq!(parse_time(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_time(&[0xff; 30]), None);
    }
}
