//! Key files as PEM (RFC 7468): the text around the DER of `der`.
//!
//! Other text and other blocks, such as the `EC PARAMETERS` that `openssl ecparam` writes, are
//! skipped. Of several keys the first private one is read, or else the first public one, so the
//! public key that is read from a file is that of its private key.

use hpke::{AnyPrivateKey, AnyPublicKey};
use zeroize::Zeroizing;

use super::{KeyError, der};
use crate::base64;

/// How a block begins, before its label.
pub(super) const BEGIN: &str = "-----BEGIN ";
/// How a block ends, before its label.
pub(super) const END: &str = "-----END ";
/// What follows a label.
const DASHES: &str = "-----";

/// The label of PKCS#8, and the end of every private key's.
pub(super) const PRIVATE: &str = "PRIVATE KEY";
/// The label of SubjectPublicKeyInfo.
const PUBLIC: &str = "PUBLIC KEY";
/// The label of PKCS#8 under a password.
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";
/// The label of SEC 1.
const SEC1: &str = "EC PRIVATE KEY";

/// The size of a line of base64, in characters (RFC 7468, section 2).
const WIDTH: usize = 64;

/// The text between two boundaries, and what they say that it is.
struct Block<'a> {
    label: &'a str,
    body: &'a str,
}

pub(super) fn read_private(text: &str) -> Result<AnyPrivateKey, KeyError> {
    der::read_private(&key_block(text)?.decode()?)
}

pub(super) fn read_public(text: &str) -> Result<AnyPublicKey, KeyError> {
    der::read_public(&key_block(text)?.decode()?)
}

pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    Ok(write(PRIVATE, &der::write_private(key)?))
}

pub(super) fn write_public(key: &AnyPublicKey) -> Result<String, KeyError> {
    Ok(write(PUBLIC, &der::write_public(key)?).to_string())
}

fn key_block(text: &str) -> Result<Block<'_>, KeyError> {
    let first = |labels: &[&str]| blocks(text).find(|block| labels.contains(&block.label));
    first(&[PRIVATE, SEC1, ENCRYPTED])
        .or_else(|| first(&[PUBLIC]))
        .ok_or(KeyError::Pem)
}

/// The whole blocks of a text; one that is cut off does not count.
fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    text.split(BEGIN).skip(1).filter_map(|part| {
        let (label, rest) = part.split_once(DASHES)?;
        let (body, end) = rest.split_once(END)?;
        end.strip_prefix(label)?
            .starts_with(DASHES)
            .then_some(Block { label, body })
    })
}

impl Block<'_> {
    fn decode(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        if self.label == ENCRYPTED || self.is_legacy_encrypted() {
            return Err(KeyError::Encrypted);
        }
        Ok(base64::decode(self.body.as_bytes())?)
    }

    /// Encryption as before PKCS#8 is told by headers (RFC 1421, section 4.6.1.1).
    fn is_legacy_encrypted(&self) -> bool {
        self.body.trim_start().starts_with("Proc-Type: 4,ENCRYPTED")
    }
}

/// The capacity is the whole, so that no part of a key is left behind by growth.
pub(super) fn write(label: &str, der: &[u8]) -> Zeroizing<String> {
    let encoded = Zeroizing::new(base64::encode(der));
    let boundaries = BEGIN.len() + END.len() + 2 * (label.len() + DASHES.len() + 1);
    let lines = encoded.len() + encoded.len().div_ceil(WIDTH);
    let mut text = Zeroizing::new(String::with_capacity(boundaries + lines));
    text.extend([BEGIN, label, DASHES, "\n"]);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(WIDTH));
        text.extend([line, "\n"]);
        rest = after;
    }
    text.extend([END, label, DASHES, "\n"]);
    text
}
