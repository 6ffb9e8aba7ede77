//! Keys as COSE_Key (RFC 9052, section 7), with `alg` and `kid`. The key itself is read and written
//! by [`pqseal_keys`].

use pqseal_keys::{
    KeyError,
    cose_key::{self, CoseKey},
};
use zeroize::Zeroizing;

use crate::{Algorithm, Error, PrivateKey, PublicKey, key::Facts};

/// Reads a private COSE_Key. `algorithms` are those that its `alg` may name, such as
/// [`ALGORITHMS`](crate::ALGORITHMS); an AKP key needs `alg`.
///
/// # Errors
/// [`Error::Key`], [`Error::KeyAlgorithmNotAllowed`] if `alg` is another one.
pub fn private_key(cose_key: &[u8], algorithms: &[Algorithm]) -> Result<PrivateKey, Error> {
    let key = CoseKey::parse(cose_key)?;
    let facts = facts(&key, algorithms)?;
    PrivateKey::with(key.private(kem(&facts)?)?, facts)
}

/// Reads a public COSE_Key, or the public half of a private one.
///
/// # Errors
/// Same as [`private_key`].
pub fn public_key(cose_key: &[u8], algorithms: &[Algorithm]) -> Result<PublicKey, Error> {
    let key = CoseKey::parse(cose_key)?;
    let facts = facts(&key, algorithms)?;
    PublicKey::with(key.public(kem(&facts)?)?, facts)
}

/// Writes a private key as COSE_Key, in deterministic CBOR, with `alg` and `kid` if it has them. A
/// key of a hybrid or of ML-KEM needs an `alg`.
///
/// # Errors
/// As [`pqseal_keys::cose_key::write_private`].
pub fn write_private(key: &PrivateKey) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    cose_key::write_private(key.key(), key.alg(), key.kid())
}

/// Writes a public key as COSE_Key, like [`write_private`].
///
/// # Errors
/// Same as [`write_private`].
pub fn write_public(key: &PublicKey) -> Result<Vec<u8>, KeyError> {
    cose_key::write_public(key.key(), key.alg(), key.kid())
}

fn facts(key: &CoseKey<'_>, algorithms: &[Algorithm]) -> Result<Facts, Error> {
    let named = |number: i64| {
        let alg = algorithms.iter().find(|alg| alg.cose() == number);
        alg.copied()
            .ok_or_else(|| Error::key_algorithm_not_allowed(&number.to_string()))
    };
    let (alg, kid) = (key.alg().map(named).transpose()?, key.kid());
    let kid = kid.map(<[u8]>::to_vec);
    Ok(Facts { kid, alg })
}

fn kem(facts: &Facts) -> Result<Option<&'static pqseal_hpke::DynKem>, Error> {
    Ok(facts.alg.map(|alg| alg.kem()).transpose()?)
}
