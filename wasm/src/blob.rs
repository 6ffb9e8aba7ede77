//! One blob: sealed, opened, described.

use envelope::{
    Blob, DEFAULT_SUITE, Frame, FrameV4, Sealer, SealerV4, Trailing, Version, base64,
    hpke::{AEADS, Aead, AnyPublicKey, KDFS, Kem, SuiteId, X25519HkdfSha256},
    kem_by_id, keys,
};
use getrandom::SysRng;
use wasm_bindgen::prelude::*;

use crate::{
    Error, PrivateKey,
    input::{self, Bound, Bytes},
    memory::wiping_stack,
    registry::{aead, aead_row, kdf, kdf_row, kem_row},
    value::{Options, bytes, object, text},
};

/// The suite of versions 1 to 3.
const FIXED: SuiteId = SuiteId::new(0x0020, 0x0001, 0x0003);

/// Seals to a public key in any form, as base64. An `x25519` key without suite, info and aad gets a
/// version 3 blob, which dashboards open; everything else version 4.
#[wasm_bindgen(unchecked_return_type = "string")]
pub fn seal(
    #[wasm_bindgen(js_name = publicKey, unchecked_param_type = "string")] public_key: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "SealOptions")] options: &JsValue,
) -> Result<String, Error> {
    let options = Options::of(options, &["info", "aad", "policy", "version", "suite"])?;
    let bound = Bound::of(&options)?;
    wiping_stack(|| {
        let key = keys::read_public(&text(public_key, "publicKey")?, None)?;
        let plaintext = bytes(plaintext, "plaintext")?;
        let blob = match version(&options, &key, &bound)? {
            3 => Sealer::new(&key)?.seal(&plaintext, &mut SysRng)?,
            _ => sealer_v4(&options, &key, &bound)?.seal(&bound.aad, &plaintext, &mut SysRng)?,
        };
        Ok(base64::encode(&blob))
    })
}

/// Opens a blob, base64 or its bytes, with one key. For many blobs or keys there is `KeyRing`.
#[wasm_bindgen]
pub fn open(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] blob: &JsValue,
    #[wasm_bindgen(js_name = privateKey)] private_key: &PrivateKey,
    #[wasm_bindgen(unchecked_optional_param_type = "OpenOptions")] options: &JsValue,
) -> Result<Vec<u8>, Error> {
    let bound = Bound::to_open(options)?;
    wiping_stack(|| Ok(input::open(private_key.ring()?, blob, &bound.application())?.plaintext))
}

/// What a blob says of itself without a key. Bytes that follow a blob of versions 1 to 3 are
/// counted, not refused.
#[wasm_bindgen(unchecked_return_type = "Inspected")]
pub fn inspect(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] blob: &JsValue,
) -> Result<JsValue, Error> {
    let bytes = Bytes::of(blob)?;
    Ok(match Blob::parse(&bytes.0, Trailing::Ignore)? {
        Blob::V1to3(frame) => facts_fixed(&frame, bytes.0.len()),
        Blob::V4(frame) => facts_v4(&frame, bytes.0.len()),
    })
}

fn version(options: &Options<'_>, key: &AnyPublicKey, bound: &Bound) -> Result<u8, Error> {
    let bare = options.value("suite")?.is_none() && bound.info.is_empty() && bound.aad.is_empty();
    let asked = options.value("version")?.map(|version| version.as_f64());
    match asked {
        None if bare && key.kem().id == X25519HkdfSha256.info().id => Ok(3),
        Some(Some(3.0)) if bare => Ok(3),
        Some(Some(3.0)) => Err(Error::argument(
            "version",
            "4 where suite, info or aad is given: version 3 has no place for them",
        )),
        None | Some(Some(4.0)) => Ok(4),
        Some(_) => Err(Error::argument("version", "3 or 4")),
    }
}

fn sealer_v4(options: &Options<'_>, key: &AnyPublicKey, bound: &Bound) -> Result<SealerV4, Error> {
    let suite = options.value("suite")?.unwrap_or_default();
    let suite = Options::of(&suite, &["kdf", "aead"])?;
    let kdf = kdf(&suite.value("kdf")?.unwrap_or_default())?
        .map_or(DEFAULT_SUITE.kdf, |kdf| kdf.info().id);
    let aead = aead(&suite.value("aead")?.unwrap_or_default())?
        .map_or(DEFAULT_SUITE.aead, |aead| aead.info().id);
    Ok(SealerV4::new(key, kdf, aead, &bound.info, &bound.policy)?)
}

fn facts_fixed(frame: &Frame<'_>, blob_len: usize) -> JsValue {
    let specification = match frame.version {
        Version::V1 => "draft-irtf-cfrg-hpke-05",
        Version::V2 => "draft-irtf-cfrg-hpke-06",
        Version::V3 => "RFC 9180",
    };
    let trailing = blob_len - frame.write().len();
    facts(
        frame.version as u8,
        specification,
        FIXED,
        None,
        frame.enc,
        [blob_len, frame.plaintext_len(), trailing],
    )
}

fn facts_v4(frame: &FrameV4<'_>, blob_len: usize) -> JsValue {
    let key_id = Some(frame.key_id().to_string());
    facts(
        4,
        "RFC 9180",
        frame.suite(),
        key_id,
        frame.enc,
        [blob_len, frame.plaintext_len(), 0],
    )
}

fn facts(
    version: u8,
    specification: &str,
    suite: SuiteId,
    key_id: Option<String>,
    enc: &[u8],
    [blob, plaintext, trailing]: [usize; 3],
) -> JsValue {
    let kdf = KDFS.iter().copied().find(|kdf| kdf.info().id == suite.kdf);
    let aead = AEADS.iter().find(|aead| aead.info().id == suite.aead);
    object([
        ("version", version.into()),
        ("specification", specification.into()),
        (
            "kem",
            kem_by_id(suite.kem).map_or(suite.kem.into(), kem_row),
        ),
        ("kdf", kdf.map_or(suite.kdf.into(), kdf_row)),
        ("aead", aead.map_or(suite.aead.into(), aead_row)),
        ("keyId", key_id.into()),
        ("enc", js_sys::Uint8Array::from(enc).into()),
        ("blobLength", blob.into()),
        ("plaintextLength", plaintext.into()),
        ("trailingLength", trailing.into()),
    ])
}
