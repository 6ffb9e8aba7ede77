//! Sealed values in log fields other than matched data: their kinds, their descriptions, and the
//! keys that open them. RSA is WebCrypto's: the JavaScript around this module (`wasm/sealed`)
//! unwraps the keys of AI Gateway between two calls.

use js_sys::{Array, Uint8Array, Uint32Array};
use pqseal_hpke::twice;
use pqseal_keys::{KeyText, LabelledKey};
use pqseal_matched_data::Opened;
use pqseal_sealed::{
    AiGatewayObject, Description, Error as SealedError, Keys, Kind, OtherKey, describe,
};
use pqseal_wasm_shared::reopened;
use wasm_bindgen::prelude::*;

use crate::{
    Error, KeyRing, PrivateKey,
    key_files::file,
    matched_data::packed::{PackedTexts, results},
    memory::wiping_stack,
    value::{Options, bytes, length, object, text},
};

/// Detects the kind of a sealed value by its form: the JSON text of an object, or what is between
/// the quotes of a string. Matched data and values in the clear have none.
#[wasm_bindgen(js_name = sealedKind, unchecked_return_type = "SealedKind | undefined")]
pub fn sealed_kind(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] value: &JsValue,
) -> Result<Option<String>, Error> {
    let kind = Kind::detect(&file(value, "value")?);
    Ok(kind.map(|kind| kind.name().to_owned()))
}

/// Describes a sealed value without a key, or returns undefined if it has no kind. Nothing of it is
/// authenticated before the value is opened. Throws the reason why no key opens it.
#[wasm_bindgen(js_name = inspectSealed, unchecked_return_type = "SealedDescription | undefined")]
pub fn inspect_sealed(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] value: &JsValue,
) -> Result<JsValue, Error> {
    let found = describe(&file(value, "value")?).map_err(failed)?;
    Ok(found.map_or(JsValue::UNDEFINED, described))
}

fn described(found: Description) -> JsValue {
    object([
        ("kind", found.kind.name().into()),
        ("algorithm", found.algorithm.into()),
        ("rsaBits", found.wrapped_key_len.map(|len| len * 8).into()),
        ("kid", found.kid.into()),
        ("plaintextLength", found.plaintext_len.into()),
    ])
}

/// Converts the reason why a sealed value does not open.
fn failed(error: SealedError) -> Error {
    match error {
        SealedError::Hpke(error) => error.into(),
        error => Error::new(error.code(), &error),
    }
}

/// The size of the key that an RSA key unwraps, in bytes.
const UNWRAPPED: usize = 32;

/// The WebAssembly of `SealedKeys`, which calls it. It has no RSA: `wrappedKeys` returns what RSA
/// keys unwrap, and `openPacked` takes the result.
#[wasm_bindgen]
pub struct SealedRing {
    keys: Keys,
    /// For each of `keys`, its index among all keys.
    places: Vec<usize>,
    /// The ids of all keys.
    ids: Vec<String>,
    /// The sizes of the moduli of RSA keys, in bytes.
    moduli: Vec<usize>,
}

#[wasm_bindgen]
impl SealedRing {
    /// Takes the keys of a ring, which may be freed.
    #[wasm_bindgen(constructor)]
    pub fn new(ring: &KeyRing) -> Result<Self, Error> {
        let keys = wiping_stack(|| Keys::new(ring.ring()))?;
        let ids: Vec<_> = keys.names().map(|name| name.id.to_string()).collect();
        Ok(Self {
            places: (0..ids.len()).collect(),
            moduli: Vec::new(),
            keys,
            ids,
        })
    }

    /// Reads all keys of a file. The caller must overwrite the bytes of `others`: PKCS#8 in DER, or
    /// the text of an age identity.
    #[wasm_bindgen(js_name = keysIn, unchecked_return_type = "RawKeys")]
    pub fn keys_in(
        #[wasm_bindgen(js_name = file, unchecked_param_type = "string | Bytes")] given: &JsValue,
    ) -> Result<JsValue, Error> {
        wiping_stack(|| {
            let (keys, others) = read(&file(given, "file")?)?;
            let keys = keys.into_iter().map(|key| PrivateKey::new(key.key));
            let keys: Array = keys.map(JsValue::from).collect();
            let others: Array = others.iter().map(described_key).collect::<Result<_, _>>()?;
            Ok(object([("keys", keys.into()), ("others", others.into())]))
        })
    }

