//! The reasons why a record fails, and the errors that end a run.

use std::{error, fmt, io};

use pqseal_records::{Problem, layout::TableError};

use crate::input::InputError;

/// The reason why a run ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A thread could not be started.
    Start(io::Error),
    /// The input could not be read.
    Read(io::Error),
    /// The input is damaged, or of a format that is not supported.
    Input(InputError),
    /// The output could not be written.
    Write(io::Error),
    /// A dead letter could not be written.
    Letter(io::Error),
    /// The input is a table that cannot be used as it is.
    Table(TableError),
    /// A record failed, and the run had to stop then
    /// ([`Pipeline::strict`](crate::Pipeline::strict)), or a private key was unavailable
    /// ([`pqseal_keys::KEY_UNAVAILABLE`]), so later records would fail too.
    Record {
        /// The line of the record, or its number among the values or rows, counted from 1.
        number: u64,
        /// The reason why the record failed.
        reason: Reason,
    },
}

impl Error {
    /// Wraps the error of a reader. An [`Input`](crate::Input) puts an [`InputError`] into
    /// the [`io::Error`].
    pub(crate) fn reading(error: io::Error) -> Self {
        match error.downcast::<InputError>() {
            Ok(error) => Self::Input(error),
            Err(error) => Self::Read(error),
        }
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "starting a thread: {error}"),
            Self::Read(error) => write!(f, "reading: {error}"),
            Self::Input(error) => write!(f, "reading: {error}"),
            Self::Write(error) => write!(f, "writing: {error}"),
            Self::Letter(error) => write!(f, "writing a dead letter: {error}"),
            Self::Table(error) => write!(f, "the header: {error}"),
            Self::Record { number, reason } => write!(f, "record {number}: {reason}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Start(error) | Self::Read(error) | Self::Write(error) | Self::Letter(error) => {
                Some(error)
            }
            Self::Input(error) => Some(error),
            Self::Table(error) => Some(error),
            Self::Record { reason, .. } => Some(reason),
        }
    }
}

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

/// Returns the message of a server or a library on one line, truncated to 300 characters.
pub fn one_line(text: &str) -> String {
    let text = text.chars().filter(|c| !c.is_control()).take(300);
    text.collect::<String>().trim().to_owned()
}
