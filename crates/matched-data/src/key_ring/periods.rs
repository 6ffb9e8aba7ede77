//! The keys of calendars. A key is decoded when a blob first names it, once for all threads. A ring
//! keeps the last 64.

use std::{
    ops::{Deref, Range},
    sync::{Arc, PoisonError},
};

use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{
    KeyId,
    calendar::{Calendar, KeyState},
};

#[cfg(feature = "calendar")]
use super::RingEntry;
use super::{DecodedKey, KeyName, KeyRing, PeriodIndex, Periods, RingKey};
use crate::Error;
#[cfg(feature = "calendar")]
use crate::v4::find_kem;

/// The number of decoded keys that a ring keeps.
const KEPT: usize = 64;

impl KeyRing {
    /// Adds the keys of a private calendar at the end, in the order of their periods, and returns
    /// their indices. No key is decoded now. They are not tried on blobs of versions 1 to 3. For a
    /// blob that names a period without a key, the error has the reason.
    ///
    /// # Errors
    /// [`Error::Calendar`] for a public calendar, and as [`KeyRing::add`].
    #[cfg(feature = "calendar")]
    pub fn add_calendar(&mut self, calendar: Arc<Calendar>) -> Result<Range<usize>, Error> {
        find_kem(calendar.kem().info().id)?;
        if !calendar.is_private() {
            return Err(Error::Calendar(pqseal_keys::calendar::Error::PublicOnly));
        }
        let (number, first) = (self.periods.calendars.len(), self.entries.len());
        for index in 0..calendar.count() {
            let Some(fingerprint) = calendar.key_fingerprint(index) else {
                continue;
            };
            let id = fingerprint.key_id();
            let state = calendar.state(index);
            if state != Some(KeyState::Present) {
                let missing = self.periods.missing.entry(id).or_insert((number, index));
                // Nobody can lend it.
                if state == Some(KeyState::Shredded) {
                    *missing = (number, index);
                }
                continue;
            }
            let label = format!("{} {}", calendar.name(), calendar.period_name(index));
            let label = Some(Arc::new(label));
            self.places.entry(id).or_insert(self.entries.len());
            self.entries.push(RingEntry {
                key: RingKey::Period((number, index)),
                name: KeyName { id, label },
            });
        }
        let places = first..self.entries.len();
        self.periods.calendars.push((calendar, places.clone()));
        Ok(places)
    }

    /// Lists the calendars with the indices of their keys, in the order in which they were added.
    pub fn calendars(&self) -> impl Iterator<Item = (&Calendar, Range<usize>)> {
        let calendars = self.periods.calendars.iter();
        calendars.map(|(calendar, places)| (&**calendar, places.clone()))
    }

    /// Lists the names of the keys for reports, in the order in which they were added. All keys of a
    /// calendar have the calendar's name, and the first 8 bytes of its id.
    pub fn report_names(&self) -> Vec<KeyName> {
        let mut names: Vec<_> = self.names().cloned().collect();
        for (calendar, places) in self.calendars() {
            let [a, b, c, d, e, f, g, h, ..] = calendar.id().to_bytes();
            let name = KeyName {
                id: KeyId::new([a, b, c, d, e, f, g, h]),
                label: Some(Arc::new(calendar.name().to_owned())),
            };
            names[places].fill(name);
        }
        names
    }

    /// Returns the key at an index, decoded if it is of a calendar.
    pub(super) fn load(&self, place: usize) -> Result<KeyRef<'_>, Error> {
        match &self.entries[place].key {
            RingKey::Private { key, .. } => Ok(KeyRef::Private(key)),
            RingKey::Period(period) if cfg!(feature = "calendar") => {
                self.periods.load(*period).map(KeyRef::Period)
            }
            RingKey::Period(_) => unreachable!("no calendar can be added"),
        }
    }

    /// Returns the error for a key that is not in the ring.
    pub(super) fn no_key(&self, wanted: KeyId) -> Error {
        if let Some((number, index)) = self.periods.missing.get(&wanted)
            && cfg!(feature = "calendar")
        {
            let (calendar, _) = &self.periods.calendars[*number];
            let period = format!("{} of {}", calendar.period_name(*index), calendar.name());
            match calendar.state(*index) {
                Some(KeyState::Shredded) => return Error::KeyShredded { wanted, period },
                Some(KeyState::NotLent) => return Error::KeyNotLent { wanted, period },
                _ => {}
            }
        }
        Error::NoKeyWithId {
            wanted,
            have: self.key_ids().take(Error::MAX_KEYS_NAMED).collect(),
            count: self.entries.len(),
        }
    }
}

impl Periods {
    fn load(&self, period: PeriodIndex) -> Result<DecodedKey, Error> {
        let key = self.kept(period);
        let (calendar, _) = &self.calendars[period.0];
        // Other keys can be decoded meanwhile, since the list is not locked.
        match key.get_or_init(|| calendar.private_key(period.1).map_err(Error::Calendar)) {
            Ok(_) => Ok(key),
            Err(error) => Err(error.clone()),
        }
    }

    /// Returns the place for the key, which is now the most recently used one.
    fn kept(&self, period: PeriodIndex) -> DecodedKey {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().position(|(other, _)| *other == period);
        let (_, key) = found
            .and_then(|at| kept.remove(at))
            .unwrap_or_else(|| (period, DecodedKey::default()));
        kept.truncate(KEPT - 1);
        kept.push_front((period, key.clone()));
        key
    }
}

/// A key of the ring, which lives at least as long as this.
pub(super) enum KeyRef<'r> {
    Private(&'r AnyPrivateKey),
    Period(DecodedKey),
}

impl Deref for KeyRef<'_> {
    type Target = AnyPrivateKey;

    fn deref(&self) -> &AnyPrivateKey {
        match self {
            Self::Private(key) => key,
            Self::Period(key) => match key.get() {
                Some(Ok(key)) => key,
                _ => unreachable!("it was decoded"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Periods};

    #[test]
    fn the_least_recently_used_key_goes_first() {
        let periods = Periods::new();
        let kept = |period| {
            let kept = periods.kept.lock().unwrap();
            kept.iter().any(|(other, _)| *other == (0, period))
        };
        (0..KEPT).for_each(|period| drop(periods.kept((0, period))));
        periods.kept((0, 0));
        periods.kept((0, KEPT));
        assert!(kept(0) && !kept(1) && (2..=KEPT).all(kept));
        assert_eq!(periods.kept.lock().unwrap().len(), KEPT);
    }
}
