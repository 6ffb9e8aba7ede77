//! Key pairs, and the handle that keeps a private key within wasm memory. Also pre-shared keys,
//! and JSON, which is given as a string, bytes or an object.

use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, JSON, Object};
use pqseal_formats::{
    ALGORITHMS, PrivateKey as Key,
    jwe::{self, Header},
};
use pqseal_wasm_shared::{
    Error, SysRng,
    memory::wiping_stack,
    value::{Options, bytes, list, object, text},
};
use wasm_bindgen::prelude::*;

use crate::{by_name, failed, given_alg};

/// A private key, held in wasm memory. `free()` overwrites it there, once each handle to it is
/// freed. It is not the `PrivateKey` of `pqseal`, which has other memory; `export` and `parse` move
/// a key between them.
#[wasm_bindgen]
pub struct PrivateKey(Rc<Key>);

/// Generates a key pair for an algorithm, such as `HPKE-9` or `HPKE-9-KE`.
#[wasm_bindgen(js_name = generateKeyPair, unchecked_return_type = "KeyPair")]
pub fn generate_key_pair(
    #[wasm_bindgen(unchecked_param_type = "Alg")] alg: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "KeyPairOptions")] options: &JsValue,
) -> Result<JsValue, Error> {
    let (alg, options) = (by_name(alg, "alg")?, Options::of(options, &["kid"])?);
    let kid = kid(&options)?;
    wiping_stack(|| {
        let suite = alg.suite().map_err(|error| failed(error.into()))?;
        let (private, _) = suite.generate_key_pair(&mut SysRng)?;
        let key = Key::new(private).with_alg(alg).map_err(failed)?;
        let key = PrivateKey::new(with_kid(key, kid));
        let public = key.public_key()?;
        Ok(object([
            ("privateKey", key.into()),
            ("publicKey", public.into()),
        ]))
    })
}

#[wasm_bindgen]
impl PrivateKey {
    /// Reads a private JWK: its text, the bytes of its text, or an object. `alg` and `kid` supply
    /// values that are missing in the key. A key without `alg` is for every algorithm of its KEM.
    ///
    /// Prefer bytes: unlike a string, a program can overwrite its own bytes afterwards.
    pub fn parse(
        #[wasm_bindgen(unchecked_param_type = "Jwk")] jwk: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "KeyOptions")] options: &JsValue,
    ) -> Result<PrivateKey, Error> {
        let options = Options::of(options, &["alg", "kid"])?;
        let (alg, kid) = (given_alg(&options)?, kid(&options)?);
        wiping_stack(|| {
            let jwk = json_text(jwk, "jwk")?;
            let key = jwe::private_key(&jwk, ALGORITHMS).map_err(failed)?;
            let key = match alg {
                None => key,
                // The key must be for this algorithm.
                Some(alg) if key.alg().is_some_and(|own| own != alg) => {
                    return Err(failed(pqseal_formats::Error::KeyAlgorithm(alg.name())));
                }
                Some(alg) => key.with_alg(alg).map_err(failed)?,
            };
            Ok(Self::new(with_kid(key, kid)))
        })
    }

    /// Returns the key as a JWK, outside wasm memory: as a string, which cannot be overwritten.
    #[wasm_bindgen(js_name = export)]
    pub fn to_jwk(&self) -> Result<String, Error> {
        wiping_stack(|| Ok(jwe::write_private(&self.0).map_err(failed)?.to_string()))
    }

    /// Returns the public key as a JWK, with the same `alg` and `kid`.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(&self) -> Result<String, Error> {
        let public = self.0.public_key().map_err(failed)?;
        jwe::write_public(&public).map_err(failed)
    }

    /// Returns the one algorithm that the key is for, if its JWK has `alg`.
    #[wasm_bindgen(getter, unchecked_return_type = "Alg | undefined")]
    pub fn alg(&self) -> Option<String> {
        Some(self.0.alg()?.name().to_owned())
    }

    /// Returns the id by which messages name the key.
    #[wasm_bindgen(getter)]
    pub fn kid(&self) -> Option<String> {
        Some(String::from_utf8_lossy(self.0.kid()?).into_owned())
    }

    /// Returns the name of its KEM, such as `mlkem768-x25519`.
    #[wasm_bindgen(getter)]
    pub fn kem(&self) -> String {
        self.0.key().kem().short_name.to_owned()
    }

    /// Returns another handle to the same key, which must be freed separately.
    #[wasm_bindgen(js_name = clone)]
    pub fn share(&self) -> PrivateKey {
        Self(self.0.clone())
    }
}

