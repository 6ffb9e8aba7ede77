//! Keys as JWK, with `alg`, `kid` and `use`. The key itself is read and written by
//! [`pqseal_keys`].

use pqseal_keys::{JwkNames, KeyFormat};
use zeroize::Zeroizing;

use super::Header;
use crate::{Algorithm, Error, PrivateKey, PublicKey, key::Facts};

/// Reads a private JWK. `algorithms` are those that its `alg` may name, such as
/// [`ALGORITHMS`](crate::ALGORITHMS). A key without `alg`, or whose `alg` names only its KEM, is for
/// every algorithm of its KEM.
///
/// # Errors
/// [`Error::Key`], and [`Error::KeyAlgorithmNotAllowed`] if `alg` is another one.
pub fn private_key(jwk: &str, algorithms: &[Algorithm]) -> Result<PrivateKey, Error> {
    let facts = facts(jwk, algorithms)?;
    PrivateKey::with(pqseal_keys::read_private(jwk, None)?, facts)
}

/// Reads a public JWK, or the public half of a private one. `algorithms` as in [`private_key`].
///
/// # Errors
/// Same as [`private_key`].
pub fn public_key(jwk: &str, algorithms: &[Algorithm]) -> Result<PublicKey, Error> {
    let facts = facts(jwk, algorithms)?;
    PublicKey::with(pqseal_keys::read_public(jwk, None)?, facts)
}

/// Writes a private key as JWK, in one line without a line break, with `alg` and `kid` if it has
/// them, and `"use": "enc"`.
///
/// # Errors
/// [`Error::Key`] if JWK does not support keys of this KEM.
pub fn write_private(key: &PrivateKey) -> Result<Zeroizing<String>, Error> {
    let jwk = pqseal_keys::write_private(key.key(), KeyFormat::Jwk)?;
    complete(&jwk, key.kid(), key.alg())
}

/// Writes a public key as JWK, like [`write_private`].
///
/// # Errors
/// Same as [`write_private`].
pub fn write_public(key: &PublicKey) -> Result<String, Error> {
    let jwk = pqseal_keys::write_public(key.key(), KeyFormat::Jwk)?;
    complete(&jwk, key.kid(), key.alg()).map(|jwk| jwk.to_string())
}

fn facts(jwk: &str, algorithms: &[Algorithm]) -> Result<Facts, Error> {
    let JwkNames { alg, kid } = JwkNames::of(jwk)?;
    let alg = match alg {
        Some(name) => match algorithms.iter().find(|alg| alg.name() == name) {
            Some(alg) => Some(*alg),
            None => return Err(Error::key_algorithm_not_allowed(&name)),
        },
        None => None,
    };
    let kid = kid.map(String::into_bytes);
    Ok(Facts { kid, alg })
}

/// Adds members before the last brace of a JWK, and replaces its `alg`. It works on text, so that
/// no copy of the private part is left unwiped.
fn complete(
    jwk: &str,
    kid: Option<&[u8]>,
    alg: Option<Algorithm>,
) -> Result<Zeroizing<String>, Error> {
    let not_text = Error::Usage("a kid of JOSE is UTF-8 text");
    let kid = kid.map(std::str::from_utf8).transpose();
    let kid = kid.map_err(|_| not_text)?;
    let mut members = Header::default();
    let (before, after) = split_at_alg(jwk.trim_end().trim_end_matches('}'), alg.is_some());
    for (name, value) in [
        ("alg", alg.map(|alg| alg.name())),
        ("kid", kid),
        ("use", Some("enc")),
    ] {
        if let Some(value) = value {
            members.set(name, value);
        }
    }
    let members = serde_json::to_string(&members).unwrap_or_default();
    let mut text = Zeroizing::new(String::with_capacity(jwk.len() + members.len()));
    for part in [before, after, ",", members.trim_start_matches('{')] {
        text.push_str(part);
    }
    Ok(text)
}

/// Returns the text before and after the member `alg`, if there is one and `replace` is set.
/// `pqseal-keys` writes it between other members, without spaces.
fn split_at_alg(jwk: &str, replace: bool) -> (&str, &str) {
    let start = jwk.find("\"alg\":").filter(|_| replace);
    let end = start.and_then(|start| Some(start + jwk[start..].find(',')? + 1));
    match (start, end) {
        (Some(start), Some(end)) => (&jwk[..start], &jwk[end..]),
        _ => (jwk, ""),
    }
}
