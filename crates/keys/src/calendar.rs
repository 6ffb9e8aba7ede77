//! Calendars: an independent key pair for each hour, day or week, all made in advance.
//!
//! Shredding the private keys of past periods makes what was sealed in them unreadable. Lending
//! gives out the keys of a few periods. `docs/calendar.md` describes the format byte for byte.
//!
//! ```
//! use pqseal_keys::{SysRng, calendar::{Calendar, KeyState, Plan}, kem_by_name};
//!
//! let kem = kem_by_name("mlkem768-x25519").expect("a KEM of this crate");
//! let december = 1_764_547_200; // 2025-12-01, in seconds since 1970
//! let private = Calendar::generate(&Plan::days(kem, december, 31, "logs"), &mut SysRng)?;
//! let public = private.public(0..31)?;
//! assert_eq!(public.fingerprint(), private.fingerprint());
//!
//! let christmas = private.at(december + 24 * 86_400).expect("it is in the calendar");
//! assert_eq!(private.period_name(christmas), "2025-12-25");
//! let key = pqseal_keys::public_key(&private.private_key(christmas)?).expect("it has one");
//! assert_eq!(public.public_key(christmas)?, key);
//!
//! let shredded = private.shred(christmas)?;
//! assert_eq!(shredded.state(0), Some(KeyState::Shredded));
//! assert!(shredded.private_key(christmas).is_ok());
//! # Ok::<(), pqseal_keys::calendar::Error>(())
//! ```

pub mod date;
mod error;
mod length;
mod parse;
mod write;

use std::{fmt, ops::Range};

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, KemInfo, Status};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

pub use error::Error;
pub use length::PeriodLength;
pub use parse::{PublicCalendar, is};
pub use write::Plan;

use crate::{Fingerprint, line};

/// The largest file, in bytes: 32 MiB. The public calendar of a year of hours has 15 MB with
/// MLKEM768-X25519.
pub const MAX_LEN: usize = 32 << 20;
/// The largest number of periods.
pub const MAX_PERIODS: usize = 10_000;
/// The code of a blob whose key was shredded.
pub const KEY_SHREDDED: &str = "key_shredded";
/// The code of a blob whose key is not in a lent calendar.
pub const KEY_NOT_LENT: &str = "key_not_lent";
/// The code of a failure to seal outside the periods of a calendar.
pub const NO_PERIOD: &str = "no_period";

/// The first word of a calendar.
const FIRST_WORD: &str = "pqseal-calendar";
/// The longest name, in bytes.
const MAX_NAME: usize = 100;
/// The size of a fingerprint in hexadecimal, in bytes.
const DIGITS: usize = 64;
/// The words in the place of a key.
const SHREDDED: &str = "shredded";
const NOT_LENT: &str = "not-lent";
const LEFT_OUT: &str = "left-out";
/// X25519Kyber768Draft00, which HPKE's hybrids replaced.
const X25519_KYBER_768_DRAFT_00: u16 = 0x0030;

/// A private or a public calendar: all periods, and the keys of those that have one in this file. A
/// private calendar is wiped on drop.
pub struct Calendar {
    header: CalendarHeader,
    /// The start of the first period, in seconds since 1970.
    start: u64,
    periods: Vec<Period>,
    is_private: bool,
    is_cut: bool,
    text: Zeroizing<String>,
}

impl Calendar {
    /// Returns the id, which all files of one calendar have.
    pub const fn id(&self) -> CalendarId {
        self.header.id
    }