    /// Adds an age identity at the end.
    #[wasm_bindgen(js_name = addIdentity)]
    pub fn add_identity(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] identity: &JsValue,
    ) -> Result<(), Error> {
        wiping_stack(|| {
            let (_, others) = read(&bytes(identity, "identity")?)?;
            for key in others {
                self.keys.add(&key)?;
                self.places.push(self.ids.len());
                self.ids.push(key.name().id.to_string());
            }
            Ok(())
        })
    }

    /// Adds an RSA key at the end, by its id and the size of its modulus in bytes.
    #[wasm_bindgen(js_name = addRsa)]
    pub fn add_rsa(
        &mut self,
        #[wasm_bindgen(js_name = keyId, unchecked_param_type = "string")] key_id: &JsValue,
        #[wasm_bindgen(js_name = modulusLength, unchecked_param_type = "number")] modulus: &JsValue,
    ) -> Result<(), Error> {
        let id = text(key_id, "keyId")?;
        self.moduli.push(length(modulus, "modulusLength")? as usize);
        self.ids.push(id);
        Ok(())
    }

    /// Returns the ids of all keys, those of the ring first.
    #[wasm_bindgen(getter, js_name = keyIds)]
    pub fn key_ids(&self) -> Vec<String> {
        self.ids.clone()
    }

    /// Returns the wrapped key of each value. It is empty if no RSA key is to unwrap it.
    #[wasm_bindgen(js_name = wrappedKeys, unchecked_return_type = "WrappedKeys")]
    pub fn wrapped_keys(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] values: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint32Array")] ends: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SealedOptions")] options: &JsValue,
    ) -> Result<JsValue, Error> {
        let (values, kind) = (PackedTexts::of(values, "values", ends)?, kind(options)?);
        let (mut keys, mut ends) = (Vec::new(), Vec::new());
        for value in values.iter() {
            if kind_of(value, kind) == Some(Kind::AiGateway)
                && let Ok(Some(found)) = self.wrapped(value)
            {
                keys.extend_from_slice(found.wrapped_key());
            }
            // Addresses have 32 bits here.
            ends.push(u32::try_from(keys.len()).unwrap_or(u32::MAX));
        }
        Ok(object([
            ("keys", Uint8Array::from(&*keys).into()),
            ("ends", Uint32Array::from(&*ends).into()),
        ]))
    }

    /// Opens values. For each of them `unwrapped` has 32 bytes, and `places` the index of the RSA
    /// key that unwrapped them, or the number of keys if none did.
    #[wasm_bindgen(js_name = openPacked, unchecked_return_type = "PackedResults")]
    pub fn open_packed(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] values: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint32Array")] ends: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] unwrapped: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint32Array")] places: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SealedOptions")] options: &JsValue,
    ) -> Result<JsValue, Error> {
        let (values, kind) = (PackedTexts::of(values, "values", ends)?, kind(options)?);
        wiping_stack(|| {
            let (unwrapped, places) = (bytes(unwrapped, "unwrapped")?, bytes(places, "places")?);
            let places = places.as_chunks().0.iter();
            let places = places.map(|place| u32::from_le_bytes(*place) as usize);
            let mut unwrapped = unwrapped.as_chunks().0.iter().zip(places);
            let before = reopened();
            let all = values.iter().map(|value| {
                let key = unwrapped
                    .next()
                    .filter(|(_, place)| *place < self.ids.len());
                twice::opened(&mut || self.open(value, kind, key), may_be_wrong)
                    .map_err(failed)?
                    .ok_or_else(not_sealed)
            });
            Ok(results(all.collect(), self.ids.len(), reopened() - before))
        })
    }
}

impl SealedRing {
    /// Opens a value; `None` if it is not sealed.
    fn open(
        &self,
        value: &[u8],
        kind: Option<Kind>,
        unwrapped: Option<(&[u8; UNWRAPPED], usize)>,
    ) -> Result<Option<Opened>, SealedError> {
        match kind_of(value, kind) {
            None => Ok(None),
            Some(Kind::AiGateway) => {
                let Some(found) = self.wrapped(value)? else {
                    return Ok(None);
                };
                let plaintext = found.open(unwrapped.map(|(key, _)| key))?;
                let key = unwrapped.map_or(self.ids.len(), |(_, place)| place);
                Ok(Some(Opened { key, plaintext }))
            }
            Some(kind) => {
                let opened = self.keys.open(kind, value)?;
                Ok(opened.map(|Opened { key, plaintext }| Opened {
                    key: self.places[key],
                    plaintext,
                }))
            }
        }
    }

    /// Parses an object that an RSA key is to unwrap; `None` if it is in the clear.
    fn wrapped(&self, value: &[u8]) -> Result<Option<AiGatewayObject>, SealedError> {
        let Some(found) = AiGatewayObject::parse(value)? else {
            return Ok(None);
        };
        if self.moduli.is_empty() {
            return Err(SealedError::NoRsaKey);
        }
        match found.wrapped_key().len() {
            len if self.moduli.contains(&len) => Ok(Some(found)),
            len => Err(SealedError::WrappedKey(len)),
        }
    }
}

/// Reads all keys of a file.
fn read(bytes: &[u8]) -> Result<(Vec<LabelledKey>, Vec<OtherKey>), Error> {
    let read = OtherKey::read_all(&KeyText::new(bytes)?, None, |_| ());
    read.map_err(|error| Error::new(error.code(), &error))
}

fn described_key(key: &OtherKey) -> Result<JsValue, Error> {
    Ok(object([
        ("kind", key.kind().name().into()),
        ("keyId", key.name().id.to_string().into()),
        ("label", key.name().label.as_deref().cloned().into()),
        ("description", key.description().into()),
        ("bytes", Uint8Array::from(&**key.to_bytes()?).into()),
    ]))
}

/// Returns the option `kind`.
fn kind(options: &JsValue) -> Result<Option<Kind>, Error> {
    let Some(kind) = Options::of(options, &["kind"])?.value("kind")? else {
        return Ok(None);
    };
    let kind: Option<Kind> = kind.as_string().and_then(|kind| kind.parse().ok());
    let kind = kind.filter(|kind| *kind != Kind::MatchedData);
    kind.map(Some)
        .ok_or_else(|| Error::argument("kind", "ai-gateway, agent-receipt, jwe or age"))
}

fn kind_of(value: &[u8], kind: Option<Kind>) -> Option<Kind> {
    kind.or_else(|| Kind::detect(value))
}

/// Reports whether a wrong computation may have caused an error.
const fn may_be_wrong(error: &SealedError) -> bool {
    use SealedError::{Age, Jwe, NoAgeKeyOpens, NoKeyOpens, Plaintext};
    matches!(
        error,
        NoKeyOpens | NoAgeKeyOpens | Plaintext | Age { .. } | Jwe(_)
    )
}

/// Returns the error for a value that is not sealed.
fn not_sealed() -> Error {
    Error {
        code: "not_sealed",
        message: "it is in the clear, or sealed as matched data".to_owned(),
    }
}