impl PrivateKey {
    fn new(key: Key) -> Self {
        Self(Rc::new(key))
    }
}

#[wasm_bindgen]
extern "C" {
    /// A handle, given alone or in an array.
    type Handle;

    #[wasm_bindgen(method, catch, js_name = clone)]
    fn share(this: &Handle) -> Result<PrivateKey, JsValue>;
}

/// Returns the keys of one handle or an array of them.
pub(crate) fn of(keys: &JsValue) -> Result<Vec<Rc<Key>>, Error> {
    let keys = match keys.dyn_ref::<Array>() {
        Some(keys) => keys.to_vec(),
        None => vec![keys.clone()],
    };
    let keys = keys.iter().map(|key| {
        let key = key.unchecked_ref::<Handle>().share();
        key.map(|key| key.0.clone()).map_err(|_| {
            Error::argument(
                "keys",
                "a PrivateKey of pqseal/jwe that is not freed, or an array of them",
            )
        })
    });
    keys.collect()
}

/// Returns the option `kid`, if it is given.
pub(crate) fn kid(options: &Options<'_>) -> Result<Option<String>, Error> {
    let kid = options.value("kid")?;
    kid.map(|kid| text(&kid, "kid")).transpose()
}

fn with_kid(key: Key, kid: Option<String>) -> Key {
    match kid {
        Some(kid) => key.with_kid(kid),
        None => key,
    }
}

/// A pre-shared key.
pub(crate) struct Psk {
    pub(crate) key: Vec<u8>,
    pub(crate) id: Vec<u8>,
}

impl Psk {
    /// Reads the members `psk` and `pskId`, if one of them is given. One without the other, or an
    /// empty one, is an error of HPKE. It never selects the mode without a psk.
    pub(crate) fn of(options: &Options<'_>) -> Result<Option<Self>, Error> {
        let (key, id) = match (options.given("psk")?, options.given("pskId")?) {
            (None, None) => return Ok(None),
            (key, id) => (key.unwrap_or_default(), id.unwrap_or_default()),
        };
        pqseal_hpke::Psk::new(&key, &id)?;
        Ok(Some(Self { key, id }))
    }

    /// Reads an array of pre-shared keys.
    pub(crate) fn list(psks: &JsValue) -> Result<Vec<Self>, Error> {
        let all = list(psks, "psks")?.into_iter().map(|psk| {
            let found = Self::of(&Options::of(&psk, &["psk", "pskId"])?)?;
            found.ok_or_else(|| Error::argument("psks", "an array of { psk, pskId }"))
        });
        all.collect()
    }
}

/// Returns the text of a message or a key, as it is given or from an object.
pub(crate) fn json_text(value: &JsValue, name: &str) -> Result<String, Error> {
    if let Some(text) = value.as_string() {
        return Ok(text);
    }
    let expected = || Error::argument(name, "a string, bytes of UTF-8 text or an object");
    if value.is_instance_of::<ArrayBuffer>() || ArrayBuffer::is_view(value) {
        return String::from_utf8(bytes(value, name)?).map_err(|_| expected());
    }
    match value.is_object() {
        true => stringify(value).ok_or_else(expected),
        false => Err(expected()),
    }
}

/// Returns the output of `JSON.stringify`, which calls functions of the object.
pub(crate) fn stringify(value: &JsValue) -> Option<String> {
    JSON::stringify(value).ok()?.as_string()
}

/// Converts a header to an object.
pub(crate) fn header_object(header: &Header) -> JsValue {
    let text = serde_json::to_string(header).unwrap_or_default();
    JSON::parse(&text).unwrap_or_else(|_| Object::new().into())
}
