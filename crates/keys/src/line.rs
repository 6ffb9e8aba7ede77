//! A line of pqseal's own format: `pqseal-private-key:<kem>:<base64url of key and checksum>`,
//! for every KEM.
//!
//! The checksum is the first 4 bytes of SHA-256 over the prefix, the name of the KEM, `:` and the
//! bytes of the key. It detects a mistyped character, a cut line or a changed KEM name, except with
//! probability 2^-32.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::{KeyError, base64, kem_named, private_of, public_key, public_of};

/// The prefix of a private line.
pub(super) const PRIVATE: &str = "pqseal-private-key:";
/// The prefix of a public line.
pub(super) const PUBLIC: &str = "pqseal-public-key:";
/// The size of the checksum, in bytes.
const CHECKSUM: usize = 4;

/// Reports whether a text begins as a line of either half.
pub(super) fn is(text: &str) -> bool {
    text.starts_with(PRIVATE) || text.starts_with(PUBLIC)
}

pub(super) fn read_private(text: &str) -> Result<AnyPrivateKey, KeyError> {
    if text.trim_start().starts_with(PUBLIC) {
        return Err(KeyError::PublicOnly);
    }
    let (kem, bytes) = parse(text, PRIVATE)?;
    private_of(kem, &bytes)
}

pub(super) fn read_public(text: &str) -> Result<AnyPublicKey, KeyError> {
    if text.trim_start().starts_with(PRIVATE) {
        return public_key(&read_private(text)?);
    }
    let (kem, bytes) = parse(text, PUBLIC)?;
    public_of(kem, &bytes)
}

pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    let bytes = key.to_bytes()?;
    Ok(Zeroizing::new(write(
        PRIVATE,
        key.kem().short_name,
        bytes.as_ref(),
    )))
}

pub(super) fn write_public(key: &AnyPublicKey) -> String {
    write(PUBLIC, key.kem().short_name, key.as_ref())
}

fn write(prefix: &str, kem: &str, key: &[u8]) -> String {
    let checked = Zeroizing::new([key, &checksum(prefix, kem, key)].concat());
    format!(
        "{prefix}{kem}:{}",
        *Zeroizing::new(base64::encode_url(&checked))
    )
}

/// Returns the KEM and the key, after a check of the checksum. Only one alphabet is accepted, so
/// two lines of one key differ only in spaces.
fn parse(text: &str, prefix: &str) -> Result<(&'static DynKem, Zeroizing<Vec<u8>>), KeyError> {
    let line = text.trim().strip_prefix(prefix).ok_or(KeyError::Line)?;
    let (name, encoded) = line.split_once(':').ok_or(KeyError::Line)?;
    let kem = kem_named(name)?;
    let mut bytes = base64::decode_url(encoded.as_bytes())?;
    let (key, sum) = bytes
        .split_last_chunk::<CHECKSUM>()
        .ok_or(KeyError::Checksum)?;
    if *sum != checksum(prefix, name, key) {
        return Err(KeyError::Checksum);
    }
    let size = key.len();
    bytes.truncate(size);
    Ok((kem, bytes))
}

fn checksum(prefix: &str, kem: &str, key: &[u8]) -> [u8; CHECKSUM] {
    let hash = Sha256::new()
        .chain_update(prefix)
        .chain_update(kem)
        .chain_update(":")
        .chain_update(key)
        .finalize();
    hash.first_chunk().copied().expect("SHA-256 has 32 bytes")
}
