//! The sealed fields of Cloudflare's AI Gateway: an object with a wrapped key, an IV and a
//! ciphertext.
//!
//! The key is wrapped by RSAES-OAEP with SHA-256, MGF1 with SHA-256 and an empty label (RFC 8017,
//! section 7.1). The data is AES-256-GCM with its tag at the end and no associated data, so neither
//! part is bound to the record or to the field.

#[cfg(not(feature = "aws-lc"))]
#[path = "ai_gateway/no_rsa.rs"]
mod open;
#[cfg(feature = "aws-lc")]
mod open;

use std::{borrow::Cow, ops::RangeInclusive};

use base64::engine::{Engine, general_purpose::STANDARD};
use pqseal_records::json::{self, Node, decode_string, same_key};

pub(crate) use open::Opener;

use crate::Error;

/// The size of the IV, in bytes: the usual one of GCM. That every writer uses it is an assumption.
pub(crate) const IV: usize = 12;
/// The size of the tag, in bytes.
pub(crate) const TAG: usize = 16;
/// The sizes of wrapped keys, in bytes: those of RSA-2048 to RSA-4096.
const WRAPPED: RangeInclusive<usize> = 256..=512;

/// A sealed object, decoded.
#[derive(Debug)]
pub(crate) struct Object {
    /// The wrapped key.
    pub(crate) key: Vec<u8>,
    #[cfg_attr(
        not(feature = "aws-lc"),
        expect(dead_code, reason = "only opening reads it")
    )]
    pub(crate) iv: [u8; IV],
    /// Ciphertext and tag, at least [`TAG`] bytes.
    pub(crate) data: Vec<u8>,
}

/// The members of a sealed object, as their JSON values.
#[derive(Default)]
struct Members<'a> {
    key: Option<&'a [u8]>,
    iv: Option<&'a [u8]>,
    data: Option<&'a [u8]>,
}

impl Object {
    /// Parses an object that says it is encrypted; `None` if the text is in the clear.
    pub(crate) fn parse(text: &[u8]) -> Result<Option<Self>, Error> {
        let Some(members) = Members::of(text) else {
            return Ok(None);
        };
        let key = string("key", members.key)?;
        let iv = string("iv", members.iv)?;
        let data = string("data", members.data)?;
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
}

impl<'a> Members<'a> {
    /// Finds the members of an object whose `type` is `encrypted`. As in JSON.parse, the last of
    /// several members with one name counts.
    fn of(text: &'a [u8]) -> Option<Self> {
        json::validate(text).ok()?;
        let root = Node::root(text);
        let (mut found, mut is_sealed) = (Self::default(), false);
        for child in root.children().filter(|_| root.is_object()) {
            let (name, value) = (&text[child.key.clone()], child.value.raw());
            let is = |other| same_key(name, other);
            if is("type") {
                is_sealed = decode_string(value).is_some_and(|text| *text == *b"encrypted");
            } else if is("key") {
                found.key = Some(value);
            } else if is("iv") {
                found.iv = Some(value);
            } else if is("data") {
                found.data = Some(value);
            }
        }
        is_sealed.then_some(found)
    }
}

fn string<'a>(name: &'static str, raw: Option<&'a [u8]>) -> Result<Cow<'a, [u8]>, Error> {
    raw.and_then(decode_string).ok_or(Error::Member(name))
}

/// Decodes base64. The usual variant, which the vendor writes, is decoded by the fast library.
fn decode(name: &'static str, text: &[u8]) -> Result<Vec<u8>, Error> {
    STANDARD.decode(text).or_else(|_| {
        let decoded = pqseal_keys::base64::decode(text);
        let decoded = decoded.map_err(|error| Error::Base64(name, error))?;
        Ok(decoded.to_vec())
    })
}
