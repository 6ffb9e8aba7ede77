//! pqseal for Python: `pqseal._core`, which the package `pqseal` in this folder re-exports.
//!
//! This is a thin layer over `pqseal-matched-data`, `pqseal-age` and `pqseal-pipeline` that
//! converts values and errors, imports and exports Arrow columns (`column.rs`), and releases the
//! interpreter's lock during longer work. The comments on exported items are their docstrings.
//! Their types are in `pqseal/_core.pyi`, which a test compares with this crate.

// The module `column` needs unsafe code, and gives the reason.
#![deny(unsafe_code)]

mod batch;
mod blob;
mod buffer;
mod calendar;
mod choice;
mod column;
mod error;
mod files;
mod hpke;
mod key_text;
mod keyring;
mod keys;
mod process;
mod records;
mod suites;

use pyo3::{exceptions::PyImportError, prelude::*};

/// Opening and sealing of matched data: one blob, or whole Arrow columns.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        batch::{Opened, open_batch, seal_batch},
        blob::{inspect, open, seal},
        calendar::{Calendar, Period},
        column::Column,
        error::PqsealError,
        files::{
            FileReader, FileWriter, Identity, Recipient, file_decrypt, file_encrypt, file_inspect,
            file_rekey, read_identities, read_recipients,
        },
        hpke::{PrivateKey, PublicKey, RecipientContext, SenderContext, Suite},
        keyring::KeyRing,
        keys::{KeyPair, generate_key_pair, public_key},
        records::open_records,
        suites::suites,
    };
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::choose_backend()
    }
}

/// Selects the back end that the environment variable `PQSEAL_BACKEND` names, if it is set. The
/// libraries do not read that variable.
fn choose_backend() -> PyResult<()> {
    let Some(name) = std::env::var_os("PQSEAL_BACKEND") else {
        return Ok(());
    };
    pqseal_keys::choose_backend(&name.to_string_lossy())
        .map_err(|error| PyImportError::new_err(format!("PQSEAL_BACKEND: {error}")))
}
