//! JWK and COSE_Key: a key with its algorithm and its id.

use pqseal_formats::{ALGORITHMS, Error, PrivateKey, PublicKey, cose_key, jwe};
use pqseal_keys::{Content, KeyError, KeyText, is_cose_key};

/// The key in a key file.
pub enum KeyMaterial {
    /// A private key, from which the public key can be computed.
    Private(PrivateKey),
    /// Only a public key.
    Public(PublicKey),
}

/// Returns the JWKs in a file, also those of JWK Sets; `None` if it has other keys.
fn jwks(file: &[u8]) -> Option<Vec<&str>> {
    let is_key = |jwk: &str| pqseal_keys::read_public(jwk, None).is_ok();
    let mut found = Vec::new();
    for entry in KeyText::new(file).ok()?.entries() {
        match (entry.content.jwk_set(), entry.content) {
            // Keys of other algorithms are ignored (RFC 7517, section 5).
            (Some(set), _) => found.extend(set.into_iter().filter(|jwk| is_key(jwk))),
            (None, Content::Json(text)) if text.contains("\"kty\"") => found.push(text),
            _ => return None,
        }
    }
    Some(found)
}

/// Reads the key in a file, a private one if possible; `None` if the file is neither a COSE_Key
/// nor one JWK. The `alg` and `kid` of a JWK for other algorithms than HPKE's are dropped.
pub fn read(file: &[u8]) -> Option<Result<KeyMaterial, Error>> {
    let key = match jwks(file).as_deref() {
        Some([jwk]) => private_or_public(
            || jwe::private_key(jwk, ALGORITHMS),
            || jwe::public_key(jwk, ALGORITHMS),
        ),
        _ if is_cose_key(file) => private_or_public(
            || cose_key::private_key(file, ALGORITHMS),
            || cose_key::public_key(file, ALGORITHMS),
        ),
        _ => return None,
    };
    match key {
        Err(Error::KeyAlgorithmNotAllowed(_)) if !is_cose_key(file) => None,
        key => Some(key),
    }
}

fn private_or_public(
    private: impl FnOnce() -> Result<PrivateKey, Error>,
    public: impl FnOnce() -> Result<PublicKey, Error>,
) -> Result<KeyMaterial, Error> {
    match private() {
        Err(Error::Key(KeyError::PublicOnly)) => public().map(KeyMaterial::Public),
        key => key.map(KeyMaterial::Private),
    }
}

/// Reads the private keys in a file; `None` if it is neither a COSE_Key nor consecutive JWKs.
pub fn privates(file: &[u8]) -> Option<Result<Vec<PrivateKey>, Error>> {
    if is_cose_key(file) {
        let key = cose_key::private_key(file, ALGORITHMS);
        return Some(key.map(|key| vec![key]));
    }
    let jwks = jwks(file).filter(|jwks| !jwks.is_empty())?;
    let keys = jwks
        .into_iter()
        .map(|jwk| jwe::private_key(jwk, ALGORITHMS));
    Some(keys.collect())
}

impl KeyMaterial {
    /// Returns the public half.
    ///
    /// # Errors
    /// If the key's KEM cannot compute it.
    pub fn into_public(self) -> Result<PublicKey, pqseal_formats::Error> {
        match self {
            Self::Private(key) => key.public_key(),
            Self::Public(key) => Ok(key),
        }
    }
}
