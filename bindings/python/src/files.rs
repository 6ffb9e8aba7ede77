//! Encrypted files for Python, on which `pqseal/files.py` is based. Python file objects are read
//! and written through their methods. All other work runs without the interpreter's lock.

mod file_object;
mod held;
mod interrupt;
mod keys;
mod reader;
mod whole;
mod writer;

pub(crate) use keys::{Identity, Recipient, read_identities, read_recipients};
pub(crate) use reader::FileReader;
pub(crate) use whole::{file_decrypt, file_encrypt, file_inspect, file_rekey};
pub(crate) use writer::FileWriter;

use pqseal_age::{KeyError, keys::LineError};
use pyo3::prelude::*;

use crate::error::Error;

/// Returns the exception for an error. An exception of a file object is raised again.
fn raise(error: pqseal_age::Error) -> PyErr {
    match error {
        pqseal_age::Error::Io(error) => error.into(),
        pqseal_age::Error::Hpke(error) => Error::from(error).into(),
        pqseal_age::Error::Key(KeyError::Experimental) => Error::of_code(
            error.code(),
            "its KEM is experimental; add policy=\"experimental\" to use it",
        )
        .into(),
        error => Error::of_code(error.code(), error.to_string()).into(),
    }
}

/// Returns the exception for an error of a key file, with the line.
fn raise_line(LineError { line, error, .. }: LineError) -> PyErr {
    Error::of_code(error.code(), format!("line {line}: {error}")).into()
}