    /// Returns the KEM of all keys.
    pub const fn kem(&self) -> &'static DynKem {
        self.header.kem
    }

    /// Returns the entry of the KEM.
    pub fn kem_info(&self) -> &'static KemInfo {
        self.header.kem.info()
    }

    /// Returns the length of the periods.
    pub const fn period_length(&self) -> PeriodLength {
        self.header.length
    }

    /// Returns the name of the calendar.
    pub fn name(&self) -> &str {
        &self.header.name
    }

    /// Reports whether it is a private calendar, even if it has no key left.
    pub const fn is_private(&self) -> bool {
        self.is_private
    }

    /// Reports whether some keys of this private calendar were not lent.
    pub fn is_lent(&self) -> bool {
        let mut periods = self.periods.iter();
        periods.any(|period| period.state == KeyState::NotLent)
    }

    /// Reports whether the last line has no line end, and so was not read.
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the number of periods.
    pub const fn count(&self) -> usize {
        self.periods.len()
    }

    /// Returns the start of the period at this index, in seconds since 1970. For an index after the
    /// last period it is the end of that one.
    pub fn start_of(&self, index: usize) -> u64 {
        let index = index.min(self.count()) as u64;
        self.start + index * self.header.length.seconds()
    }

    /// Returns the name of the period at this index, which is its start, such as `2026-12-01`.
    pub fn period_name(&self, index: usize) -> String {
        self.header.length.name_of(self.start_of(index))
    }

    /// Returns the index of the period that contains `time`, in seconds since 1970; `None` outside
    /// the calendar.
    pub fn at(&self, time: u64) -> Option<usize> {
        self.header.length.index(self.start, self.count(), time)
    }

    /// Returns the index of the period that begins at `time`, in seconds since 1970, or the number
    /// of periods if the last one ends then.
    ///
    /// # Errors
    /// [`Error::NotAStart`] for any other time.
    pub fn beginning(&self, time: u64) -> Result<usize, Error> {
        let index = match time == self.start_of(self.count()) {
            true => Some(self.count()),
            false => self.at(time),
        };
        let index = index.filter(|index| self.start_of(*index) == time);
        index.ok_or(Error::NotAStart)
    }

    /// Returns the fingerprint that the calendar has for the key of a period. The key itself is
    /// compared with it only when it is used.
    pub fn key_fingerprint(&self, index: usize) -> Option<Fingerprint> {
        self.periods.get(index).map(|period| period.fingerprint)
    }

    /// Returns the state of the key of the period at this index.
    pub fn state(&self, index: usize) -> Option<KeyState> {
        self.periods.get(index).map(|period| period.state)
    }

    /// Decodes the private key of a period, and checks that it has the period's fingerprint.
    ///
    /// # Errors
    /// The reason why this file has no such key, or [`Error::Key`] if the key is wrong.
    pub fn private_key(&self, index: usize) -> Result<AnyPrivateKey, Error> {
        if !self.is_private {
            return Err(Error::PublicOnly);
        }
        let key = line::read_private(self.key_text(index)?)
            .map_err(|error| Error::Key(index + 2, error))?;
        let public = key.public_key()?;
        self.expect(index, &public)?;
        Ok(key)
    }

    /// Decodes the public key of a period, and checks that it has the period's fingerprint.
    ///
    /// # Errors
    /// As [`Self::private_key`].
    pub fn public_key(&self, index: usize) -> Result<AnyPublicKey, Error> {
        if self.is_private {
            return Err(Error::PrivateGiven);
        }
        let key = line::read_public(self.key_text(index)?)
            .map_err(|error| Error::Key(index + 2, error))?;
        self.expect(index, &key)?;
        Ok(key)
    }

    /// Checks every key in the file against its fingerprint, and that the file was not cut.
    ///
    /// # Errors
    /// That of the first wrong key, or else [`Error::Cut`].
    pub fn check(&self) -> Result<(), Error> {
        for index in self.present() {
            match self.is_private {
                true => self.private_key(index).map(drop),
                false => self.public_key(index).map(drop),
            }?;
        }
        self.expect_whole()
    }

    /// Lists the indices of the periods that have a key.
    pub fn present(&self) -> impl Iterator<Item = usize> {
        let periods = self.periods.iter().enumerate();
        periods
            .filter(|(_, period)| period.state == KeyState::Present)
            .map(|(index, _)| index)
    }

    /// Returns the fingerprint of the calendar.
    pub fn fingerprint(&self) -> CalendarFingerprint {
        self.chain()
            .last()
            .expect("it begins with the first line's")
    }

    /// Lists the hash chain: the hash of the first line, and then one hash for each period. The
    /// last one is the calendar's fingerprint. Before an extension, an earlier one was.
    pub fn chain(&self) -> impl Iterator<Item = CalendarFingerprint> {
        let first = CalendarFingerprint::of_header(&self.header);
        let periods = self.periods.iter().enumerate();
        let rest = periods.scan(first, |hash, (index, period)| {
            *hash = hash.and(self.start_of(index), &period.fingerprint);
            Some(*hash)
        });
        std::iter::once(first).chain(rest)
    }

    /// Returns the text of the file.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text of the file from the line of the period at this index on.
    pub fn lines_from(&self, index: usize) -> &str {
        let period = self.periods.get(index);
        period.map_or("", |period| &self.text[period.at.start..])
    }

    fn key_text(&self, index: usize) -> Result<&str, Error> {
        let period = self.periods.get(index).ok_or(Error::NotAStart)?;
        match period.state {
            KeyState::Present => Ok(self.last_part(period)),
            KeyState::Shredded => Err(Error::Shredded),
            KeyState::NotLent => Err(Error::NotLent),
            KeyState::LeftOut => Err(Error::LeftOut),
        }
    }

    /// Returns the key of a line, or the word in its place.
    fn last_part(&self, period: &Period) -> &str {
        let before = self.header.length.name_len() + 1 + DIGITS + 1;
        &self.text[period.at.start + before..period.at.end]
    }

    fn expect(&self, index: usize, key: &AnyPublicKey) -> Result<(), Error> {
        match Fingerprint::of(key) == self.periods[index].fingerprint {
            true => Ok(()),
            false => Err(Error::OtherKey(index + 2)),
        }
    }

    fn expect_whole(&self) -> Result<(), Error> {
        match self.is_cut {
            true => Err(Error::Cut),
            false => Ok(()),
        }
    }
}

