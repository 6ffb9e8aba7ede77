//! Calendars: a key pair for each period.

use std::sync::{Arc, PoisonError};

use pqseal_keys::calendar::{Calendar, Error, KeyState};
use zeroize::Zeroizing;

use crate::{
    matched_data::seal,
    pqseal_key_ring,
    pqseal_status::{self, PQSEAL_ERROR_ARGUMENT},
    raw::{Output, Place, free, guard, reference, slice},
};

/// A calendar: an independent key pair for each hour, day or week. It has no clock: times are
/// arguments, in seconds since 1970.
pub struct pqseal_calendar(Arc<Calendar>);

/// The properties of a calendar.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pqseal_calendar_facts {
    /// The id, which all files of a calendar have.
    pub id: [u8; 16],
    /// The id of the KEM of all keys.
    pub kem: u16,
    /// 1 for a private calendar, also a lent one or one without a key; 0 for a public one.
    pub is_private: u8,
    /// The number of periods.
    pub count: usize,
}

/// The state of a period's key in a calendar.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pqseal_period_state {
    /// The key is there.
    PQSEAL_PERIOD_KEY = 0,
    /// The private key was shredded.
    PQSEAL_PERIOD_SHREDDED = 1,
    /// The private key is not in this lent calendar.
    PQSEAL_PERIOD_NOT_LENT = 2,
    /// The public key was left out.
    PQSEAL_PERIOD_LEFT_OUT = 3,
}

/// A period of a calendar.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pqseal_period {
    /// The start, in seconds since 1970.
    pub start: u64,
    /// The end, in seconds since 1970.
    pub end: u64,
    /// The id of its key, by which blobs name it.
    pub key_id: [u8; 8],
    /// The state of its key.
    pub state: pqseal_period_state,
}

/// Reads a public, private or lent calendar. Keys are decoded when they are used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_calendar_read(
    file: *const u8,
    len: usize,
    calendar: *mut *mut pqseal_calendar,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (file, place) = unsafe { (slice(file, len)?, Place::new(calendar)?) };
        let parsed = Calendar::parse(Zeroizing::new(file.to_vec()))?;
        place.give(pqseal_calendar(parsed.into()));
        Ok(())
    })
}

/// Describes a calendar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_calendar_describe(
    calendar: *const pqseal_calendar,
    facts: *mut pqseal_calendar_facts,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (calendar, place) = unsafe { (reference(calendar)?, Place::new(facts)?) };
        place.set(pqseal_calendar_facts {
            id: calendar.0.id().to_bytes(),
            kem: calendar.0.kem_info().id,
            is_private: calendar.0.is_private().into(),
            count: calendar.0.count(),
        });
        Ok(())
    })
}

/// Describes the period at `index`, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_calendar_period(
    calendar: *const pqseal_calendar,
    index: usize,
    period: *mut pqseal_period,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (calendar, place) = unsafe { (reference(calendar)?, Place::new(period)?) };
        let fingerprint = calendar.0.key_fingerprint(index);
        let (Some(fingerprint), Some(state)) = (fingerprint, calendar.0.state(index)) else {
            return Err(PQSEAL_ERROR_ARGUMENT);
        };
        let key_id = fingerprint.key_id();
        place.set(pqseal_period {
            start: calendar.0.start_of(index),
            end: calendar.0.start_of(index + 1),
            key_id: key_id.as_ref().first_chunk().copied().unwrap_or_default(),
            state: match state {
                KeyState::Present => pqseal_period_state::PQSEAL_PERIOD_KEY,
                KeyState::Shredded => pqseal_period_state::PQSEAL_PERIOD_SHREDDED,
                KeyState::NotLent => pqseal_period_state::PQSEAL_PERIOD_NOT_LENT,
                KeyState::LeftOut => pqseal_period_state::PQSEAL_PERIOD_LEFT_OUT,
            },
        });
        Ok(())
    })
}

/// Writes the index of the period that contains a time. PQSEAL_ERROR_NO_PERIOD outside the
/// calendar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_calendar_at(
    calendar: *const pqseal_calendar,
    time: u64,
    index: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (calendar, place) = unsafe { (reference(calendar)?, Place::new(index)?) };
        place.set(calendar.at(time)?);
        Ok(())
    })
}

/// Seals matched data to the period of a public calendar that contains `time`, as
/// pqseal_matched_data_seal does, in version 4.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_calendar_seal(
    calendar: *const pqseal_calendar,
    time: u64,
    info: *const u8,
    info_len: usize,
    aad: *const u8,
    aad_len: usize,
    pt: *const u8,
    pt_len: usize,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (calendar, info, aad) = unsafe {
            (
                reference(calendar)?,
                slice(info, info_len)?,
                slice(aad, aad_len)?,
            )
        };
        // SAFETY: by the header's rules.
        let (pt, out) = unsafe { (slice(pt, pt_len)?, Output::new(out, capacity, out_len)?) };
        let key = calendar.0.public_key(calendar.at(time)?)?;
        seal(&key, Some(4), info, aad, pt, out)
    })
}

/// Adds the keys of a private or lent calendar at the end of a ring, which keeps a reference: the
/// handle may be freed. Each period takes an index. Its keys are not tried for blobs of versions 1 to
/// 3. A public calendar is PQSEAL_ERROR_KEY_PUBLIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_key_ring_add_calendar(
    ring: *const pqseal_key_ring,
    calendar: *const pqseal_calendar,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (ring, calendar) = unsafe { (reference(ring)?, reference(calendar)?) };
        let mut ring = ring.0.write().unwrap_or_else(PoisonError::into_inner);
        ring.add_calendar(Arc::clone(&calendar.0))?;
        Ok(())
    })
}

/// Frees a calendar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_calendar_free(calendar: *mut pqseal_calendar) {
    // SAFETY: by the header's rules.
    unsafe { free(calendar) }
}

impl pqseal_calendar {
    fn at(&self, time: u64) -> Result<usize, Error> {
        self.0.at(time).ok_or(Error::NoPeriod)
    }
}
