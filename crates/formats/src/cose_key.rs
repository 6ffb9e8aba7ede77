//! Keys as COSE_Key (RFC 9052, section 7), with `alg` and `kid`. The key itself is read and written
//! by [`pqseal_keys`].

use pqseal_keys::{
    KeyError,
    cose_key::{self, CoseKey},
};
use zeroize::Zeroizing;

use crate::{Algorithm, Error, PrivateKey, PublicKey};

/// Reads a private COSE_Key. `algorithms` are those that its `alg` may name, such as
/// [`ALGORITHMS`](crate::ALGORITHMS); an AKP key needs `alg`.
///
/// # Errors
/// [`Error::Key`], [`Error::KeyAlgorithmNotAllowed`] if `alg` is another one.
pub fn private_key(cose_key: &[u8], algorithms: &[Algorithm]) -> Result<PrivateKey, Error> {
    let key = CoseKey::parse(cose_key)?;
    let alg = allowed_alg(&key, algorithms)?;
    let kem = alg.map(|alg| alg.kem()).transpose()?;
    PrivateKey::from_file(key.private(kem)?, key.kid().map(<[u8]>::to_vec), alg)
}

/// Reads a public COSE_Key, or the public half of a private one.
///
/// # Errors
/// Same as [`private_key`].
pub fn public_key(cose_key: &[u8], algorithms: &[Algorithm]) -> Result<PublicKey, Error> {
    let key = CoseKey::parse(cose_key)?;
    let alg = allowed_alg(&key, algorithms)?;
    let kem = alg.map(|alg| alg.kem()).transpose()?;
    PublicKey::from_file(key.public(kem)?, key.kid().map(<[u8]>::to_vec), alg)
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

/// Returns the algorithm that `alg` names, if the key has one.
fn allowed_alg(key: &CoseKey<'_>, algorithms: &[Algorithm]) -> Result<Option<Algorithm>, Error> {
    let Some(number) = key.alg() else {
        return Ok(None);
    };
    match algorithms.iter().find(|alg| alg.cose() == number) {
        Some(alg) => Ok(Some(*alg)),
        None => Err(Error::key_algorithm_not_allowed(&number.to_string())),
    }
}
