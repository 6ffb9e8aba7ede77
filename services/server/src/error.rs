//! The failures of a server, before it serves or when it reads its settings again.

use std::{error, fmt, io, path::PathBuf};

use pqseal_text::{escape, reason};

/// The failure of a server.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file of settings is wrong. The text has its name, its line, and what to do.
    Settings(String),
    /// The system refused something.
    System {
        /// What it was, such as `read rules.toml`.
        doing: String,
        /// The answer of the system.
        source: io::Error,
    },
    /// A file of certificates or keys cannot be used.
    Tls {
        /// The file.
        file: PathBuf,
        /// The reason, which repeats nothing of a key.
        reason: String,
    },
    /// A file would be overwritten that must not be lost, or belongs to something else.
    Refused(String),
    /// Keys, or what is read with them, cannot be used.
    Keys {
        /// The code by which programs distinguish failures.
        code: &'static str,
        /// One sentence, with what to do next.
        message: String,
    },
    /// A running server was asked for its health, and is not healthy. The text has its address.
    Unhealthy(String),
}

impl Error {
    /// Creates the error of the system for `doing`, such as `read rules.toml`.
    pub fn system(doing: impl fmt::Display, source: io::Error) -> Self {
        Self::System {
            doing: doing.to_string(),
            source,
        }
    }

    /// Returns the code by which programs distinguish failures.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Settings(_) => "usage",
            Self::System { .. } => "io",
            Self::Tls { .. } => "tls",
            Self::Refused(_) => "refused",
            Self::Keys { code, .. } => code,
            Self::Unhealthy(_) => "unhealthy",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(text)
            | Self::Refused(text)
            | Self::Keys { message: text, .. }
            | Self::Unhealthy(text) => to.write_str(text),
            Self::System { doing, source } => write!(to, "cannot {doing}: {}", reason(source)),
            Self::Tls { file, reason } => {
                write!(to, "cannot use {} for TLS: {reason}", escape::path(file))
            }
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
