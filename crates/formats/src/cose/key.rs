//! COSE_Key (RFC 9052, section 7): kty EC2, OKP (RFC 9053, section 7) and AKP (RFC 9964).
//!
//! The parameters are those of a JWK, so keys are read and written through their JWK: all checks
//! are in [`pqseal_keys`].

use ciborium::Value;
use pqseal_keys::{KeyError, KeyFormat, base64};
use zeroize::Zeroizing;

use super::cbor::{Budget, Members, encode, map, wipe};
use crate::{Algorithm, Error, PrivateKey, PublicKey, keys::Facts};

/// A curve, or AKP, in both formats.
struct Kind {
    kty: i64,
    crv: Option<(i64, &'static str)>,
    /// The kty of JWK.
    name: &'static str,
    /// The parameters with key material: label and member of JWK. The last is private.
    parameters: &'static [(i64, &'static str)],
}

const KINDS: &[Kind] = &[
    ec2(1, "P-256"),
    ec2(2, "P-384"),
    ec2(3, "P-521"),
    okp(4, "X25519"),
    okp(5, "X448"),
    Kind {
        kty: 7,
        crv: None,
        name: "AKP",
        parameters: &[(-1, "pub"), (-2, "priv")],
    },
];

/// Labels of the parameters of every key.
const KTY: i64 = 1;
const KID: i64 = 2;
const ALG: i64 = 3;
const KEY_OPS: i64 = 4;
const CRV: i64 = -1;
/// The operation that a private key must allow, if it names any.
const DERIVE_BITS: i64 = 8;

/// Reads a private COSE_Key. `algorithms` are those that its `alg` may name, such as
/// [`ALGORITHMS`](crate::ALGORITHMS); an AKP key needs `alg`.
///
/// # Errors
/// [`Error::Malformed`], [`Error::Key`], [`Error::KeyAlgorithmNotAllowed`] if `alg` is another one.
pub fn private_key(cose_key: &[u8], algorithms: &[Algorithm]) -> Result<PrivateKey, Error> {
    let (jwk, facts, operations) = read(cose_key, algorithms, true)?;
    let key = pqseal_keys::read_private(&jwk, None)?;
    operations.and_then(|()| PrivateKey::with(key, facts))
}

/// Reads a public COSE_Key, or the public half of a private one.
///
/// # Errors
/// Same as [`private_key`].
pub fn public_key(cose_key: &[u8], algorithms: &[Algorithm]) -> Result<PublicKey, Error> {
    let (jwk, facts, operations) = read(cose_key, algorithms, false)?;
    let key = pqseal_keys::read_public(&jwk, None)?;
    operations.and_then(|()| PublicKey::with(key, facts))
}

/// Writes a private key as COSE_Key, in deterministic CBOR, with `alg` and `kid` if it has them. A
/// key of a hybrid or of ML-KEM needs an `alg`.
///
/// # Errors
/// [`Error::Key`] if COSE_Key does not support keys of this KEM, [`Error::Usage`] if a required
/// `alg` is missing.
pub fn write_private(key: &PrivateKey) -> Result<Zeroizing<Vec<u8>>, Error> {
    let jwk = pqseal_keys::write_private(key.key(), KeyFormat::Jwk)?;
    write(&jwk, key.kid(), key.alg())
}

/// Writes a public key as COSE_Key, like [`write_private`].
///
/// # Errors
/// Same as [`write_private`].
pub fn write_public(key: &PublicKey) -> Result<Vec<u8>, Error> {
    let jwk = pqseal_keys::write_public(key.key(), KeyFormat::Jwk)?;
    write(&jwk, key.kid(), key.alg()).map(|bytes| bytes.to_vec())
}

/// The JWK of the same key, its id and algorithm, and the result of the check of its operations.
type Read = (Zeroizing<String>, Facts, Result<(), Error>);

fn read(cose_key: &[u8], algorithms: &[Algorithm], private: bool) -> Result<Read, Error> {
    if cose_key.len() > pqseal_keys::MAX_LEN {
        return Err(KeyError::TooLong(cose_key.len()).into());
    }
    let mut members = Members::new(Budget::new().decode(cose_key)?)?;
    let result = facts(&members, algorithms).and_then(|facts| {
        let operations = check_operations(&members, private);
        Ok((jwk(&members, &facts)?, facts, operations))
    });
    members.wipe();
    result
}

fn facts(members: &Members, algorithms: &[Algorithm]) -> Result<Facts, Error> {
    let id = members.integer(ALG, "alg of the key is not an integer")?;
    let alg = match id {
        None => None,
        Some(id) => {
            let alg = algorithms.iter().find(|alg| alg.cose() == id);
            Some(*alg.ok_or_else(|| Error::key_algorithm_not_allowed(&id.to_string()))?)
        }
    };
    let kid = members.bytes(KID, "kid of the key is not a byte string")?;
    let kid = kid.map(<[u8]>::to_vec);
    Ok(Facts { kid, alg })
}

