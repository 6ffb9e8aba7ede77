//! Keys as JWK, with `alg`, `kid` and `use`. The key itself is read and written by
//! [`pqseal_keys`].

use pqseal_keys::{JwkNames, KeyFormat};
use zeroize::Zeroizing;

use super::Header;
use crate::{Algorithm, Error, PrivateKey, PublicKey};

/// Reads a private JWK. `algorithms` are those that its `alg` may name, such as
/// [`ALGORITHMS`](crate::ALGORITHMS). A key without `alg`, or whose `alg` names only its KEM, is for
/// every algorithm of its KEM.
///
/// # Errors
/// [`Error::Key`], and [`Error::KeyAlgorithmNotAllowed`] if `alg` is another one.
pub fn private_key(jwk: &str, algorithms: &[Algorithm]) -> Result<PrivateKey, Error> {
    let (kid, alg) = kid_and_alg(jwk, algorithms)?;
    PrivateKey::from_file(pqseal_keys::read_private(jwk, None)?, kid, alg)
}

/// Reads a public JWK, or the public half of a private one. `algorithms` as in [`private_key`].
///
/// # Errors
/// Same as [`private_key`].
pub fn public_key(jwk: &str, algorithms: &[Algorithm]) -> Result<PublicKey, Error> {
    let (kid, alg) = kid_and_alg(jwk, algorithms)?;
    PublicKey::from_file(pqseal_keys::read_public(jwk, None)?, kid, alg)
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

fn kid_and_alg(
    jwk: &str,
    algorithms: &[Algorithm],
) -> Result<(Option<Vec<u8>>, Option<Algorithm>), Error> {
    let JwkNames { alg, kid } = JwkNames::of(jwk)?;
    let alg = match alg {
        Some(name) => match algorithms.iter().find(|alg| alg.name() == name) {
            Some(alg) => Some(*alg),
            None => return Err(Error::key_algorithm_not_allowed(&name)),
        },
        None => None,
    };
    Ok((kid.map(String::into_bytes), alg))
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
    let jwk = jwk.trim_end().trim_end_matches('}');
    // `pqseal-keys` writes `alg` between other members, without spaces.
    let old_alg = jwk.find("\"alg\":").filter(|_| alg.is_some());
    let (before, after) = match old_alg.and_then(|at| Some((at, jwk[at..].find(',')?))) {
        Some((at, len)) => (&jwk[..at], &jwk[at + len + 1..]),
        None => (jwk, ""),
    };
    let mut members = Header::default();
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
