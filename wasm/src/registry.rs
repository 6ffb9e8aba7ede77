//! The algorithms, by name or number and as a list.

use js_sys::Array;
use pqseal_hpke::{
    AEADS, Aead, AnyAead, Component, DynKdf, DynKem, KDFS, Status, aead_by_id, kdf_by_id,
};
use pqseal_keys::{
    DEFAULT_SUITE, NameError, aead_by_name, caution, kdf_by_name, kem_by_id, kem_by_name, kems,
};
use wasm_bindgen::prelude::*;

use crate::{Error, value::object};

/// Returns all KEMs, KDFs and AEADs with ids, names, sizes in bytes and status, and the suite of
/// new keys.
#[wasm_bindgen(unchecked_return_type = "Registry")]
pub fn suites() -> JsValue {
    object([
        ("kems", kems().map(kem_info).collect::<Array>().into()),
        (
            "kdfs",
            KDFS.iter()
                .map(|kdf| kdf_info(*kdf))
                .collect::<Array>()
                .into(),
        ),
        (
            "aeads",
            AEADS.iter().map(aead_info).collect::<Array>().into(),
        ),
        ("default", suite_ids(DEFAULT_SUITE)),
    ])
}

pub(crate) fn suite_ids(id: pqseal_hpke::SuiteId) -> JsValue {
    object([
        ("kem", id.kem.into()),
        ("kdf", id.kdf.into()),
        ("aead", id.aead.into()),
    ])
}

pub(crate) fn kem_info(kem: &'static DynKem) -> JsValue {
    let info = kem.info();
    object([
        ("id", info.id.into()),
        ("name", info.short_name.into()),
        ("registeredName", info.name.into()),
        ("auth", info.auth.into()),
        ("status", status(info.status)),
        ("caution", caution(info).into()),
        ("sharedSecretLength", length(info.n_secret)),
        ("encLength", length(info.n_enc)),
        ("publicKeyLength", length(info.n_pk)),
        ("privateKeyLength", length(info.n_sk)),
    ])
}

pub(crate) fn kdf_info(kdf: &DynKdf) -> JsValue {
    let info = kdf.info();
    object([
        ("id", info.id.into()),
        ("name", info.name.into()),
        ("oneStage", info.one_stage.into()),
        ("status", status(info.status)),
    ])
}

pub(crate) fn aead_info(aead: &AnyAead) -> JsValue {
    let info = aead.info();
    object([
        ("id", info.id.into()),
        ("name", info.name.into()),
        ("tagLength", length(info.n_t)),
        ("status", status(info.status)),
    ])
}

/// Returns the KEM with this name or id, or that of new keys if it is absent.
#[cfg(feature = "matched-data")]
pub(crate) fn kem_or_default(value: &JsValue) -> Result<&'static DynKem, Error> {
    Ok(kem(value)?
        .or(kem_by_id(DEFAULT_SUITE.kem))
        .expect("the default KEM is in the registry"))
}

/// Returns the KEM with this name or id, if there is one.
pub(crate) fn kem(value: &JsValue) -> Result<Option<&'static DynKem>, Error> {
    find(value, Component::Kem, kem_by_name, kem_by_id)
}

/// Returns the KEM with this name or id, which must be given.
pub(crate) fn given_kem(value: &JsValue) -> Result<&'static DynKem, Error> {
    kem(value)?.ok_or_else(|| Error::argument("kem", NAMED))
}

/// The two ways to name an algorithm.
pub(crate) const NAMED: &str = "a name or a number";

pub(crate) fn kdf(value: &JsValue) -> Result<Option<&'static DynKdf>, Error> {
    find(value, Component::Kdf, kdf_by_name, kdf_by_id)
}

pub(crate) fn aead(value: &JsValue) -> Result<Option<&'static AnyAead>, Error> {
    find(value, Component::Aead, aead_by_name, aead_by_id)
}

fn find<T>(
    value: &JsValue,
    component: Component,
    by_name: impl FnOnce(&str) -> Result<T, NameError>,
    by_id: impl FnOnce(u16) -> Option<T>,
) -> Result<Option<T>, Error> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    if let Some(name) = value.as_string() {
        return by_name(&name).map(Some).map_err(unknown);
    }
    let what = match component {
        Component::Kem => "kem",
        Component::Kdf => "kdf",
        _ => "aead",
    };
    let number = value.as_f64().ok_or_else(|| Error::argument(what, NAMED))?;
    let id = (0..=u16::MAX).find(|id| f64::from(*id) == number);
    match id.and_then(by_id) {
        Some(found) => Ok(Some(found)),
        // 0 is reserved in each registry.
        None => Err(unknown(NameError::of_id(component, id.unwrap_or(0)))),
    }
}

pub(crate) fn unknown(error: NameError) -> Error {
    let (code, message) = match &error {
        NameError::Refused(kem) => ("refused_kem", kem.reason.to_owned()),
        _ => ("unsupported_suite", error.to_string()),
    };
    let described = Error { code, message };
    match error {
        NameError::Lacking(_) => Error::unknown_algorithm(described),
        _ => described,
    }
}

fn status(status: Status) -> JsValue {
    match status {
        Status::Standard => "standard".into(),
        Status::Draft(_) => "draft".into(),
        _ => "experimental".into(),
    }
}

/// Converts a size in the registry, which is far below 2^32.
fn length(n: usize) -> JsValue {
    JsValue::from_f64(f64::from(u32::try_from(n).unwrap_or(u32::MAX)))
}