impl Drop for Calendar {
    /// Drops the text of a public calendar without wiping it, since it is not secret and has up to
    /// 32 MiB.
    fn drop(&mut self) {
        if !self.is_private {
            drop(std::mem::take(&mut *self.text));
        }
    }
}

/// Shows no key.
impl fmt::Debug for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calendar")
            .field("id", &self.header.id.to_string())
            .field("name", &self.header.name)
            .field("periods", &self.periods.len())
            .field("is_private", &self.is_private)
            .finish_non_exhaustive()
    }
}

/// The state of a period's key in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// The key is there.
    Present,
    /// The private key was shredded.
    Shredded,
    /// The private key is not in this lent file.
    NotLent,
    /// The public key was left out.
    LeftOut,
}

impl KeyState {
    /// Returns its name: `key`, `shredded`, `not-lent` or `left-out`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Present => "key",
            Self::Shredded => SHREDDED,
            Self::NotLent => NOT_LENT,
            Self::LeftOut => LEFT_OUT,
        }
    }
}

/// The random id of a calendar, 16 bytes, shown as 32 hexadecimal digits. All files of one calendar
/// have the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CalendarId([u8; 16]);

impl CalendarId {
    /// Returns the bytes.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for CalendarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A hash of the chain over a calendar, shown as 64 hexadecimal digits. It covers the first line,
/// and the starts and fingerprints of the periods up to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CalendarFingerprint([u8; 32]);

impl CalendarFingerprint {
    /// Computes `SHA-256("pqseal calendar" || first line)`.
    fn of_header(header: &CalendarHeader) -> Self {
        let hash = Sha256::new()
            .chain_update("pqseal calendar")
            .chain_update(header.line());
        Self(hash.finalize().into())
    }

    /// Computes `SHA-256("pqseal calendar period" || self || start || fingerprint)`, where `start`
    /// is in seconds since 1970, 8 bytes big-endian.
    fn and(self, start: u64, fingerprint: &Fingerprint) -> Self {
        let hash = Sha256::new()
            .chain_update("pqseal calendar period")
            .chain_update(self.0)
            .chain_update(start.to_be_bytes());
        Self(hash.chain_update(fingerprint).finalize().into())
    }
}

impl fmt::Display for CalendarFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

struct Period {
    fingerprint: Fingerprint,
    state: KeyState,
    /// The place of the line in the text, without its line end.
    at: Range<usize>,
}

/// The first line of a calendar.
#[derive(Clone)]
struct CalendarHeader {
    id: CalendarId,
    kem: &'static DynKem,
    length: PeriodLength,
    name: String,
}

impl CalendarHeader {
    fn new(
        id: CalendarId,
        kem: &'static DynKem,
        length: PeriodLength,
        name: &str,
    ) -> Result<Self, Error> {
        // Characters that change how the text around them is shown: controls, U+2028 and U+2029, and
        // those that set the direction of text.
        let shows = !name.contains(|c: char| {
            c.is_control()
                || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        let is_name = (1..=MAX_NAME).contains(&name.len()) && shows && name.trim() == name;
        if !is_name {
            return Err(Error::Header(
                "name (1 to 100 bytes, without control, bidirectional and line separator characters, and no space at its ends)",
            ));
        }
        Ok(Self {
            id,
            kem,
            length,
            name: name.to_owned(),
        })
    }

    /// Returns the first line, without its line end.
    fn line(&self) -> String {
        let (kem, length, name) = (self.kem.info().short_name, self.length, &self.name);
        format!("{FIRST_WORD} 1 {} {kem} {length} {name}", self.id)
    }
}

/// Reports whether calendars may have keys of this KEM.
fn may_have(kem: &DynKem) -> bool {
    let info = kem.info();
    info.status != Status::Experimental && info.id != X25519_KYBER_768_DRAFT_00
}
