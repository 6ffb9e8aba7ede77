//! The Python exception of this module: a code for programs and a sentence for
//! people.

use std::{io, path::Path};

use pqseal_keys::{KeyError, LineError, NameError, calendar, pbes2};
use pyo3::{
    create_exception,
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};

create_exception!(
    pqseal,
    PqsealError,
    PyValueError,
    "What went wrong, in a sentence. `code` is for programs; codes are added, never changed."
);

/// An error that becomes a [`PqsealError`].
#[derive(Debug)]
pub(crate) struct Error {
    code: &'static str,
    message: String,
}

impl Error {
    /// Creates an error for an argument with the right type and a wrong value.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::of_code(pqseal_keys::BAD_ARGUMENT, message)
    }

    /// Creates an error with this code.
    pub(crate) fn of_code(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Adds to the error the file whose contents it is about.
    pub(crate) fn of_file(self, path: &Path) -> Self {
        Self {
            message: format!("cannot use the key in {}: {}", path.display(), self.message),
            ..self
        }
    }
}

impl From<pqseal_matched_data::Error> for Error {
    fn from(error: pqseal_matched_data::Error) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl From<pqseal_hpke::Error> for Error {
    fn from(error: pqseal_hpke::Error) -> Self {
        pqseal_matched_data::Error::Hpke(error).into()
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        let message = match error {
            KeyError::HalfNeeded => {
                format!("{error}; pass raw=\"private\" or raw=\"public\"")
            }
            KeyError::Calendar => "it is a calendar, not a single key; KeyRing takes a private one, and seal takes Calendar(text).at(time)".to_owned(),
            error => error.to_string(),
        };
        Self {
            code: error.code(),
            message,
        }
    }
}

impl From<calendar::Error> for Error {
    fn from(error: calendar::Error) -> Self {
        Self::of_code(error.code(), error.to_string())
    }
}

impl From<pbes2::Error> for Error {
    fn from(error: pbes2::Error) -> Self {
        Self::of_code(error.code(), format!("cannot decrypt the key: {error}"))
    }
}

impl From<NameError> for Error {
    fn from(error: NameError) -> Self {
        match error {
            NameError::Refused(kem) => pqseal_matched_data::Error::RefusedKem(kem).into(),
            error => Self::argument(error.to_string()),
        }
    }
}

impl From<LineError> for Error {
    fn from(error: LineError) -> Self {
        Self {
            message: error.to_string(),
            ..error.error.into()
        }
    }
}

impl From<Error> for PyErr {
    fn from(Error { code, message }: Error) -> Self {
        Python::attach(|py| {
            let error = PqsealError::new_err(message);
            // If setting the code fails, that exception is raised instead.
            error.value(py).setattr("code", code).err().unwrap_or(error)
        })
    }
}

/// Returns the exception for an unreadable file. From the error number Python chooses
/// FileNotFoundError and similar classes.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> PyErr {
    let text = error.to_string();
    let text = text
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned();
    PyOSError::new_err((
        error.raw_os_error(),
        format!("cannot read the key file: {text}"),
        path.to_path_buf(),
    ))
}
