//! The algorithms as lists.

use pqseal_hpke::{AEADS, Aead, KDFS, Status};
use pqseal_keys::{DEFAULT_SUITE, kems};
use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};

/// Returns all KEMs, KDFs and AEADs with ids, names, sizes in bytes and status, and the suite of
/// new keys. Names are understood in any case, with or without hyphens.
#[pyfunction]
pub(crate) fn suites(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
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
