//! Errors: a code for programs, a sentence for people, and the exit code of the process.

use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use pqseal_hpke::{Status, Unsupported, UnsupportedReason};
use pqseal_keys::{KeyError, calendar};
use pqseal_text::reason;
use serde_json::{Value, json};

/// The result of a command: the exit codes of every command of `pqseal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything was done.
    Done = 0,
    /// Something that was asked for was not done: a blob, a key, a file, or a record under
    /// `--strict`. The rest was done.
    Incomplete = 1,
    /// The command line is wrong, and nothing was done.
    Usage = 2,
    /// The run could not start or could not continue.
    Stopped = 3,
}

/// The list of [`Exit`] codes in every command's help.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  everything was done
  1  something that was asked for was not done: a blob, a key, a file, or a record under --strict
  2  the command line is wrong
  3  the run could not continue: its keys cannot be used, or its input or output failed";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The failure of a command.
#[derive(Clone, Debug)]
pub struct Error {
    /// The exit code of the process.
    pub exit: Exit,
    /// The code by which programs distinguish failures.
    pub code: &'static str,
    /// One sentence, with what to do next.
    pub message: String,
}

impl Error {
    /// Creates the error of a wrong command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            code: "usage",
            message: message.into(),
        }
    }

    /// Creates the error of something that was not done, while the rest was.
    pub fn incomplete(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Incomplete,
            code,
            message: message.into(),
        }
    }

    /// Creates the error of a run that could not start or could not continue.
    pub fn stopped(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Stopped,
            code,
            message: message.into(),
        }
    }

    /// Creates the error of `doing`, such as `read the key file k.pem`.
    pub fn io(doing: impl fmt::Display, error: &io::Error) -> Self {
        Self::stopped("io", format!("cannot {doing}: {}", reason(error)))
    }

    /// Creates the error of a refusal to overwrite something that must not be lost.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::stopped("refused", message.into())
    }

    /// Creates the error of a key that cannot be used; `name` holds it.
    pub fn key(name: impl fmt::Display, error: &KeyError) -> Self {
        match error {
            KeyError::FormatLacksKem | KeyError::FormatLacksPublic => {
                Self::usage(format!("--form: {error}"))
            }
            KeyError::Alg => Self::usage(error.to_string()),
            KeyError::HalfNeeded => Self::usage(format!(
                "cannot use the key in {name}: {error}; add --raw-private or --raw-public"
            )),
            _ => {
                let message = format!("cannot use the key in {name}: {error}{}", key_advice(error));
                Self::incomplete(error.code(), message)
            }
        }
    }

    /// Like [`Self::key`], for a file that may name its algorithm.
    pub fn named_key(name: impl fmt::Display, error: &pqseal_formats::Error) -> Self {
        let why = match error {
            pqseal_formats::Error::Key(error) => return Self::key(name, error),
            pqseal_formats::Error::Usage(what) => return Self::usage(*what),
            pqseal_formats::Error::KeyAlgorithmNotAllowed(alg) => {
                format!("its algorithm, {alg:?}, is not an HPKE algorithm")
            }
            error => error.to_string(),
        };
        Self::incomplete(
            KeyError::Empty.code(),
            format!("cannot use the key in {name}: {why}"),
        )
    }

    /// Creates the error of a calendar.
    pub fn calendar(name: impl fmt::Display, error: &calendar::Error) -> Self {
        Self::incomplete(
            error.code(),
            format!("cannot use the calendar in {name}: {error}"),
        )
    }

    /// Creates the error of a blob that did not open.
    pub fn blob(error: &pqseal_matched_data::Error) -> Self {
        Self::incomplete(error.code(), format!("{error}{}", advice(error)))
    }

    /// Creates the error of a file that something is still writing.
    pub fn changed(file: impl fmt::Display) -> Self {
        Self::incomplete(
            "changed",
            format!(
                "{file} changed while it was read, and was not written; run this again when it is complete"
            ),
        )
    }

    /// Creates the error of a run that a signal ended. `done` says what is done, after a
    /// semicolon, or is empty.
    pub fn interrupted(done: &str) -> Self {
        Self::stopped("interrupted", format!("interrupted{done}"))
    }

    /// Creates the error of an algorithm that the policy does not allow.
    pub fn unsupported(unsupported: &Unsupported) -> Self {
        Self {
            code: "unsupported_suite",
            ..Self::usage(format!("{unsupported}{}", unsupported_advice(unsupported)))
        }
    }

    /// Returns the error of something that the whole run depends on, such as its keys.
    #[must_use]
    pub fn stops(self) -> Self {
        let exit = match self.exit {
            Exit::Usage => Exit::Usage,
            _ => Exit::Stopped,
        };
        Self { exit, ..self }
    }

    /// Returns the error of one of several items, where the others can still be done.
    #[must_use]
    pub fn of_one(self) -> Self {
        let exit = match self.exit {
            Exit::Stopped => Exit::Incomplete,
            exit => exit,
        };
        Self { exit, ..self }
    }

    /// Adds the number of the input's line, counted from 1, to the message.
    #[must_use]
    pub fn on_line(mut self, line: usize) -> Self {
        self.message = format!("line {line}: {}", self.message);
        self
    }

    /// Returns the error as JSON.
    pub fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message } })
    }

    /// Writes the error to standard error. A failure to do so is ignored.
    pub fn report(&self, json: bool) {
        let text = if json {
            self.json().to_string()
        } else {
            format!("error: {}", self.message)
        };
        let _ = writeln!(io::stderr(), "{text}");
    }
}

