//! Public keys.

use js_sys::Reflect;
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{Fingerprint, kem_by_name};
use wasm_bindgen::prelude::*;

use crate::{
    Error,
    registry::given_kem,
    value::{bytes, text},
};

/// A public key, which knows its KEM. Of each object with the members `kem` and `bytes` these are
/// read, so a key of `core` can be used after `load()`.
#[wasm_bindgen]
pub struct PublicKey(AnyPublicKey);

#[wasm_bindgen]
impl PublicKey {
    /// DeserializePublicKey of RFC 9180, section 4.
    pub fn deserialize(
        #[wasm_bindgen(unchecked_param_type = "Algorithm")] kem: &JsValue,
        #[wasm_bindgen(js_name = bytes, unchecked_param_type = "Bytes")] serialized: &JsValue,
    ) -> Result<PublicKey, Error> {
        let serialized = bytes(serialized, "bytes")?;
        Ok(Self(given_kem(kem)?.deserialize_public_key(&serialized)?))
    }

    /// Returns its bytes (SerializePublicKey), a new copy each time.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.as_ref().to_vec()
    }

    /// Returns the name of its KEM, such as `x25519`.
    #[wasm_bindgen(getter)]
    pub fn kem(&self) -> String {
        self.0.kem().short_name.to_owned()
    }

    /// Returns eight bytes in hexadecimal, by which a version 4 blob names the key that it was
    /// sealed to.
    #[wasm_bindgen(getter, js_name = keyId)]
    pub fn key_id(&self) -> String {
        Fingerprint::of(&self.0).key_id().to_string()
    }

    /// Returns SHA-256 over KEM and public key in hexadecimal, to compare keys. It begins with
    /// `keyId`.
    #[wasm_bindgen(getter)]
    pub fn fingerprint(&self) -> String {
        Fingerprint::of(&self.0).to_string()
    }
}

impl PublicKey {
    pub(crate) const fn new(key: AnyPublicKey) -> Self {
        Self(key)
    }

    #[cfg(feature = "matched-data")]
    pub(crate) const fn key(&self) -> &AnyPublicKey {
        &self.0
    }
}

/// Returns the key of a `PublicKey`, which may be of another module; `None` if it is something else,
/// such as bytes.
pub(crate) fn public_key(value: &JsValue) -> Result<Option<AnyPublicKey>, Error> {
    let member = |name: &str| Reflect::get(value, &name.into()).unwrap_or_default();
    let (kem, serialized) = (member("kem"), member("bytes"));
    if !value.is_object() || serialized.is_undefined() {
        return Ok(None);
    }
    let kem = kem_by_name(&text(&kem, "kem")?).map_err(crate::registry::unknown)?;
    Ok(Some(
        kem.deserialize_public_key(&bytes(&serialized, "bytes")?)?,
    ))
}
