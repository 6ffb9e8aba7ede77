//! The sealed fields of Cloudflare's AI Gateway: an object with a wrapped key, an IV and a
//! ciphertext.
//!
//! The key is wrapped by RSAES-OAEP with SHA-256, MGF1 with SHA-256 and an empty label (RFC 8017,
//! section 7.1). The data is AES-256-GCM with its tag at the end and no associated data, so neither
//! part is bound to the record or to the field.

#[cfg(feature = "aws-lc")]
mod open;

use std::ops::RangeInclusive;

use base64::engine::{Engine, general_purpose::STANDARD};
use pqseal_hpke::{Aead, Aes256Gcm, Sealing};
use pqseal_records::json::{self, Node, decode_string, same_key};

#[cfg(feature = "aws-lc")]
pub(crate) use open::RsaOpener;

use crate::Error;

/// The size of the unwrapped key, in bytes.
pub(crate) const KEY: usize = 32;
/// The size of the IV, in bytes: the usual one of GCM. That every writer uses it is an assumption.
pub(crate) const IV: usize = 12;
/// The size of the tag, in bytes.
pub(crate) const TAG: usize = 16;
/// The sizes of wrapped keys, in bytes: those of RSA-2048 to RSA-4096.
const WRAPPED: RangeInclusive<usize> = 256..=512;

/// A sealed object of AI Gateway, decoded. [`Keys::open`](crate::Keys::open) opens one with the
/// feature `aws-lc`. This type is for callers that unwrap the key themselves, such as by WebCrypto.
///
/// ```
/// use pqseal_sealed::{AiGatewayObject, Error};
///
/// assert!(AiGatewayObject::parse(br#"{"type":"text"}"#)?.is_none());
/// let short = br#"{"type":"encrypted","key":"AA==","iv":"AAAAAAAAAAAAAAAA","data":"AA=="}"#;
/// assert_eq!(AiGatewayObject::parse(short).unwrap_err(), Error::Short(1));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct AiGatewayObject {
    /// The wrapped key.
    pub(crate) key: Vec<u8>,
    pub(crate) iv: [u8; IV],
    /// Ciphertext and tag, at least [`TAG`] bytes.
    pub(crate) data: Vec<u8>,
}

impl AiGatewayObject {
    /// Parses an object that says it is encrypted; `None` if the text is in the clear.
    ///
    /// # Errors
    /// The reason why no key opens it.
    pub fn parse(text: &[u8]) -> Result<Option<Self>, Error> {
        if json::validate(text).is_err() {
            return Ok(None);
        }
        let root = Node::root(text);
        let (mut is_sealed, [mut key, mut iv, mut data]) = (false, [None; 3]);
        // As in JSON.parse, the last of several members with one name counts.
        for child in root.children().filter(|_| root.is_object()) {
            let (name, value) = (&text[child.key.clone()], child.value.raw());
            if same_key(name, "type") {
                is_sealed = decode_string(value).is_some_and(|text| *text == *b"encrypted");
            }
            for (known, member) in [("key", &mut key), ("iv", &mut iv), ("data", &mut data)] {
                if same_key(name, known) {
                    *member = Some(value);
                }
            }
        }
        if !is_sealed {
            return Ok(None);
        }
        let key = key.and_then(decode_string).ok_or(Error::Member("key"))?;
        let iv = iv.and_then(decode_string).ok_or(Error::Member("iv"))?;
        let data = (data.and_then(decode_string)).ok_or(Error::Member("data"))?;
        let iv = decode("iv", &iv)?;
        let iv = <[u8; IV]>::try_from(iv).map_err(|iv| Error::Iv(iv.len()))?;
        let data = decode("data", &data)?;
        if data.len() < TAG {
            return Err(Error::Short(data.len()));
        }
        let key = decode("key", &key)?;
        if !WRAPPED.contains(&key.len()) {
            return Err(Error::WrappedKey(key.len()));
        }
        Ok(Some(Self { key, iv, data }))
    }

    /// Returns the key that RSAES-OAEP wrapped, of 256 to 512 bytes.
    pub fn wrapped_key(&self) -> &[u8] {
        &self.key
    }

    /// Opens the object with its unwrapped key, which is `None` if no private key unwraps it.
    ///
    /// # Errors
    /// [`Error::NoKeyOpens`], whether the key did not unwrap or the tag does not verify.
    pub fn open(&self, key: Option<&[u8; KEY]>) -> Result<Vec<u8>, Error> {
        let key = key.ok_or(Error::NoKeyOpens)?;
        let cipher = Aes256Gcm.key(key).map_err(Error::Hpke)?;
        let opened = <pqseal_hpke::Aes256Gcm as Sealing>::open(&cipher, &self.iv, b"", &self.data);
        opened.map_err(|_| Error::NoKeyOpens)
    }
}

/// Decodes base64. The usual variant, which the vendor writes, is decoded by the fast library.
fn decode(name: &'static str, text: &[u8]) -> Result<Vec<u8>, Error> {
    STANDARD.decode(text).or_else(|_| {
        let decoded = pqseal_keys::base64::decode(text);
        let decoded = decoded.map_err(|error| Error::Base64(name, error))?;
        Ok(decoded.to_vec())
    })
}

/// An opener without RSA, for builds without AWS-LC.
#[cfg(not(feature = "aws-lc"))]
#[derive(Default)]
pub(crate) struct RsaOpener;

#[cfg(not(feature = "aws-lc"))]
impl RsaOpener {
    pub(crate) fn add(
        &mut self,
        _place: usize,
        _key: &pqseal_keys::RsaPrivateKey,
    ) -> Result<(), pqseal_keys::KeyError> {
        Err(pqseal_keys::KeyError::Text(
            "it is an RSA key, and this program was built without the feature aws-lc",
        ))
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        std::iter::empty()
    }

    pub(crate) fn open(&self, _object: AiGatewayObject) -> Result<(usize, Vec<u8>), Error> {
        Err(Error::NotBuilt)
    }
}
