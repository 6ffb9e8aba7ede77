//! New calendars, and calendars made from others: public, shredded, lent, extended.
//!
//! The size of a text with private keys is computed first, since a buffer that grows leaves an
//! unwiped copy behind.

use std::ops::Range;

use pqseal_hpke::{DynKem, Policy, rand_core::TryCryptoRng};
use zeroize::Zeroizing;

use super::{
    Calendar, CalendarHeader, CalendarId, DIGITS, Error, KeyState, LEFT_OUT, MAX_PERIODS, NOT_LENT,
    PeriodLength, SHREDDED, may_have,
};
use crate::{Fingerprint, KeyError, generate, line};

/// The periods of a new calendar.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The KEM of all keys.
    pub kem: &'static DynKem,
    /// The length of the periods.
    pub length: PeriodLength,
    /// The start of the first period, in seconds since 1970.
    pub start: u64,
    /// The number of periods.
    pub count: usize,
    /// The name, 1 to 100 bytes.
    pub name: &'a str,
}

impl<'a> Plan<'a> {
    /// Plans `count` days from `start`, in seconds since 1970.
    pub const fn days(kem: &'static DynKem, start: u64, count: usize, name: &'a str) -> Self {
        Self {
            kem,
            length: PeriodLength::Day,
            start,
            count,
            name,
        }
    }
}

impl Calendar {
    /// Generates a private calendar with a new key pair for each period.
    ///
    /// # Errors
    /// [`Error::KemRefused`], [`Error::NotAStart`], [`Error::NoPeriods`],
    /// [`Error::TooManyPeriods`], [`Error::TooLate`], [`Error::Header`], [`Error::Hpke`].
    pub fn generate<R: TryCryptoRng + ?Sized>(plan: &Plan<'_>, rng: &mut R) -> Result<Self, Error> {
        if !may_have(plan.kem) {
            return Err(Error::KemRefused);
        }
        if !plan.length.may_begin(plan.start) {
            return Err(Error::NotAStart);
        }
        if plan.count == 0 {
            return Err(Error::NoPeriods);
        }
        let mut id = [0; 16];
        rng.try_fill_bytes(&mut id)
            .map_err(|_| pqseal_hpke::Error::Rng)?;
        let header = CalendarHeader::new(CalendarId(id), plan.kem, plan.length, plan.name)?;
        let text = Zeroizing::new(header.line() + "\n");
        add_periods(&text, &header, plan.start, plan.count, rng)
    }

    /// Returns the calendar with `count` more periods after the last one.
    ///
    /// # Errors
    /// [`Error::PublicOnly`], [`Error::Lent`], [`Error::Cut`], and as [`Self::generate`].
    pub fn extend<R: TryCryptoRng + ?Sized>(
        &self,
        count: usize,
        rng: &mut R,
    ) -> Result<Self, Error> {
        self.expect_private()?;
        if self.is_lent() {
            return Err(Error::Lent);
        }
        if count == 0 {
            return Err(Error::NoPeriods);
        }
        if count > MAX_PERIODS - self.count() {
            return Err(Error::TooManyPeriods);
        }
        let end = self.start_of(self.count());
        add_periods(&self.text, &self.header, end, count, rng)
    }

    /// Returns the public calendar. Periods outside of `periods`, and those without a key, are left
    /// out: only their start and fingerprint remain.
    ///
    /// # Errors
    /// [`Error::Key`], [`Error::Cut`].
    pub fn public(&self, periods: Range<usize>) -> Result<Self, Error> {
        self.expect_whole()?;
        self.rewrite(|index, state| {
            Ok(match state {
                KeyState::Present if periods.contains(&index) && self.is_private => {
                    let key = self.private_key(index)?.public_key()?;
                    Some(line::write_public(&key))
                }
                KeyState::Present if periods.contains(&index) => None,
                _ => Some(LEFT_OUT.to_owned()),
            })
        })
    }

    /// Returns the private calendar without the keys of the periods before the index `before`.
    ///
    /// # Errors
    /// [`Error::PublicOnly`], [`Error::Cut`].
    pub fn shred(&self, before: usize) -> Result<Self, Error> {
        self.expect_private()?;
        self.rewrite(|index, state| {
            let shreds = state == KeyState::Present && index < before;
            Ok(shreds.then(|| SHREDDED.to_owned()))
        })
    }

    /// Returns the private calendar with only the keys of `periods`.
    ///
    /// # Errors
    /// [`Error::PublicOnly`], [`Error::Cut`].
    pub fn lend(&self, periods: Range<usize>) -> Result<Self, Error> {
        self.expect_private()?;
        self.rewrite(|index, state| {
            let keeps = state != KeyState::Present || periods.contains(&index);
            Ok((!keeps).then(|| NOT_LENT.to_owned()))
        })
    }

    fn expect_private(&self) -> Result<(), Error> {
        match self.is_private {
            true => self.expect_whole(),
            false => Err(Error::PublicOnly),
        }
    }

    /// Returns a calendar with other last parts of lines: keys, or words in their place. `None`
    /// stays the same, so a last part that is given is never a private key. It is wiped all the
    /// same: PKCS#8 of a P-curve contains the public key, and the scan of memory looks for its parts.
    fn rewrite(
        &self,
        last_part: impl Fn(usize, KeyState) -> Result<Option<String>, Error>,
    ) -> Result<Self, Error> {
        let parts: Vec<_> = (self.periods.iter().enumerate())
            .map(|(index, period)| {
                Ok((period, last_part(index, period.state)?.map(Zeroizing::new)))
            })
            .collect::<Result<_, Error>>()?;
        let longer: usize = (parts.iter().flat_map(|(_, part)| part))
            .map(|part| part.len())
            .sum();
        let mut text = Zeroizing::new(String::with_capacity(self.text.len() + longer));
        text.extend([&self.header.line(), "\n"]);
        for (period, part) in &parts {
            let old = self.last_part(period);
            let before = &self.text[period.at.start..period.at.end - old.len()];
            text.extend([before, part.as_deref().map_or(old, String::as_str), "\n"]);
        }
        Self::read(text)
    }
}

/// Returns a private calendar: the text `before`, and `count` new periods from `start` on.
fn add_periods<R: TryCryptoRng + ?Sized>(
    before: &str,
    header: &CalendarHeader,
    start: u64,
    count: usize,
    rng: &mut R,
) -> Result<Calendar, Error> {
    if count > MAX_PERIODS {
        return Err(Error::TooManyPeriods);
    }
    header.length.end(start, count).ok_or(Error::TooLate)?;
    let mut text: Zeroizing<String> = Zeroizing::default();
    for index in 0..count {
        let (key, public) = generate(header.kem, &Policy::draft(), rng)?;
        let name = (header.length).name_of(start + index as u64 * header.length.seconds());
        let key = line::write_private(&key).map_err(|error| match error {
            KeyError::Hpke(error) => Error::Hpke(error),
            error => Error::Key(1, error),
        })?;
        if index == 0 {
            // All lines have the same length.
            let line = name.len() + DIGITS + key.len() + 3;
            *text = String::with_capacity(before.len() + count * line);
            text.push_str(before);
        }
        text.extend([&name, " ", &Fingerprint::of(&public).to_string(), " "]);
        text.extend([&key, "\n"]);
    }
    Calendar::read(text)
}
