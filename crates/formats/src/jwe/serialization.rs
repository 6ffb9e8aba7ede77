//! Parsing and writing of the three serializations (RFC 7516, section 7).

mod json;

use std::borrow::Cow;

use data_encoding::BASE64URL_NOPAD;

use super::{Header, Serialization, content::Content, header::decode};
use crate::Error;

/// The maximum number of recipients of a message that is opened or sealed.
pub const MAX_RECIPIENTS: usize = 256;

/// A decoded JWE, without its content.
pub(super) struct Message<'a> {
    pub(super) serialization: Serialization,
    /// The protected header as it was sent, which is authenticated. Empty if the message has no
    /// protected header.
    pub(super) protected: Cow<'a, str>,
    /// The decoded protected header.
    pub(super) header: Header,
    /// The shared unprotected header.
    pub(super) unprotected: Header,
    pub(super) recipients: Vec<Part>,
    /// The `aad` as it was sent.
    pub(super) aad: Option<Cow<'a, str>>,
}

/// The parts of a JWE that exist once per recipient.
pub(super) struct Part {
    pub(super) header: Header,
    pub(super) encrypted_key: Vec<u8>,
}

/// The content of a JWE as it was sent, in base64url. It is decoded for each key that is tried,
/// since the decoded buffer becomes the plaintext.
pub(super) struct Encoded<'a> {
    iv: Cow<'a, [u8]>,
    ciphertext: Cow<'a, [u8]>,
    tag: Cow<'a, [u8]>,
}

impl<'a> Message<'a> {
    /// Reads any serialization. JSON begins with a brace.
    pub(super) fn parse(text: &'a str) -> Result<(Self, Encoded<'a>), Error> {
        let text = text.trim();
        match text.starts_with('{') {
            true => Self::parse_json(text),
            false => Self::parse_compact(text),
        }
    }

    fn parse_compact(text: &'a str) -> Result<(Self, Encoded<'a>), Error> {
        let Some([protected, key, iv, ciphertext, tag]) = five_parts(text) else {
            return Err(Error::Malformed(
                "it is neither JSON nor five parts with dots between them",
            ));
        };
        let message = Self {
            serialization: Serialization::Compact,
            protected: protected.into(),
            header: Header::parse_protected(protected)?,
            unprotected: Header::default(),
            recipients: vec![Part {
                header: Header::default(),
                encrypted_key: decode(key, KEY)?,
            }],
            aad: None,
        };
        let [iv, ciphertext, tag] = [iv, ciphertext, tag].map(|part| part.as_bytes().into());
        Ok((
            message,
            Encoded {
                iv,
                ciphertext,
                tag,
            },
        ))
    }

    /// Decodes the JWE AAD. Empty if the message has none.
    pub(super) fn decoded_aad(&self) -> Result<Vec<u8>, Error> {
        decode(
            self.aad.as_deref().unwrap_or_default(),
            "aad is not base64url",
        )
    }

    /// Writes a message whose headers are complete.
    pub(super) fn write(&self, content: &Content) -> Result<String, Error> {
        match self.serialization {
            Serialization::Compact => Ok(self.compact(content)),
            _ => self.json_text(content),
        }
    }

    fn compact(&self, content: &Content) -> String {
        let key = self.recipients.first().map(|part| &part.encrypted_key[..]);
        let parts = [
            key.unwrap_or_default(),
            &content.iv,
            &content.ciphertext,
            &content.tag,
        ];
        let len = parts
            .iter()
            .map(|part| 1 + encoded_len(part))
            .sum::<usize>();
        let mut text = String::with_capacity(self.protected.len() + len);
        text.push_str(&self.protected);
        for part in parts {
            text.push('.');
            push_encoded(part, &mut text);
        }
        text
    }
}

impl Encoded<'_> {
    /// Reports whether there is an initialization vector or a tag.
    pub(super) fn has_iv_or_tag(&self) -> bool {
        !self.iv.is_empty() || !self.tag.is_empty()
    }

    pub(super) fn decode(&self) -> Result<Content, Error> {
        Ok(Content {
            iv: decode(&self.iv, "the initialization vector is not base64url")?,
            ciphertext: decode(&self.ciphertext, "the ciphertext is not base64url")?,
            tag: decode(&self.tag, "the authentication tag is not base64url")?,
        })
    }
}

/// Splits a text from both ends, so that a long ciphertext is not searched for dots. With more than
/// five parts, the ciphertext contains a dot, which is not base64url.
fn five_parts(text: &str) -> Option<[&str; 5]> {
    let (protected, rest) = text.split_once('.')?;
    let (key, rest) = rest.split_once('.')?;
    let (iv, rest) = rest.split_once('.')?;
    let (ciphertext, tag) = rest.rsplit_once('.')?;
    Some([protected, key, iv, ciphertext, tag])
}

fn encoded_len(bytes: &[u8]) -> usize {
    BASE64URL_NOPAD.encode_len(bytes.len())
}

fn push_encoded(bytes: &[u8], text: &mut String) {
    BASE64URL_NOPAD.encode_append(bytes, text);
}

/// The error text for a wrong `encrypted_key`.
const KEY: &str = "the encrypted key is not base64url";
