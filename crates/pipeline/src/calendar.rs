//! Sealing to the keys of a calendar: each record to that of the current period, or of its own
//! time.

mod time;

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use pqseal_hpke::AnyPublicKey;
use pqseal_keys::calendar::{Error as CalendarError, PublicCalendar};
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
    keys: RwLock<Arc<Keys>>,
    make: MakeSealer,
    clock: Clock,
    /// In seconds; `None` if records' times are not used.
    skew: Option<u64>,
    other_times: AtomicU64,
}

/// A calendar, and the sealers of the periods that were used last; `None` for one without a key.
struct Keys {
    calendar: Arc<PublicCalendar>,
    kept: Mutex<VecDeque<(usize, Option<Arc<Sealer>>)>>,
}

/// The sealer of a period; `None` if the period was left out of the calendar.
type Kept = Result<Option<Arc<Sealer>>, Error>;

impl CalendarSealer {
    /// Creates a sealer to a public calendar.
    pub fn new(calendar: PublicCalendar, make: MakeSealer, clock: Clock) -> Self {
        Self {
            keys: RwLock::new(Keys::new(calendar)),
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

    fn keys(&self) -> Arc<Keys> {
        let keys = self.keys.read();
        Arc::clone(&keys.unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the calendar, such as by an extended one. A chunk that was begun is finished with
    /// the previous one.
    pub fn set_calendar(&self, calendar: PublicCalendar) {
        let current = self.keys.write();
        *current.unwrap_or_else(PoisonError::into_inner) = Keys::new(calendar);
    }

    /// Returns the number of values that were sealed to the current period because the time of
    /// their record was not used. Records that are sealed as a whole are not counted.
    pub fn other_times(&self) -> u64 {
        self.other_times.load(Ordering::Relaxed)
    }

    /// Returns the calendar with its current period, and the current time.
    fn now(&self) -> Option<Now> {
        let (keys, time) = (self.keys(), (self.clock)());
        let period = keys.calendar.at(time)?;
        Some(Now { keys, period, time })
    }

    /// Returns the period of a record. `has_key` tells whether a period has a key.
    fn period(&self, record: &Record<'_>, now: &Now, has_key: impl FnOnce(usize) -> bool) -> usize {
        let Some(skew) = self.skew.filter(|_| record.text.is_some()) else {
            return now.period;
        };
        let time = time::parse(record.origin).filter(|time| time.abs_diff(now.time) <= skew);
        let period = time.and_then(|time| now.keys.calendar.at(time));
        period.filter(|at| has_key(*at)).unwrap_or_else(|| {
            self.other_times.fetch_add(1, Ordering::Relaxed);
            now.period
        })
    }
}

impl Keys {
    fn new(calendar: PublicCalendar) -> Arc<Self> {
        Arc::new(Self {
            calendar: calendar.into(),
            kept: Mutex::default(),
        })
    }

    fn sealer(&self, make: &MakeSealer, period: usize) -> Kept {
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

/// The state of a chunk.
struct Now {
    keys: Arc<Keys>,
    period: usize,
    time: u64,
}

fn seal(sealer: Kept, records: &[Record<'_>]) -> Vec<Outcome> {
    match sealer.and_then(|sealer| sealer.ok_or(Error::Calendar(CalendarError::LeftOut))) {
        Ok(sealer) => sealer.chunk(records),
        Err(error) => failed(error.into(), records.len()),
    }
}

fn failed(reason: Reason, count: usize) -> Vec<Outcome> {
    vec![Outcome::Failed(Failure::new(reason)); count]
}

impl Transform for CalendarSealer {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        let Some(now) = self.now() else {
            return failed(Reason::NoPeriod, records.len());
        };
        // Each period is read once, in whatever order the records are.
        let mut sealers = BTreeMap::new();
        let mut sealer = |period| -> Kept {
            let make = || now.keys.sealer(&self.make, period);
            sealers.entry(period).or_insert_with(make).clone()
        };
        let mut periods = Vec::with_capacity(records.len());
        for record in records {
            let has_key = |period| !matches!(sealer(period), Ok(None));
            periods.push((self.period(record, &now, has_key), record));
        }
        let groups = periods.chunk_by(|(a, _), (b, _)| a == b);
        let seal_group = |group: &[(usize, &Record<'_>)]| {
            let records: Vec<_> = group.iter().map(|(_, record)| **record).collect();
            seal(sealer(group[0].0), &records)
        };
        groups.flat_map(seal_group).collect()
    }

    /// Seals to the current period: a record that cannot be sealed by its fields may have no time.
    fn whole(&self, record: &[u8]) -> Outcome {
        let record = Record {
            text: Some(record),
            ..Record::default()
        };
        let outcomes = match self.now() {
            Some(now) => seal(now.keys.sealer(&self.make, now.period), &[record]),
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