/// Checks key_ops (section 3.4 of the draft): if present, it is `derive bits` for a private key and
/// empty for a public one. The public half of a private key is accepted with either.
fn check_operations(members: &Members, private: bool) -> Result<(), Error> {
    let allowed = match members.get(KEY_OPS) {
        None => true,
        Some(Value::Array(operations)) => {
            let derive = |operation: &Value| *operation == Value::from(DERIVE_BITS);
            operations.iter().all(derive) && (!private || !operations.is_empty())
        }
        Some(_) => false,
    };
    match allowed {
        true => Ok(()),
        false => Err(Error::Refused(
            "key_ops of the key allows something other than deriving bits",
        )),
    }
}

/// Converts the key to its JWK.
fn jwk(members: &Members, facts: &Facts) -> Result<Zeroizing<String>, Error> {
    let unknown = Error::Malformed("the key's kty or crv is unknown");
    let kty = members.integer(KTY, "kty is not an integer")?;
    let kind = KINDS.iter().find(|kind| {
        let crv = kind.crv.map(|(crv, _)| Value::from(crv));
        Some(kind.kty) == kty && (crv.is_none() || crv.as_ref() == members.get(CRV))
    });
    let kind = kind.ok_or(unknown)?;
    let alg = match (kind.crv, facts.alg) {
        (None, None) => return Err(Error::Malformed("an AKP key has no alg")),
        (None, Some(alg)) => Some(alg.name()),
        (Some(_), _) => None,
    };
    let text = [
        ("kty", Some(kind.name)),
        ("crv", kind.crv.map(|(_, crv)| crv)),
        ("alg", alg),
    ];
    let wrong = "a parameter of the key is not a byte string; compressed points are not supported";
    let mut parts = Zeroizing::new(vec![]);
    for (name, value) in text {
        if let Some(value) = value {
            parts.push(format!("\"{name}\":\"{value}\""));
        }
    }
    for (label, name) in kind.parameters {
        if let Some(bytes) = members.bytes(*label, wrong)? {
            let encoded = Zeroizing::new(base64::encode_url(bytes));
            // In a buffer that does not grow: `format!` would leave partial copies behind.
            let mut part = String::with_capacity(name.len() + encoded.len() + 5);
            for piece in ["\"", name, "\":\"", &encoded, "\""] {
                part.push_str(piece);
            }
            parts.push(part);
        }
    }
    Ok(object(&parts))
}

/// Joins members to `{a,b}`, in a buffer that does not grow.
fn object(members: &[String]) -> Zeroizing<String> {
    let size: usize = members.iter().map(|member| member.len() + 1).sum();
    let mut text = Zeroizing::new(String::with_capacity(size + 2));
    for (n, member) in members.iter().enumerate() {
        text.push(if n == 0 { '{' } else { ',' });
        text.push_str(member);
    }
    text.push('}');
    text
}

/// Converts a JWK that `pqseal-keys` wrote: its strings have no escapes.
fn write(
    jwk: &str,
    kid: Option<&[u8]>,
    alg: Option<Algorithm>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let member = |name: &str| {
        let (_, rest) = jwk.split_once(&format!("\"{name}\":\""))?;
        rest.split('"').next()
    };
    let kind = KINDS
        .iter()
        .find(|kind| member("kty") == Some(kind.name) && member("crv") == kind.crv.map(|crv| crv.1))
        .ok_or(Error::Usage("there is no COSE_Key for this KEM"))?;
    if kind.crv.is_none() && alg.is_none() {
        return Err(Error::Usage(
            "a COSE_Key of a post-quantum KEM names its algorithm; say which, such as HPKE-9-KE",
        ));
    }
    let mut entries = vec![(KTY, Value::from(kind.kty))];
    entries.extend(kid.map(|kid| (KID, kid.into())));
    entries.extend(alg.map(|alg| (ALG, alg.cose().into())));
    entries.extend(kind.crv.map(|(crv, _)| (CRV, crv.into())));
    for (label, name) in kind.parameters {
        if let Some(text) = member(name) {
            let bytes = base64::decode_url(text.as_bytes()).map_err(KeyError::Base64)?;
            entries.push((*label, bytes.as_slice().into()));
        }
    }
    let mut value = map(entries);
    let bytes = Zeroizing::new(encode(&value));
    wipe(&mut value);
    Ok(bytes)
}

const fn ec2(crv: i64, name: &'static str) -> Kind {
    Kind {
        kty: 2,
        crv: Some((crv, name)),
        name: "EC",
        parameters: &[(-2, "x"), (-3, "y"), (-4, "d")],
    }
}

const fn okp(crv: i64, name: &'static str) -> Kind {
    Kind {
        kty: 1,
        crv: Some((crv, name)),
        name: "OKP",
        parameters: &[(-2, "x"), (-4, "d")],
    }
}
