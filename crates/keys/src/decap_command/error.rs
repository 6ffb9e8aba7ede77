//! Failures of a helper.

use std::{fmt, io, time::Duration};

/// The reason why a helper is unusable, or was stopped.
#[non_exhaustive]
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    Start(io::Error),
    /// Reading from it or writing to it failed.
    Io(io::Error),
    /// It ended. The text is its exit status.
    Ended(String),
    /// It was silent for this long.
    Timeout(Duration),
    /// Its first line is not that of a helper.
    NotAHelper,
    /// It speaks another version of the protocol.
    Version(String),
    /// Its KEM is not supported here.
    UnknownKem(String),
    /// Its public key is not valid for its KEM.
    PublicKey,
    /// It did not decapsulate the right shared secret from a key made for its public key.
    WrongKey,
    /// It sent a line that is not an answer.
    NotAnAnswer,
    /// It sent a line longer than [`Failure::MAX_LINE`].
    LongLine,
    /// It sent an answer to a request that is not open.
    UnknownId(u64),
    /// It sent a shared secret of the wrong size.
    Length {
        /// The size received, in bytes.
        found: usize,
        /// The size that its KEM has, in bytes.
        expected: usize,
    },
    /// It reported that it could not process a request. The text is its reason.
    Reported(String),
    /// There were no random numbers with which to check its key.
    Rng,
}

impl Failure {
    /// The maximum length of a line, in bytes. The longest one needed has a BIKE public key, and is
    /// below 8 kB.
    pub const MAX_LINE: usize = 16 * 1024;
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "it could not be started: {error}"),
            Self::Io(error) => write!(f, "the connection to it failed: {error}"),
            Self::Ended(status) => write!(f, "it ended ({status})"),
            Self::Timeout(time) => write!(f, "it did not answer within {} s", time.as_secs_f32()),
            Self::NotAHelper => {
                f.write_str("its first line is not `pqseal-decap 1 KEM-ID PUBLIC-KEY`")
            }
            Self::Version(version) => {
                write!(
                    f,
                    "it speaks version {version} of the protocol; this program speaks version 1"
                )
            }
            Self::UnknownKem(id) => write!(f, "its KEM {id} is not supported"),
            Self::PublicKey => f.write_str("its public key is not valid for its KEM"),
            Self::WrongKey => f.write_str("its private key does not belong to its public key"),
            Self::NotAnAnswer => f.write_str("it sent a line that is not an answer"),
            Self::LongLine => write!(f, "it sent a line longer than {} bytes", Self::MAX_LINE),
            Self::UnknownId(id) => write!(
                f,
                "it answered request {id}, which is not waiting for an answer"
            ),
            Self::Length { found, expected } => {
                write!(
                    f,
                    "it sent a shared secret of {found} bytes instead of {expected}"
                )
            }
            Self::Reported(text) => write!(f, "it reported: {text}"),
            Self::Rng => f.write_str("its key could not be checked: no random numbers"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start(error) | Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Converts the error of an encapsulation to the helper's key.
impl From<pqseal_hpke::Error> for Failure {
    fn from(error: pqseal_hpke::Error) -> Self {
        match error {
            pqseal_hpke::Error::Rng => Self::Rng,
            _ => Self::PublicKey,
        }
    }
}
