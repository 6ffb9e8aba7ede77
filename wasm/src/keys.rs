//! Private keys, with the handle that keeps one within wasm memory, and public keys.

#[cfg(feature = "matched-data")]
use std::cell::OnceCell;

use js_sys::Reflect;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
use pqseal_keys::{Fingerprint, kem_by_name};
#[cfg(feature = "matched-data")]
use pqseal_matched_data::KeyRing;
use wasm_bindgen::prelude::*;

use crate::{
    Error,
    memory::wiping_stack,
    registry::{given_kem, unknown},
    value::{bytes, text},
};

/// A private key, held in wasm memory. `free()` overwrites it there, once each handle to it and
/// each ring that it was added to is freed.
#[wasm_bindgen]
pub struct PrivateKey {
    key: AnyPrivateKey,
    #[cfg(feature = "matched-data")]
    ring: OnceCell<KeyRing>,
}

#[wasm_bindgen]
impl PrivateKey {
    /// DeserializePrivateKey of RFC 9180, section 4. For the post-quantum KEMs the bytes are a
    /// seed.
    pub fn deserialize(
        #[wasm_bindgen(unchecked_param_type = "Algorithm")] kem: &JsValue,
        #[wasm_bindgen(js_name = bytes, unchecked_param_type = "Bytes")] serialized: &JsValue,
    ) -> Result<PrivateKey, Error> {
        wiping_stack(|| {
            let serialized = bytes(serialized, "bytes")?;
            Ok(Self::new(
                given_kem(kem)?.deserialize_private_key(&serialized)?,
            ))
        })
    }

    /// SerializePrivateKey: returns the key outside wasm memory. The caller must overwrite the
    /// copy.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        wiping_stack(|| Ok(self.key.to_bytes()?.as_ref().to_vec()))
    }

    /// Returns the public key as an object, which converts it and which `Suite` and `seal` take.
    #[wasm_bindgen(js_name = toPublic)]
    pub fn to_public(&self) -> Result<PublicKey, Error> {
        Ok(PublicKey::new(pqseal_keys::public_key(&self.key)?))
    }

    /// SerializePublicKey: returns the public key as `Suite` takes it.
    #[wasm_bindgen(js_name = publicKeyBytes)]
    pub fn public_key_bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(pqseal_keys::public_key(&self.key)?.as_ref().to_vec())
    }

    /// Returns the name of its KEM, such as `x25519`.
    #[wasm_bindgen(getter)]
    pub fn kem(&self) -> String {
        self.key.kem().short_name.to_owned()
    }

    /// Returns eight bytes in hexadecimal, by which a version 4 blob names the key that it was
    /// sealed to.
    #[wasm_bindgen(getter, js_name = keyId)]
    pub fn key_id(&self) -> Result<String, Error> {
        Ok(Fingerprint::of(&pqseal_keys::public_key(&self.key)?)
            .key_id()
            .to_string())
    }

    /// Returns SHA-256 over KEM and public key in hexadecimal, to compare keys. It begins with
    /// `keyId`.
    #[wasm_bindgen(getter)]
    pub fn fingerprint(&self) -> Result<String, Error> {
        Ok(Fingerprint::of(&pqseal_keys::public_key(&self.key)?).to_string())
    }

    /// Returns another handle to the same key, which must be freed separately.
    #[wasm_bindgen(js_name = clone)]
    pub fn share(&self) -> PrivateKey {
        Self::new(self.key.clone())
    }
}

impl PrivateKey {
    pub(crate) fn new(key: AnyPrivateKey) -> Self {
        Self {
            key,
            #[cfg(feature = "matched-data")]
            ring: OnceCell::new(),
        }
    }

    pub(crate) fn key(&self) -> &AnyPrivateKey {
        &self.key
    }

    /// Returns a ring of only this key. It is created when first needed, so never for a key only
    /// used for HPKE.
    #[cfg(feature = "matched-data")]
    pub(crate) fn ring(&self) -> Result<&KeyRing, Error> {
        if self.ring.get().is_none() {
            let mut ring = KeyRing::new();
            ring.add(&self.key)?;
            let _ = self.ring.set(ring);
        }
        self.ring
            .get()
            .ok_or(Error::from(pqseal_keys::KeyError::UnknownKem))
    }
}

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
    let [kem, serialized] =
        ["kem", "bytes"].map(|name| Reflect::get(value, &name.into()).unwrap_or_default());
    if !value.is_object() || serialized.is_undefined() {
        return Ok(None);
    }
    let kem = kem_by_name(&text(&kem, "kem")?).map_err(unknown)?;
    Ok(Some(
        kem.deserialize_public_key(&bytes(&serialized, "bytes")?)?,
    ))
}