#[cfg(feature = "serve")]
impl From<pqseal_server::run::Ended> for Exit {
    fn from(ended: pqseal_server::run::Ended) -> Self {
        match ended {
            pqseal_server::run::Ended::Whole => Self::Done,
            pqseal_server::run::Ended::Incomplete => Self::Incomplete,
            pqseal_server::run::Ended::CutOff => Self::Stopped,
        }
    }
}

#[cfg(feature = "serve")]
impl From<Error> for pqseal_server::Error {
    fn from(error: Error) -> Self {
        Self::Keys {
            code: error.code,
            message: error.message,
        }
    }
}

#[cfg(feature = "serve")]
impl From<pqseal_server::Error> for Error {
    fn from(error: pqseal_server::Error) -> Self {
        let exit = match error {
            pqseal_server::Error::Settings(_) => Exit::Usage,
            pqseal_server::Error::Unhealthy(_) => Exit::Incomplete,
            _ => Exit::Stopped,
        };
        Self {
            exit,
            code: error.code(),
            message: error.to_string(),
        }
    }
}

/// Switches warnings to JSON from now on.
pub fn warn_in_json() {
    IN_JSON.store(true, Ordering::Relaxed);
}

static IN_JSON: AtomicBool = AtomicBool::new(false);

/// Writes a warning to standard error, which does not stop the command; `code` is for programs.
pub fn warn(code: &str, message: impl fmt::Display) {
    let text = if IN_JSON.load(Ordering::Relaxed) {
        json!({ "warning": { "code": code, "message": message.to_string() } }).to_string()
    } else {
        format!("warning: {message}")
    };
    let _ = writeln!(io::stderr(), "{text}");
}

/// Returns what to do next, where the error itself does not say it.
fn key_advice(error: &KeyError) -> &'static str {
    match error {
        KeyError::Length { raw: true, .. } => {
            "; a raw key of another KEM needs `pqseal key convert --kem NAME` first"
        }
        KeyError::RefusedKem(_) => "; `pqseal keygen` makes a key of another",
        KeyError::Calendar => {
            " (`pqseal calendar public` prints its public keys, and `pqseal calendar show` its periods)"
        }
        KeyError::OtherKem(_) => "; name that KEM with --kem, or leave --kem out",
        _ => "",
    }
}

/// Returns what to do next, where the error itself does not say it.
fn advice(error: &pqseal_matched_data::Error) -> &'static str {
    match error {
        pqseal_matched_data::Error::Empty => "; give the text of the field encrypted_matched_data",
        pqseal_matched_data::Error::Truncated => "; nothing can be opened",
        pqseal_matched_data::Error::VersionRefused { .. } => "; leave --min-version out to open it",
        pqseal_matched_data::Error::TrailingBytes(_) => {
            "; give one blob per line (matched-data-cli ignores such bytes)"
        }
        pqseal_matched_data::Error::Altered => {
            "; give the --info and --aad that it was sealed with"
        }
        pqseal_matched_data::Error::KeyOfAnotherKem => "; copy it again",
        pqseal_matched_data::Error::NoKeyOpens | pqseal_matched_data::Error::NoX25519Key(_) => {
            "; add the key that was in use when it was logged, with -k"
        }
        pqseal_matched_data::Error::NoKeyWithId { .. } => {
            "; add the key with that id, with -k (`pqseal pubkey --fingerprint` shows a key's)"
        }
        pqseal_matched_data::Error::KeyNotLent { .. } => "; ask the calendar's owner for it",
        pqseal_matched_data::Error::Hpke(pqseal_hpke::Error::UnsupportedSuite(unsupported)) => {
            unsupported_advice(unsupported)
        }
        pqseal_matched_data::Error::Hpke(pqseal_hpke::Error::ExportOnly) => {
            "; was the blob altered?"
        }
        _ => "",
    }
}

/// Returns what to do about an unsupported algorithm.
fn unsupported_advice(unsupported: &Unsupported) -> &'static str {
    match unsupported.reason {
        UnsupportedReason::Unknown => {
            "; was the blob altered, or made by a later release? `pqseal suites` lists what is known"
        }
        UnsupportedReason::Status(Status::Experimental) => {
            "; add --allow-experimental to use it anyway"
        }
        _ => "",
    }
}
