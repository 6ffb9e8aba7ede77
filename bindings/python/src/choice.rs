//! Choices by name: algorithms, formats of keys, policies.

use std::str::FromStr;

use pqseal_hpke::{Aead, DynKem, ParseError, Policy};
use pqseal_keys::{
    KeyFormat, RawHalf, aead_by_name, kdf_by_name, kem_by_name, refused_kem_by_name,
};

use crate::error::Error;

/// Returns the KEM of that name, if one is given.
pub(crate) fn kem(name: Option<&str>) -> Result<Option<&'static DynKem>, Error> {
    let find = |name| {
        kem_by_name(name).ok_or_else(|| match refused_kem_by_name(name) {
            Some(kem) => Error::from(pqseal_matched_data::Error::RefusedKem(kem)),
            None => {
                Error::argument("kem is unknown; `pqseal suites` lists the names, such as x25519")
            }
        })
    };
    name.map(find).transpose()
}

/// Returns the id of the KDF of that name, if one is given.
pub(crate) fn kdf(name: Option<&str>) -> Result<Option<u16>, Error> {
    let Some(name) = name else { return Ok(None) };
    let kdf = kdf_by_name(name).map(|kdf| kdf.info().id);
    kdf.map(Some).ok_or_else(|| {
        Error::argument("kdf is unknown; `pqseal suites` lists the names, such as HKDF-SHA256")
    })
}

/// Returns the id of the AEAD of that name, if one is given.
pub(crate) fn aead(name: Option<&str>) -> Result<Option<u16>, Error> {
    let Some(name) = name else { return Ok(None) };
    let aead = aead_by_name(name).map(|aead| aead.info().id);
    aead.map(Some).ok_or_else(|| {
        Error::argument("aead is unknown; `pqseal suites` lists the names, such as AES-256-GCM")
    })
}

/// Returns the key format of that name, if one is given.
pub(crate) fn format(name: Option<&str>) -> Result<Option<KeyFormat>, Error> {
    name.map(|name| parse("format", name)).transpose()
}

/// Returns the half of a key pair that base64 contains, if it is given.
pub(crate) fn raw(name: Option<&str>) -> Result<Option<RawHalf>, Error> {
    name.map(|name| parse("raw", name)).transpose()
}

/// Returns the policy of that name. The default of every `policy` argument is `draft`, since
/// the post-quantum KEMs are still drafts.
pub(crate) fn policy(name: &str) -> Result<Policy, Error> {
    parse("policy", name)
}

fn parse<T: FromStr<Err = ParseError>>(argument: &str, name: &str) -> Result<T, Error> {
    name.parse().map_err(|error: ParseError| {
        Error::argument(format!("{argument} must be {}", error.expected()))
    })
}
