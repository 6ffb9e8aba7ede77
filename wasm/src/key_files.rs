//! Keys in every format: reading, writing, and key pairs with the public half as text.

use pqseal_hpke::{AnyPublicKey, ParseError};
#[cfg(not(feature = "full"))]
use pqseal_keys::KeyError;
use pqseal_keys::{BinaryFormat, KeyFormat, RawHalf};
use wasm_bindgen::prelude::*;

use crate::{
    Error, PrivateKey, PublicKey, SysRng,
    memory::wiping_stack,
    registry::{kem, kem_or_default},
    value::{Options, bytes, object, text},
};

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

    /// Returns the key as the contents of a file, outside wasm memory: as a string, which cannot be
    /// overwritten.
    #[wasm_bindgen(js_name = export)]
    pub fn to_text(
        &self,
        #[wasm_bindgen(unchecked_param_type = "KeyFormat")] format: &JsValue,
    ) -> Result<String, Error> {
        wiping_stack(
            || Ok(pqseal_keys::write_private(self.key(), key_format(format)?)?.to_string()),
        )
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
            Ok(pqseal_keys::write_private_binary(self.key(), format)?.to_vec())
        })
    }

    /// Returns the public key as text. The default format is the one of dashboards (base64) for
    /// `x25519`, and a `pqseal-public-key:` line for others.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PublicKeyFormat")] format: &JsValue,
    ) -> Result<String, Error> {
        in_format(&pqseal_keys::public_key(self.key())?, format)
    }
}

#[wasm_bindgen]
impl PublicKey {
    /// Reads a public key, or the public half of a private one, in any format: text, or a file's
    /// bytes. `kem` is the KEM of a key in base64 (`x25519` if left out). Base64 does not show
    /// which half it is; `raw` says so.
    pub fn parse(
        #[wasm_bindgen(unchecked_param_type = "string | Bytes")] key: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Algorithm")] kem: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "RawHalf")] raw: &JsValue,
    ) -> Result<PublicKey, Error> {
        let (kem, raw): (_, Option<RawHalf>) = (self::kem(kem)?, raw_half(raw)?);
        let key = pqseal_keys::read_key(&file(key, "key")?, kem, raw)?;
        Ok(Self::new(key.into_public()?))
    }

    /// Returns the key as text. The default format is the one of dashboards (base64) for `x25519`,
    /// and a `pqseal-public-key:` line for others.
    #[wasm_bindgen(js_name = export)]
    pub fn to_text(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "PublicKeyFormat")] format: &JsValue,
    ) -> Result<String, Error> {
        in_format(self.key(), format)
    }

    /// Returns the key as bytes, like `PrivateKey.exportBinary`.
    #[wasm_bindgen(js_name = exportBinary)]
    pub fn to_binary(
        &self,
        #[wasm_bindgen(unchecked_param_type = "BinaryFormat")] format: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "string")] alg: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        let format = binary_format(format, alg)?;
        Ok(pqseal_keys::write_public_binary(self.key(), format)?)
    }
}

/// Returns the bytes of a key file, which a string may contain as text.
pub(crate) fn file(key: &JsValue, name: &str) -> Result<Vec<u8>, Error> {
    match key.as_string() {
        Some(text) => Ok(text.into_bytes()),
        None if key.is_object() => bytes(key, name),
        None => Err(Error::argument(name, "a string or a Uint8Array")),
    }
}

/// Returns the public key as one value. Only PEM, the content of a file, ends in a line break.
fn in_format(key: &AnyPublicKey, format: &JsValue) -> Result<String, Error> {
    let format = if format.is_undefined() {
        pqseal_keys::default_format(key)
    } else {
        key_format(format)?
    };
    let text = pqseal_keys::write_public(key, format)?;
    Ok(match format {
        KeyFormat::Pem => text,
        _ => text.trim_end().to_owned(),
    })
}

/// Returns the format whose keys are bytes, with its algorithm.
#[cfg(feature = "full")]
fn binary_format(format: &JsValue, alg: &JsValue) -> Result<BinaryFormat, Error> {
    let parsed: Result<BinaryFormat, ParseError> = text(format, "format")?.parse();
    let format = parsed.map_err(|error| Error::argument("format", error.expected()))?;
    if alg.is_undefined() {
        return Ok(format);
    }
    let named = format.with_alg(&text(alg, "alg")?);
    named.map_err(|error| Error::argument("alg", error.expected()))
}

/// Returns the only format of this module whose keys are bytes.
#[cfg(not(feature = "full"))]
fn binary_format(format: &JsValue, _alg: &JsValue) -> Result<BinaryFormat, Error> {
    match text(format, "format")?.as_str() {
        "der" => Ok(BinaryFormat::Der),
        _ => Err(KeyError::UnknownKem.into()),
    }
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
