//! Sealing to the keys of a calendar: each record to that of the current period, or of its own
//! time.

mod time;

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::calendar::{Calendar, KeyState};
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
/// time than the skew, is not a time, or its period has no key, the current period is used: the writer of a record must
/// not choose its period.
pub struct CalendarSealer {
    calendar: Calendar,
    make: MakeSealer,
    clock: Clock,
    /// In seconds; `None` if records' times are not used.
    skew: Option<u64>,
    kept: Mutex<VecDeque<(usize, Arc<Sealer>)>>,
    other_times: AtomicU64,
}

impl CalendarSealer {
    /// Creates a sealer to a public calendar.
    pub fn new(calendar: Calendar, make: MakeSealer, clock: Clock) -> Self {
        Self {
            calendar,
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

    /// Returns the number of records whose time was not used.
    pub fn other_times(&self) -> u64 {
        self.other_times.load(Ordering::Relaxed)
    }

    /// Returns the index of the current period, and the current time.
    fn now(&self) -> Option<(usize, u64)> {
        let now = (self.clock)();
        Some((self.calendar.at(now)?, now))
    }

    fn period(&self, record: &Record<'_>, (current, now): (usize, u64)) -> usize {
        let Some(skew) = self.skew.filter(|_| record.text.is_some()) else {
            return current;
        };
        let time = time::parse(record.origin).filter(|time| time.abs_diff(now) <= skew);
        let period = time.and_then(|time| self.calendar.at(time));
        let period = period.filter(|at| self.calendar.state(*at) == Some(KeyState::Present));
        period.unwrap_or_else(|| {
            self.other_times.fetch_add(1, Ordering::Relaxed);
            current
        })
    }

    fn sealer(&self, period: usize) -> Result<Arc<Sealer>, Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sealer)) = kept.iter().find(|(known, _)| *known == period) {
            return Ok(Arc::clone(sealer));
        }
        let key = self.calendar.public_key(period);
        let sealer = Arc::new((self.make)(&key.map_err(Error::Calendar)?)?);
        kept.truncate(KEPT - 1);
        kept.push_front((period, Arc::clone(&sealer)));
        Ok(sealer)
    }
}

impl Transform for CalendarSealer {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        let failed = |reason: Reason, count| vec![Outcome::Failed(Failure::new(reason)); count];
        let Some(now) = self.now() else {
            return failed(Reason::NoPeriod, records.len());
        };
        let periods: Vec<_> = records
            .iter()
            .map(|record| (self.period(record, now), record))
            .collect();
        let groups = periods.chunk_by(|(a, _), (b, _)| a == b);
        let seal = |group: &[(usize, &Record<'_>)]| {
            let records: Vec<_> = group.iter().map(|(_, record)| **record).collect();
            match self.sealer(group[0].0) {
                Ok(sealer) => sealer.chunk(&records),
                Err(error) => failed(error.into(), records.len()),
            }
        };
        groups.flat_map(seal).collect()
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
            .field("calendar", &self.calendar)
            .finish_non_exhaustive()
    }
}
