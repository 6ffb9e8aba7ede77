//! Errors of calendars.

use std::fmt;

use super::{MAX_LEN, MAX_PERIODS};
use crate::{BAD_ARGUMENT, KeyError};

/// A problem with a calendar. It contains nothing of a key.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It has this many bytes, more than [`MAX_LEN`].
    TooLong(usize),
    /// It has, or would have, more than [`MAX_PERIODS`] periods.
    TooManyPeriods,
    /// It does not begin like a calendar, or is not UTF-8.
    NotCalendar,
    /// Its first line has another version.
    Version,
    /// This part of its first line is wrong.
    Header(&'static str),
    /// It has no period.
    NoPeriods,
    /// This line is wrong, in the described way.
    Line(usize, &'static str),
    /// The key on this line is wrong.
    Key(usize, KeyError),
    /// The key on this line does not have the fingerprint of the line.
    OtherKey(usize),
    /// A line of a public calendar is not that of its period: the lines are not in the order of
    /// time, or the file was changed while it was in use.
    Disordered,
    /// The file cannot be read.
    Unreadable,
    /// The last line has no line end: the file was cut.
    Cut,
    /// The period's key was shredded.
    Shredded,
    /// The period's key is not in this lent calendar.
    NotLent,
    /// The period was left out of this public calendar.
    LeftOut,
    /// It is a public calendar, and the private one is needed.
    PublicOnly,
    /// It is a private calendar, and the public one is needed.
    PrivateGiven,
    /// No period contains this time.
    NoPeriod,
    /// No period begins at this time.
    NotAStart,
    /// The periods would end after the year 9999.
    TooLate,
    /// A lent calendar cannot get more periods.
    Lent,
    /// Its KEM is not for calendars: it is experimental, or obsolete.
    KemRefused,
    /// The KEM reported an error, such as that no random bytes were available.
    Hpke(pqseal_hpke::Error),
}

impl Error {
    /// Returns the code by which programs distinguish failures: `key_shredded`, `key_not_lent`,
    /// `no_period`, `bad_argument`, for a wrong key [`KeyError::code`], or else `bad_key`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Shredded => super::KEY_SHREDDED,
            Self::NotLent => super::KEY_NOT_LENT,
            Self::NoPeriod => super::NO_PERIOD,
            Self::NotAStart | Self::TooLate | Self::KemRefused => BAD_ARGUMENT,
            Self::Key(_, error) => error.code(),
            _ => "bad_key",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong(_) => {
                return write!(f, "it is larger than {} MiB, the limit of a calendar", MAX_LEN >> 20);
            }
            Self::TooManyPeriods => {
                return write!(f, "a calendar has at most {MAX_PERIODS} periods");
            }
            Self::NotCalendar => "it is not a calendar",
            Self::Version => "it is a calendar of a later version; this program reads version 1",
            Self::Header(part) => return write!(f, "line 1: its {part} is wrong"),
            Self::NoPeriods => "the calendar has no periods; was it cut?",
            Self::Line(line, what) => return write!(f, "line {line}: {what}"),
            Self::Key(line, error) => return write!(f, "line {line}: {error}"),
            Self::OtherKey(line) => {
                return write!(f, "line {line}: its key does not have the fingerprint of the line");
            }
            Self::Disordered => {
                "its lines are not in the order of time, or it was changed while it was in use; look at it with `pqseal calendar check`"
            }
            Self::Unreadable => "it can no longer be read",
            Self::Cut => "its last line has no line end: it was cut; copy it again",
            Self::Shredded => "the key of this period was shredded",
            Self::NotLent => "the key of this period is not in this lent calendar",
            Self::LeftOut => "this period was left out of the public calendar; ask its owner for it",
            Self::PublicOnly => "it is a public calendar; the private one is needed",
            Self::PrivateGiven => {
                "it is a private calendar, which the machine that seals must not have; give the public one, which `pqseal calendar public` prints"
            }
            Self::NoPeriod => "the calendar has no period at this time",
            Self::NotAStart => "no period begins at this time",
            Self::TooLate => "the calendar would end after the year 9999",
            Self::Lent => "it is a lent calendar, which cannot be extended; extend the owner's",
            Self::KemRefused => "calendars have no keys of this KEM, since it is experimental or obsolete",
            Self::Hpke(error) => return error.fmt(f),
        })
    }
}

impl std::error::Error for Error {}

impl From<pqseal_hpke::Error> for Error {
    fn from(error: pqseal_hpke::Error) -> Self {
        Self::Hpke(error)
    }
}
