//! Operations on one blob: sealing, opening, description.

use pqseal_hpke::{Aead, AnyPublicKey, Component, Unsupported, aead_by_id, kdf_by_id};
use pqseal_keys::{DEFAULT_SUITE, base64, kem_by_id};
use pqseal_matched_data::{Blob, SealOptions, Sealer};
use wasm_bindgen::prelude::*;

use crate::{
    Error, PrivateKey, SysRng,
    key_files::file,
    keys::public_key,
    memory::wiping_stack,
    registry::{aead, aead_info, kdf, kdf_info, kem_info},
    value::{Options, bytes, object},
};

use super::{BoundValues, Bytes, open_blob};

/// Seals to a public key in any format or a `PublicKey`, as base64. An `x25519` key without suite, info and aad gets
/// a version 3 blob, which dashboards open; everything else gets version 4. A key in base64 is taken as a public one:
/// what is sealed to a private one, its owner cannot open.
#[wasm_bindgen(unchecked_return_type = "string")]
pub fn seal(
    #[wasm_bindgen(js_name = publicKey, unchecked_param_type = "PublicKey | string | Bytes")]
    key: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "SealOptions")] options: &JsValue,
) -> Result<String, Error> {
    let options = Options::of(options, &SEAL_OPTIONS)?;
    let bound = BoundValues::of(&options)?;
    wiping_stack(|| {
        let key = match public_key(key)? {
            Some(key) => key,
            None => pqseal_keys::read_public(&file(key, "publicKey")?, None)?,
        };
        let plaintext = bytes(plaintext, "plaintext")?;
        let blob =
            sealer(&options, &key, &bound, None)?.seal(&bound.aad, &plaintext, &mut SysRng)?;
        Ok(base64::encode(&blob))
    })
}

/// Opens a blob, base64 or its bytes, with one key. For many blobs or keys use `KeyRing`.
#[wasm_bindgen]
pub fn open(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] blob: &JsValue,
    #[wasm_bindgen(js_name = privateKey)] private_key: &PrivateKey,
    #[wasm_bindgen(unchecked_optional_param_type = "OpenOptions")] options: &JsValue,
) -> Result<Vec<u8>, Error> {
    let bound = BoundValues::to_open(options)?;
    wiping_stack(|| Ok(open_blob(private_key.ring()?, blob, &bound.open_options())?.plaintext))
}

/// Describes a blob without a key. Bytes after a blob of versions 1 to 3 are counted, not refused.
#[wasm_bindgen(unchecked_return_type = "Inspected")]
pub fn inspect(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] blob: &JsValue,
) -> Result<JsValue, Error> {
    let bytes = Bytes::of(blob)?;
    let found = Blob::describe(&bytes.0)?;
    match (found.enc, found.plaintext_len, found.problem) {
        (Some(enc), Some(plaintext), _) => Ok(object([
            ("version", found.version.into()),
            ("specification", found.specification.into()),
            (
                "kem",
                kem_by_id(found.suite.kem).map_or(found.suite.kem.into(), kem_info),
            ),
            ("kdf", kdf_or_id(found.suite.kdf)?),
            (
                "aead",
                aead_by_id(found.suite.aead).map_or(found.suite.aead.into(), aead_info),
            ),
            ("keyId", found.key_id.map(|id| id.to_string()).into()),
            ("enc", js_sys::Uint8Array::from(enc).into()),
            ("blobLength", found.blob_len.into()),
            ("plaintextLength", plaintext.into()),
            ("trailingLength", found.trailing_len.into()),
        ])),
        (.., problem) => Err(problem.unwrap_or(pqseal_matched_data::Error::Empty).into()),
    }
}

/// Describes a KDF, or returns only its id if it is unknown.
fn kdf_or_id(id: u16) -> Result<JsValue, Error> {
    match kdf_by_id(id) {
        Some(kdf) => Ok(kdf_info(kdf)),
        None if cfg!(feature = "full") => Ok(id.into()),
        None => {
            let lacking = Unsupported::not_found(Component::Kdf, id);
            Err(pqseal_hpke::Error::from(lacking).into())
        }
    }
}

/// The names of the options to seal.
pub(super) const SEAL_OPTIONS: [&str; 5] = ["info", "aad", "policy", "version", "suite"];

/// Binds a public key. `version` is used if the options have none.
pub(super) fn sealer(
    options: &Options<'_>,
    key: &AnyPublicKey,
    bound: &BoundValues,
    version: Option<u8>,
) -> Result<Sealer, Error> {
    let version = match options.value("version")?.map(|version| version.as_f64()) {
        None => version,
        Some(Some(3.0)) => Some(3),
        Some(Some(4.0)) => Some(4),
        Some(_) => return Err(Error::argument("version", "3 or 4")),
    };
    let suite = options.value("suite")?;
    let parts = suite.clone().unwrap_or_default();
    let parts = Options::of(&parts, &["kdf", "aead"])?;
    let kdf = kdf(&parts.value("kdf")?.unwrap_or_default())?.map(|kdf| kdf.info().id);
    let aead = aead(&parts.value("aead")?.unwrap_or_default())?.map(|aead| aead.info().id);
    let given = suite.is_some();
    let options = SealOptions {
        version,
        // An empty suite counts as given, and selects version 4.
        kdf: kdf.or(given.then_some(DEFAULT_SUITE.kdf)),
        aead,
        info: &bound.info,
        with_aad: !bound.aad.is_empty(),
        policy: bound.policy.clone(),
    };
    Ok(Sealer::new(key, &options)?)
}
