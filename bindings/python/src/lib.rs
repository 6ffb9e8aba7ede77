//! pqseal for Python: `pqseal._core`, which the package `pqseal` in this folder re-exports.
//!
//! This is a thin layer over `pqseal-matched-data`, `pqseal-age` and `pqseal-pipeline` that
//! converts values and errors, imports and exports Arrow columns (`column.rs`), and releases the
//! interpreter's lock during longer work. The comments on exported items are their docstrings.
//! Their types are in `pqseal/_core.pyi`, which a test compares with this crate.

// The module `column` needs unsafe code, and gives the reason.
#![deny(unsafe_code)]

mod argument;
mod batch;
mod blob;
mod calendar;
mod column;
mod error;
mod files;
mod hpke;
mod keyring;
mod keys;
mod process;
mod records;

use pqseal_hpke::{AEADS, Aead, KDFS, Status};
use pqseal_keys::{DEFAULT_SUITE, kems};
use pyo3::{
    exceptions::PyImportError,
    prelude::*,
    types::{PyDict, PyList},
};

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
        suites,
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

/// Returns all KEMs, KDFs and AEADs with ids, names, sizes in bytes and status, and the suite of
/// new keys. Names are understood in any case, with or without hyphens.
#[pyfunction]
fn suites(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all_kems = PyList::empty(py);
    for kem in kems().map(|kem| kem.info()) {
        let row = row(py, kem.id, kem.short_name, kem.status)?;
        row.set_item("registered_name", kem.name)?;
        row.set_item("auth", kem.auth)?;
        row.set_item("enc_length", kem.n_enc)?;
        row.set_item("public_key_length", kem.n_pk)?;
        row.set_item("private_key_length", kem.n_sk)?;
        all_kems.append(row)?;
    }
    let all_kdfs = PyList::empty(py);
    for kdf in KDFS.iter().map(|kdf| kdf.info()) {
        let row = row(py, kdf.id, kdf.name, kdf.status)?;
        row.set_item("one_stage", kdf.one_stage)?;
        all_kdfs.append(row)?;
    }
    let all_aeads = PyList::empty(py);
    for aead in AEADS.iter().map(Aead::info) {
        let row = row(py, aead.id, aead.name, aead.status)?;
        row.set_item("tag_length", aead.n_t)?;
        all_aeads.append(row)?;
    }
    let suites = PyDict::new(py);
    suites.set_item("kems", all_kems)?;
    suites.set_item("kdfs", all_kdfs)?;
    suites.set_item("aeads", all_aeads)?;
    let default = (DEFAULT_SUITE.kem, DEFAULT_SUITE.kdf, DEFAULT_SUITE.aead);
    suites.set_item("default", default)?;
    Ok(suites)
}

fn row<'py>(py: Python<'py>, id: u16, name: &str, status: Status) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("id", id)?;
    row.set_item("name", name)?;
    let status = match status {
        Status::Standard => "standard",
        Status::Draft(_) => "draft",
        _ => "experimental",
    };
    row.set_item("status", status)?;
    Ok(row)
}
