//! Key pairs, and the handle that keeps a private key within wasm memory.

use std::cell::OnceCell;

use envelope::{
    Fingerprint, KeyRing,
    hpke::{AnyPrivateKey, AnyPublicKey, ParseError},
    keys::{self, KeyError, KeyFormat, RawHalf},
};
use wasm_bindgen::prelude::*;

use crate::{
    Error, SysRng,
    memory::wiping_stack,
    registry::{kem, kem_or_default},
    value::{Options, bytes, object, text},
};

/// A private key, held in wasm memory. `free()` overwrites it there, once each handle to it and
/// each ring that it was added to is freed.
#[wasm_bindgen]
pub struct PrivateKey {
    key: AnyPrivateKey,
    ring: OnceCell<KeyRing>,
}

/// Makes a key pair of a KEM, by name or id; without one, of `suites().default.kem`, which is
/// post-quantum and classical at once. An experimental KEM needs the policy `"experimental"`, here
/// and wherever its key is used; its entry in `suites()` has a caution.
#[wasm_bindgen(js_name = generateKeyPair, unchecked_return_type = "KeyPair")]
pub fn generate_key_pair(
    #[wasm_bindgen(js_name = kem, unchecked_optional_param_type = "Algorithm")] kem: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "KeyPairOptions")] options: &JsValue,
) -> Result<JsValue, Error> {
    let options = Options::of(options, &["policy"])?;
    let (kem, policy) = (kem_or_default(kem)?, options.policy()?);
    wiping_stack(|| {
        let (private, public) = keys::generate(kem, &policy, &mut SysRng)?;
        let public = public_text(&public, keys::default_format(&public))?;
        Ok(object([
            ("privateKey", PrivateKey::new(private).into()),
            ("publicKey", public.into()),
        ]))
    })
}

/// The public key of a private key, or a public key in another format. The key is in any format:
/// text, or a file's bytes. Base64 does not say which half it is: then `raw` does.
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
            &keys::read_key_file(&file(key)?, kem, raw)?.into_public()?,
            format,
        )
    })
}

#[wasm_bindgen]
impl PrivateKey {
    /// Reads a private key in any format: base64, the key-pair file of matched-data-cli, PEM, JWK, a
    /// `pqseal-private-key:` line; a file's bytes may be any of these, or DER. `kem` says whose
    /// key base64 is (`x25519` if left out), and is compared with what other formats say.
    ///
    /// Prefer bytes to text: a program can overwrite its own bytes afterwards, and cannot a string.
    pub fn parse(
        #[wasm_bindgen(unchecked_param_type = "string | Bytes")] key: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Algorithm")] kem: &JsValue,
    ) -> Result<PrivateKey, Error> {
        wiping_stack(|| {
            let kem = crate::registry::kem(kem)?;
            Ok(Self::new(keys::read_private_file(&file(key)?, kem)?))
        })
    }

    /// DeserializePrivateKey of RFC 9180, section 4: for the post-quantum KEMs the bytes are a
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

    /// SerializePrivateKey: takes the key out of wasm memory. The copy is the caller's to
    /// overwrite.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        wiping_stack(|| Ok(self.key.to_bytes()?.as_ref().to_vec()))
    }

    /// The key as the contents of a file: takes it out of wasm memory, as a string, which cannot be
    /// overwritten.
    #[wasm_bindgen(js_name = export)]
    pub fn to_text(
        &self,
        #[wasm_bindgen(unchecked_param_type = "KeyFormat")] format: &JsValue,
    ) -> Result<String, Error> {
        wiping_stack(|| Ok(keys::write_private(&self.key, key_format(format)?)?.to_string()))
    }

    /// The public key as text; without a format as dashboards take it (base64) for `x25519`, and a
    /// `pqseal-public-key:` line for others.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PublicKeyFormat")] format: &JsValue,
    ) -> Result<String, Error> {
        in_format(&keys::public_key(&self.key)?, format)
    }

    /// SerializePublicKey: the public key as `Suite` takes it.
    #[wasm_bindgen(js_name = publicKeyBytes)]
    pub fn public_key_bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(keys::public_key(&self.key)?.as_ref().to_vec())
    }

    /// The name of its KEM, such as `x25519`.
    #[wasm_bindgen(getter)]
    pub fn kem(&self) -> String {
        self.key.kem().short_name.to_owned()
    }

    /// Eight bytes in hexadecimal, by which a version 4 blob names the key that it was sealed to.
    #[wasm_bindgen(getter, js_name = keyId)]
    pub fn key_id(&self) -> Result<String, Error> {
        Ok(Fingerprint::of(&keys::public_key(&self.key)?)
            .key_id()
            .to_string())
    }

    /// SHA-256 over KEM and public key, in hexadecimal, to compare keys by. `keyId` is its
    /// beginning.
    #[wasm_bindgen(getter)]
    pub fn fingerprint(&self) -> Result<String, Error> {
        Ok(Fingerprint::of(&keys::public_key(&self.key)?).to_string())
    }

    /// Another handle to the same key, to be freed by itself.
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

    /// A ring of only this key, made when it is first needed: a key that is only for HPKE never is.
    pub(crate) fn ring(&self) -> Result<&KeyRing, Error> {
        if self.ring.get().is_none() {
            let mut ring = KeyRing::new();
            ring.add(&self.key)?;
            let _ = self.ring.set(ring);
        }
        self.ring.get().ok_or(Error::from(KeyError::UnknownKem))
    }
}

/// The public key as one value, without the line break that a file ends with.
fn public_text(key: &AnyPublicKey, format: KeyFormat) -> Result<String, Error> {
    Ok(keys::write_public(key, format)?.trim_end().to_owned())
}

/// A key file's bytes; a string is one of text.
fn file(key: &JsValue) -> Result<Vec<u8>, Error> {
    match key.as_string() {
        Some(text) => Ok(text.into_bytes()),
        None if key.is_object() => bytes(key, "key"),
        None => Err(Error::argument("key", "a string or a Uint8Array")),
    }
}

fn in_format(key: &AnyPublicKey, format: &JsValue) -> Result<String, Error> {
    let format = if format.is_undefined() {
        keys::default_format(key)
    } else {
        key_format(format)?
    };
    public_text(key, format)
}

fn raw_half(value: &JsValue) -> Result<Option<RawHalf>, Error> {
    if value.is_undefined() {
        return Ok(None);
    }
    text(value, "raw")?
        .parse()
        .map(Some)
        .map_err(|error: ParseError| Error::argument("raw", error.expected()))
}

fn key_format(value: &JsValue) -> Result<KeyFormat, Error> {
    text(value, "format")?
        .parse()
        .map_err(|error: ParseError| Error::argument("format", error.expected()))
}
