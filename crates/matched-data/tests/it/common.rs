//! Keys, blobs and sealers that the tests share.

use getrandom::SysRng;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, Policy};
use pqseal_keys::base64;
use pqseal_matched_data::{Blob, Error, KeyRing, OpenOptions, SealOptions, Sealer, Trailing};
use test_vectors::MatchedData;

#[path = "../../../keys/tests/it/common.rs"]
#[allow(dead_code, reason = "the tests of keys need more of them")]
mod pairs;

pub(crate) use pairs::{FORMS, Pair, assert_hides, bytes, holds, kem, pair, pairs};

/// Returns a policy that allows everything.
pub(crate) fn everything() -> Policy {
    Policy::draft().with_experimental()
}

/// The default application, with every suite.
pub(crate) fn application() -> OpenOptions<'static> {
    OpenOptions {
        policy: everything(),
        ..OpenOptions::default()
    }
}

/// A sealer of version 3.
pub(crate) fn v3_sealer(key: &AnyPublicKey) -> Result<Sealer, Error> {
    let options = SealOptions {
        version: Some(3),
        ..SealOptions::default()
    };
    Sealer::new(key, &options)
}

/// A sealer of version 4 in the suite of these ids.
pub(crate) fn v4_sealer(
    key: &AnyPublicKey,
    kdf: u16,
    aead: u16,
    info: &[u8],
    policy: &Policy,
) -> Result<Sealer, Error> {
    let options = SealOptions {
        version: Some(4),
        kdf: Some(kdf),
        aead: Some(aead),
        info,
        with_aad: true,
        policy: policy.clone(),
    };
    Sealer::new(key, &options)
}

/// A version 4 blob in the suite of these ids.
pub(crate) fn seal_v4(
    key: &Pair,
    kdf: u16,
    aead: u16,
    context: [&[u8]; 2],
    plaintext: &[u8],
) -> Vec<u8> {
    let [info, aad] = context;
    let sealer = v4_sealer(&key.public, kdf, aead, info, &everything()).unwrap();
    sealer.seal(aad, plaintext, &mut SysRng).unwrap()
}

/// Opens a blob with a ring of only this key.
pub(crate) fn open(
    key: &AnyPrivateKey,
    blob: &[u8],
    application: &OpenOptions<'_>,
) -> Result<Vec<u8>, Error> {
    let mut ring = KeyRing::new();
    ring.add(key).unwrap();
    Ok(ring
        .open(&Blob::parse(blob, Trailing::Refuse)?, application)?
        .plaintext)
}

/// The matched-data entry of this name.
pub(crate) fn entry(name: &str) -> MatchedData {
    test_vectors::matched_data()
        .entries
        .into_iter()
        .find(|entry| entry.name == name)
        .unwrap()
}

/// The private key and the blob of an entry, decoded.
pub(crate) fn key_and_blob(entry: &MatchedData) -> (AnyPrivateKey, Vec<u8>) {
    let key = pqseal_keys::read_private(&entry.private_key, None).unwrap();
    (key, base64::decode(entry.blob.as_bytes()).unwrap().to_vec())
}
