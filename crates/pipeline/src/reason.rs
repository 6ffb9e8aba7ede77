//! The reasons why a record fails.

use std::{error, fmt};

use pqseal_records::Problem;

/// The code of [`Reason::NoPeriod`].
const NO_PERIOD: &str = "no_period";

/// The reason why a record did not open, or could not be sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The blob did not open, or the field could not be sealed.
    Blob(pqseal_matched_data::Error),
    /// A sealed value of another kind did not open.
    Sealed(pqseal_sealed::Error),
    /// The record or the field has this problem.
    Record(Problem),
    /// No period of the calendar that records are sealed to is the current one.
    NoPeriod,
}

impl Reason {
    /// Returns the code by which programs distinguish reasons: that of
    /// [`pqseal_matched_data::Error::code`], [`pqseal_sealed::Error::code`], [`Problem::code`], or
    /// `no_period`. Codes are added, never changed.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Blob(error) => error.code(),
            Self::Sealed(error) => error.code(),
            Self::Record(problem) => problem.code(),
            Self::NoPeriod => NO_PERIOD,
        }
    }

    /// Reports whether later records would fail too, because an external private key is
    /// unavailable.
    pub(crate) fn ends_run(&self) -> bool {
        self.code() == pqseal_keys::KEY_UNAVAILABLE
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blob(error) => error.fmt(f),
            Self::Sealed(error) => error.fmt(f),
            Self::Record(problem) => problem.fmt(f),
            Self::NoPeriod => f.write_str(
                "the calendar has no period for now; extend it, or give the extended file",
            ),
        }
    }
}

impl error::Error for Reason {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Blob(error) => Some(error),
            Self::Sealed(error) => Some(error),
            Self::Record(problem) => Some(problem),
            Self::NoPeriod => None,
        }
    }
}

impl From<Problem> for Reason {
    fn from(problem: Problem) -> Self {
        Self::Record(problem)
    }
}

impl From<pqseal_matched_data::Error> for Reason {
    fn from(error: pqseal_matched_data::Error) -> Self {
        Self::Blob(error)
    }
}
