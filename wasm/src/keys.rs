//! Key pairs, and the handle that keeps a private key within wasm memory.

use std::cell::OnceCell;

use pqseal_hpke::AnyPrivateKey;
use pqseal_keys::{Fingerprint, KeyError};
use pqseal_matched_data::KeyRing;
use wasm_bindgen::prelude::*;

use crate::{
    Error, PublicKey, SysRng,
    key_text::{binary_format, file, in_format, key_format, raw_half},
    memory::wiping_stack,
    registry::{kem, kem_or_default},
    value::{Options, bytes, object},
};

/// A private key, held in wasm memory. `free()` overwrites it there, once each handle to it and
/// each ring that it was added to is freed.
#[wasm_bindgen]
pub struct PrivateKey {
    key: AnyPrivateKey,
    ring: OnceCell<KeyRing>,
}

/// Generates a key pair of a KEM, given by name or id. Without one, uses `suites().default.kem`, a
/// hybrid of a post-quantum and a classical KEM. An experimental KEM needs the policy
/// `"experimental"`, here and wherever its key is used; its entry in `suites()` has a caution.
#[wasm_bindgen(js_name = generateKeyPair, unchecked_return_type = "KeyPair")]
pub fn generate_key_pair(
    #[wasm_bindgen(js_name = kem, unchecked_optional_param_type = "Algorithm")] kem: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "KeyPairOptions")] options: &JsValue,
) -> Result<JsValue, Error> {
    let options = Options::of(options, &["policy"])?;
    let (kem, policy) = (kem_or_default(kem)?, options.policy()?);
    wiping_stack(|| {
        let (private, public) = pqseal_keys::generate(kem, &policy, &mut SysRng)?;
        let public = in_format(&public, &JsValue::UNDEFINED)?;
        Ok(object([
            ("privateKey", PrivateKey::new(private).into()),
            ("publicKey", public.into()),
        ]))
    })
}

/// Returns the public key of a private key, or a public key in another format. The key may be in
/// any format: text, or a file's bytes. Base64 does not show which half it is; `raw` says so.
#[wasm_bindgen(js_name = derivePublicKey)]
pub fn derive_public_key(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] key: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "Algorithm")] kem: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "PublicKeyFormat")] format: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RawHalf")] raw: &JsValue,
) -> Result<String, Error> {
    wiping_stack(|| {
        let (kem, raw) = (self::kem(kem)?, raw_half(raw)?);
        in_format(
            &pqseal_keys::read_key(&file(key, "key")?, kem, raw)?.into_public()?,
            format,
        )
    })
}

#[wasm_bindgen]
impl PrivateKey {
    /// Reads a private key in any format: base64, the key-pair file of matched-data-cli, PEM, JWK,
    /// a `pqseal-private-key:` line; a file's bytes may be any of these, DER, or COSE_Key. `kem` is the KEM
    /// of a key in base64 (`x25519` if left out), and must match that of other formats.
    ///
    /// Prefer bytes to text: unlike a string, a program can overwrite its own bytes afterwards.
    pub fn parse(
        #[wasm_bindgen(unchecked_param_type = "string | Bytes")] key: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Algorithm")] kem: &JsValue,
    ) -> Result<PrivateKey, Error> {
        wiping_stack(|| {
            let kem = crate::registry::kem(kem)?;
            Ok(Self::new(pqseal_keys::read_private(
                &file(key, "key")?,
                kem,
            )?))
        })
    }

    /// DeserializePrivateKey of RFC 9180, section 4. For the post-quantum KEMs the bytes are a
    /// seed.
    pub fn deserialize(
        #[wasm_bindgen(unchecked_param_type = "Algorithm")] kem: &JsValue,
        #[wasm_bindgen(js_name = bytes, unchecked_param_type = "Bytes")] serialized: &JsValue,
    ) -> Result<PrivateKey, Error> {
        wiping_stack(|| {
            let kem =
                self::kem(kem)?.ok_or_else(|| Error::argument("kem", "a name or a number"))?;
            Ok(Self::new(
                kem.deserialize_private_key(&bytes(serialized, "bytes")?)?,
            ))
        })
    }

    /// SerializePrivateKey: returns the key outside wasm memory. The caller must overwrite the
    /// copy.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        wiping_stack(|| Ok(self.key.to_bytes()?.as_ref().to_vec()))
    }

    /// Returns the key as the contents of a file, outside wasm memory: as a string, which cannot be
    /// overwritten.
    #[wasm_bindgen(js_name = export)]
    pub fn to_text(
        &self,
        #[wasm_bindgen(unchecked_param_type = "KeyFormat")] format: &JsValue,
    ) -> Result<String, Error> {
        wiping_stack(|| Ok(pqseal_keys::write_private(&self.key, key_format(format)?)?.to_string()))
    }

    /// Returns the key as bytes, which the caller must overwrite. A COSE_Key of ML-KEM or of a
    /// hybrid needs an algorithm, such as `HPKE-9-KE`.
    #[wasm_bindgen(js_name = exportBinary)]
    pub fn to_binary(
        &self,
        #[wasm_bindgen(unchecked_param_type = "BinaryFormat")] format: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "string")] alg: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        wiping_stack(|| {
            let format = binary_format(format, alg)?;
            Ok(pqseal_keys::write_private_binary(&self.key, format)?.to_vec())
        })
    }

    /// Returns the public key as text. The default format is the one of dashboards (base64) for
    /// `x25519`, and a `pqseal-public-key:` line for others.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PublicKeyFormat")] format: &JsValue,
    ) -> Result<String, Error> {
        in_format(&pqseal_keys::public_key(&self.key)?, format)
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
            ring: OnceCell::new(),
        }
    }

    pub(crate) fn key(&self) -> &AnyPrivateKey {
        &self.key
    }

    /// Returns a ring of only this key. It is created when first needed, so never for a key only
    /// used for HPKE.
    pub(crate) fn ring(&self) -> Result<&KeyRing, Error> {
        if self.ring.get().is_none() {
            let mut ring = KeyRing::new();
            ring.add(&self.key)?;
            let _ = self.ring.set(ring);
        }
        self.ring.get().ok_or(Error::from(KeyError::UnknownKem))
    }
}
