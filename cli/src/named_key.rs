//! JWK and COSE_Key: a key with its algorithm and its id.

use pqseal_formats::{ALGORITHMS, Error, PrivateKey, PublicKey, jwe};
use pqseal_keys::KeyError;
use serde_json::value::RawValue;

use crate::cose_key;

/// The key in a key file.
pub enum KeyMaterial {
    /// A private key, from which the public key can be computed.
    Private(PrivateKey),
    /// Only a public key.
    Public(PublicKey),
}

/// Returns the text of a file that holds one or more JWKs.
fn jwk(file: &[u8]) -> Option<&str> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let text = std::str::from_utf8(file).ok()?.trim();
    (text.starts_with('{') && text.contains("\"kty\"")).then_some(text)
}

/// Reads the key in a file, a private one if possible; `None` if the file is neither a COSE_Key
/// nor one JWK. The `alg` and `kid` of a JWK for other algorithms than HPKE's are dropped.
pub fn read(file: &[u8]) -> Option<Result<KeyMaterial, Error>> {
    let key = match jwk(file) {
        Some(jwk) => private_or_public(
            || jwe::private_key(jwk, ALGORITHMS),
            || jwe::public_key(jwk, ALGORITHMS),
        ),
        None if cose_key::detect(file) => private_or_public(
            || cose_key::read_private(file),
            || cose_key::read_public(file),
        ),
        None => return None,
    };
    match key {
        Err(Error::KeyAlgorithmNotAllowed(_)) if !cose_key::detect(file) => None,
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
    if cose_key::detect(file) {
        let key = cose_key::read_private(file);
        return Some(key.map(|key| vec![key]));
    }
    let jwks = serde_json::Deserializer::from_str(jwk(file)?).into_iter::<&RawValue>();
    let not_json = |_| KeyError::Jwk("it is not JSON, or a member is given twice");
    let keys = jwks.map(|jwk| jwe::private_key(jwk.map_err(not_json)?.get(), ALGORITHMS));
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
