//! Sealing to the keys of a calendar: each record to that of the current period, or of its own
//! time.

mod time;

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{
    Fingerprint,
    calendar::{Calendar, KeyState},
};
use pqseal_matched_data::{Error, Sealer};

use crate::{
    batch::{Failure, Outcome, Record, Transform},
    reason::Reason,
};

/// The number of periods whose keys are kept: records may be late, and in any order.
const KEPT: usize = 16;

/// Makes the sealer of a period's key. It must seal in version 4.
pub type MakeSealer = Box<dyn Fn(&AnyPublicKey) -> Result<Sealer, Error> + Send + Sync>;

/// Returns the current time in seconds since 1970.
pub type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// Seals each record to a period of a public calendar. A record without a current period fails with
/// [`Reason::NoPeriod`].
///
/// With a skew, a record's time is read from [`Record::origin`]: RFC 3339, or Unix seconds,
/// milliseconds, microseconds or nanoseconds, as JSON or as text. If it is further from the current
/// time than the skew, is not a time, or its period has no key, the current period is used: the
/// writer of a record must not choose its period.
pub struct CalendarSealer {
    calendar: RwLock<Arc<Calendar>>,
    make: MakeSealer,
    clock: Clock,
    /// In seconds; `None` if records' times are not used.
    skew: Option<u64>,
    /// By the fingerprint of the key, which stays true when the calendar is replaced.
    kept: Mutex<VecDeque<(Fingerprint, Arc<Sealer>)>>,
    other_times: AtomicU64,
}

impl CalendarSealer {
    /// Creates a sealer to a public calendar.
    pub fn new(calendar: Calendar, make: MakeSealer, clock: Clock) -> Self {
        Self {
            calendar: RwLock::new(calendar.into()),
            make,
            clock,
            skew: None,
            kept: Mutex::default(),
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
    pub fn calendar(&self) -> Arc<Calendar> {
        let calendar = self.calendar.read();
        Arc::clone(&calendar.unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the calendar, such as by an extended one. A chunk that was begun is finished with
    /// the previous one.
    pub fn set_calendar(&self, calendar: Calendar) {
        let current = self.calendar.write();
        *current.unwrap_or_else(PoisonError::into_inner) = calendar.into();
    }

    /// Returns the number of values that were sealed to the current period because the time of
    /// their record was not used. Records that are sealed as a whole are not counted.
    pub fn other_times(&self) -> u64 {
        self.other_times.load(Ordering::Relaxed)
    }

    /// Returns the calendar with its current period, and the current time.
    fn now(&self) -> Option<Now> {
        let (calendar, time) = (self.calendar(), (self.clock)());
        let period = calendar.at(time)?;
        Some(Now {
            calendar,
            period,
            time,
        })
    }

    fn period(&self, record: &Record<'_>, now: &Now) -> usize {
        let Some(skew) = self.skew.filter(|_| record.text.is_some()) else {
            return now.period;
        };
        let time = time::parse(record.origin).filter(|time| time.abs_diff(now.time) <= skew);
        let period = time.and_then(|time| now.calendar.at(time));
        let period = period.filter(|at| now.calendar.state(*at) == Some(KeyState::Present));
        period.unwrap_or_else(|| {
            self.other_times.fetch_add(1, Ordering::Relaxed);
            now.period
        })
    }

    fn seal(&self, calendar: &Calendar, period: usize, records: &[Record<'_>]) -> Vec<Outcome> {
        match self.sealer(calendar, period) {
            Ok(sealer) => sealer.chunk(records),
            Err(error) => failed(error.into(), records.len()),
        }
    }

    fn sealer(&self, calendar: &Calendar, period: usize) -> Result<Arc<Sealer>, Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = calendar.key_fingerprint(period);
        if let Some((_, sealer)) = kept.iter().find(|(known, _)| Some(*known) == wanted) {
            return Ok(Arc::clone(sealer));
        }
        let key = calendar.public_key(period).map_err(Error::Calendar)?;
        let sealer = Arc::new((self.make)(&key)?);
        kept.truncate(KEPT - 1);
        kept.push_front((Fingerprint::of(&key), Arc::clone(&sealer)));
        Ok(sealer)
    }
}

/// The state of a chunk.
struct Now {
    calendar: Arc<Calendar>,
    period: usize,
    time: u64,
}

fn failed(reason: Reason, count: usize) -> Vec<Outcome> {
    vec![Outcome::Failed(Failure::new(reason)); count]
}

impl Transform for CalendarSealer {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        let Some(now) = self.now() else {
            return failed(Reason::NoPeriod, records.len());
        };
        let periods: Vec<_> = records
            .iter()
            .map(|record| (self.period(record, &now), record))
            .collect();
        let groups = periods.chunk_by(|(a, _), (b, _)| a == b);
        let seal = |group: &[(usize, &Record<'_>)]| {
            let records: Vec<_> = group.iter().map(|(_, record)| **record).collect();
            self.seal(&now.calendar, group[0].0, &records)
        };
        groups.flat_map(seal).collect()
    }

    /// Seals to the current period: a record that cannot be sealed by its fields may have no time.
    fn whole(&self, record: &[u8]) -> Outcome {
        let record = Record {
            text: Some(record),
            ..Record::default()
        };
        let outcomes = match self.now() {
            Some(now) => self.seal(&now.calendar, now.period, &[record]),
            None => failed(Reason::NoPeriod, 1),
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
