//! Key files as PEM (RFC 7468): the text around DER, which `der` reads.
//!
//! Other text and other blocks, such as the `EC PARAMETERS` that `openssl ecparam` writes, are
//! skipped. Of several keys, the first private one is read, or else the first public one. So the
//! public key that is read from a file belongs to the private key that is read from it.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
use zeroize::Zeroizing;

use super::{
    KeyError, NAMED, base64,
    damage::{BEGIN, explain},
    der,
};

/// The beginning of a block's last line, before the label.
pub(super) const END: &str = "-----END ";
/// The dashes after a label.
const DASHES: &str = "-----";

/// The label of PKCS#8, and the suffix of every private key's label.
pub(super) const PRIVATE: &str = "PRIVATE KEY";
/// The label of SubjectPublicKeyInfo.
const PUBLIC: &str = "PUBLIC KEY";
/// The label of PKCS#8 under a passphrase.
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";
/// The label of SEC 1.
const SEC1: &str = "EC PRIVATE KEY";
/// The label of PKCS#1, which holds RSA keys only.
pub(super) const PKCS1: &str = "RSA PRIVATE KEY";

/// The size of a line of base64, in characters (RFC 7468, section 2).
const WIDTH: usize = 64;

/// Returns the label of the block at the beginning, complete or cut.
pub(super) fn label(text: &str) -> &str {
    let label = text.strip_prefix(BEGIN).filter(|_| NAMED);
    let label = label.and_then(|text| text.split(DASHES).next());
    label.unwrap_or_default()
}

pub(super) fn read_private(text: &str) -> Result<AnyPrivateKey, KeyError> {
    der::read_private(&key_block(text)?.decode()?)
}

pub(super) fn read_public(text: &str) -> Result<AnyPublicKey, KeyError> {
    der::read_public(&key_block(text)?.decode()?)
}

/// Writes a PEM block (RFC 7468) with this label and content. Wiped on drop, since the content may
/// be a private key.
pub fn write_pem(label: &str, content: &[u8]) -> Zeroizing<String> {
    let encoded = Zeroizing::new(base64::encode(content));
    let boundaries = BEGIN.len() + END.len() + 2 * (label.len() + DASHES.len() + 1);
    let lines = encoded.len() + encoded.len().div_ceil(WIDTH);
    // Of its final size, so that growth leaves no copy of the key behind.
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

/// A label, and the DER of its block.
#[cfg(feature = "rsa")]
type Labelled<'a> = (&'a str, Zeroizing<Vec<u8>>);

/// Decodes the first private key in a text, in PKCS#8, SEC 1 or PKCS#1, and returns its label too;
/// `None` if there is no such block.
#[cfg(feature = "rsa")]
pub(super) fn private_der(text: &str) -> Option<Result<Labelled<'_>, KeyError>> {
    let labels = [PRIVATE, SEC1, PKCS1];
    let block = blocks(text).find(|block| labels.contains(&block.label))?;
    Some(block.decode().map(|der| (block.label, der)))
}

fn key_block(text: &str) -> Result<Block<'_>, KeyError> {
    for labels in [&[PRIVATE, SEC1, ENCRYPTED][..], &[PUBLIC]] {
        if let Some(block) = blocks(text).find(|block| labels.contains(&block.label)) {
            return Ok(block);
        }
    }
    match blocks(text).any(|block| block.label == PKCS1) {
        true => Err(KeyError::UnknownKem),
        false => Err(KeyError::Pem),
    }
}

/// Lists the complete blocks of a text, without those that are cut off.
fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    text.split(BEGIN).skip(1).filter_map(|part| {
        let (label, rest) = part.split_once(DASHES)?;
        let (body, end) = rest.split_once(END)?;
        end.strip_prefix(label)?
            .starts_with(DASHES)
            .then_some(Block { label, body })
    })
}

/// The text between two boundaries, and their label.
struct Block<'a> {
    label: &'a str,
    body: &'a str,
}

impl Block<'_> {
    fn decode(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        // Headers are those of encryption before PKCS#8 (RFC 1421, section 4.6.1.1).
        let is_legacy = self.body.trim_start().starts_with("Proc-Type: 4,ENCRYPTED");
        if self.label == ENCRYPTED || is_legacy {
            return Err(KeyError::Encrypted);
        }
        let decoded = base64::decode(self.body.as_bytes());
        decoded.map_err(|error| explain(self.body, error.into()))
    }
}
