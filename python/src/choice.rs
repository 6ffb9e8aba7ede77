//! What callers choose by name: algorithms, forms of keys, policies.

use envelope::{
    DEFAULT_SUITE, aead_by_name,
    hpke::{Aead, DynKem, Policy},
    kdf_by_name, kem_by_name,
    keys::KeyFormat,
    refused_kem_by_name,
};

use crate::error::Error;

/// The KEM of that name, if one is named.
pub(crate) fn kem(name: Option<&str>) -> Result<Option<&'static DynKem>, Error> {
    let find = |name| {
        kem_by_name(name).ok_or_else(|| match refused_kem_by_name(name) {
            Some(kem) => Error::from(envelope::Error::RefusedKem(kem)),
            None => Error::argument(
                "kem is not known here; `pqseal suites` lists the names, such as x25519",
            ),
        })
    };
    name.map(find).transpose()
}

/// The id of the KDF of that name; without a name that of new keys.
pub(crate) fn kdf(name: Option<&str>) -> Result<u16, Error> {
    let Some(name) = name else {
        return Ok(DEFAULT_SUITE.kdf);
    };
    let kdf = kdf_by_name(name).map(|kdf| kdf.info().id);
    kdf.ok_or_else(|| {
        Error::argument(
            "kdf is not known here; `pqseal suites` lists the names, such as HKDF-SHA256",
        )
    })
}

/// The id of the AEAD of that name; without a name that of new keys.
pub(crate) fn aead(name: Option<&str>) -> Result<u16, Error> {
    let Some(name) = name else {
        return Ok(DEFAULT_SUITE.aead);
    };
    let aead = aead_by_name(name).map(|aead| aead.info().id);
    aead.ok_or_else(|| {
        Error::argument(
            "aead is not known here; `pqseal suites` lists the names, such as AES-256-GCM",
        )
    })
}

/// The form of that name, if one is named.
pub(crate) fn form(name: Option<&str>) -> Result<Option<KeyFormat>, Error> {
    match name {
        None => Ok(None),
        Some("raw") => Ok(Some(KeyFormat::Raw)),
        Some("json") => Ok(Some(KeyFormat::Json)),
        Some("pem") => Ok(Some(KeyFormat::Pem)),
        Some("jwk") => Ok(Some(KeyFormat::Jwk)),
        Some("line") => Ok(Some(KeyFormat::Line)),
        Some(_) => Err(Error::argument("form must be raw, json, pem, jwk or line")),
    }
}

/// The post-quantum KEMs are drafts yet: the default of every `policy` argument is `draft`.
pub(crate) fn policy(name: &str) -> Result<Policy, Error> {
    match name {
        "standard" => Ok(Policy::standard()),
        "draft" => Ok(Policy::draft()),
        "experimental" => Ok(Policy::draft().with_experimental()),
        _ => Err(Error::argument(
            "policy must be standard, draft or experimental",
        )),
    }
}
