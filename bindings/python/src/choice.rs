//! Choices by name: algorithms, formats of keys, policies.

use std::str::FromStr;

use pqseal_hpke::{Aead, DynKem, ParseError, Policy};
use pqseal_keys::{BinaryFormat, KeyFormat, RawHalf, aead_by_name, kdf_by_name, kem_by_name};

use crate::error::Error;

/// Returns the KEM of that name, if one is given.
pub(crate) fn kem(name: Option<&str>) -> Result<Option<&'static DynKem>, Error> {
    name.map(|name| Ok(kem_by_name(name)?)).transpose()
}

/// Returns the id of the KDF of that name, if one is given.
pub(crate) fn kdf(name: Option<&str>) -> Result<Option<u16>, Error> {
    name.map(|name| Ok(kdf_by_name(name)?.info().id))
        .transpose()
}

/// Returns the id of the AEAD of that name, if one is given.
pub(crate) fn aead(name: Option<&str>) -> Result<Option<u16>, Error> {
    name.map(|name| Ok(aead_by_name(name)?.info().id))
        .transpose()
}

/// Returns the key format of that name, if one is given.
pub(crate) fn format(name: Option<&str>) -> Result<Option<KeyFormat>, Error> {
    name.map(|name| parse("format", name)).transpose()
}

/// Returns the format of that name whose keys are bytes, with its algorithm.
pub(crate) fn binary_format(name: &str, alg: Option<&str>) -> Result<BinaryFormat, Error> {
    let format: BinaryFormat = parse("format", name)?;
    let Some(alg) = alg else {
        return Ok(format);
    };
    format
        .with_alg(alg)
        .map_err(|error| Error::argument(format!("alg must be {}", error.expected())))
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
