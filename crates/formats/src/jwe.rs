//! JSON Web Encryption (RFC 7516) with HPKE: draft-ietf-jose-hpke-encrypt-22, and the post-quantum
//! algorithms of draft-ietf-jose-hpke-pq-pqt-01.
//!
//! | | Integrated Encryption (`HPKE-n`) | Key Encryption (`HPKE-n-KE`) |
//! |---|---|---|
//! | HPKE encrypts | the plaintext | a content encryption key (CEK) |
//! | recipients | one | one or several, also of other algorithms |
//! | `enc` | absent | A128GCM, A256GCM or A128CBC-HS256 |
//! | encapsulated key | the JWE Encrypted Key | the header parameter `ek` |
//! | HPKE info | [`Recipient::info`], by default empty | `"JOSE-HPKE rcpt" FF enc FF`, then [`Recipient::info`] |
//! | HPKE aad | the protected header and `aad` | empty |
//!
//! ```
//! use getrandom::SysRng;
//! use pqseal_formats::{PrivateKey, algorithm, jwe::{Opener, Recipient, Sealer, Serialization}};
//!
//! let alg = algorithm("HPKE-9").expect("an algorithm of the table");
//! let (private, _) = alg.suite()?.generate_key_pair(&mut SysRng)?;
//! let private = PrivateKey::new(private).with_kid("2026-11");
//!
//! let public = private.public_key()?;
//! let recipient = Recipient::new(alg, &public)?;
//! let token = Sealer::new(recipient).seal(Serialization::Compact, b"message", &mut SysRng)?;
//!
//! let opened = Opener::new(&[alg]).key(&private).open(&token)?;
//! assert_eq!(*opened.plaintext, b"message");
//! # Ok::<(), pqseal_formats::Error>(())
//! ```

mod content;
mod header;
mod json;
mod jwk;
mod open;
mod seal;

use std::{borrow::Cow, fmt};

use data_encoding::BASE64URL_NOPAD;

use crate::Error;
pub use content::Enc;
use header::decode;
pub use header::{Header, MAX_HEADER, MAX_MEMBERS};
pub use jwk::{private_key, public_key, write_private, write_public};
pub use open::{Opened, Opener, Options, RecipientHeader, inspect};
pub use seal::{Recipient, Sealer};

/// The maximum number of recipients of a message that is opened or sealed.
pub const MAX_RECIPIENTS: usize = 256;

/// The serialization of a JWE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serialization {
    /// Five parts of base64url with dots between them (RFC 7516, section 3.1): one recipient, no
    /// `aad`.
    Compact,
    /// One JSON object for one recipient (section 7.2.2).
    Flattened,
    /// A JSON object with an array of recipients (section 7.2.1).
    General,
}

impl fmt::Display for Serialization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compact => "compact",
            Self::Flattened => "flattened JSON",
            Self::General => "general JSON",
        })
    }
}

/// A decoded JWE, without its content.
struct Message<'a> {
    serialization: Serialization,
    /// The protected header as it was sent, which is authenticated. Empty if the message has no
    /// protected header.
    protected: Cow<'a, str>,
    /// The decoded protected header.
    header: Header,
    /// The shared unprotected header.
    unprotected: Header,
    recipients: Vec<RecipientPart>,
    /// The `aad` as it was sent.
    aad: Option<Cow<'a, str>>,
}

impl<'a> Message<'a> {
    /// Reads any serialization. JSON begins with a brace.
    fn parse(text: &'a str) -> Result<(Self, EncodedContent<'a>), Error> {
        let text = text.trim();
        if text.starts_with('{') {
            return Self::parse_json(text);
        }
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
            recipients: vec![RecipientPart {
                header: Header::default(),
                encrypted_key: decode(key, WRONG_KEY)?,
            }],
            aad: None,
        };
        let [iv, ciphertext, tag] = [iv, ciphertext, tag].map(|part| part.as_bytes().into());
        Ok((
            message,
            EncodedContent {
                iv,
                ciphertext,
                tag,
            },
        ))
    }

    /// Decodes the JWE AAD. Empty if the message has none.
    fn decoded_aad(&self) -> Result<Vec<u8>, Error> {
        decode(
            self.aad.as_deref().unwrap_or_default(),
            "aad is not base64url",
        )
    }

    /// Writes a message whose headers are complete.
    fn write(&self, content: &Content) -> Result<String, Error> {
        if self.serialization != Serialization::Compact {
            return self.json_text(content);
        }
        let key = self.recipients.first().map(|one| &one.encrypted_key[..]);
        let parts = [
            key.unwrap_or_default(),
            &content.iv,
            &content.ciphertext,
            &content.tag,
        ];
        let encoded = parts.map(|part| BASE64URL_NOPAD.encode_len(part.len()));
        let len = self.protected.len() + parts.len() + encoded.iter().sum::<usize>();
        let mut text = String::with_capacity(len);
        text.push_str(&self.protected);
        for part in parts {
            text.push('.');
            BASE64URL_NOPAD.encode_append(part, &mut text);
        }
        Ok(text)
    }

    fn authenticated(&self) -> Vec<u8> {
        authenticated(&self.protected, self.aad.as_deref())
    }
}

/// The parts of a JWE that exist once per recipient.
struct RecipientPart {
    header: Header,
    encrypted_key: Vec<u8>,
}

/// The content of a JWE as it was sent, in base64url. It is decoded for each key that is tried,
/// since the decoded buffer becomes the plaintext.
struct EncodedContent<'a> {
    iv: Cow<'a, [u8]>,
    ciphertext: Cow<'a, [u8]>,
    tag: Cow<'a, [u8]>,
}

impl EncodedContent<'_> {
    /// Reports whether there is an initialization vector or a tag.
    fn has_iv_or_tag(&self) -> bool {
        !self.iv.is_empty() || !self.tag.is_empty()
    }

    fn decode(&self) -> Result<Content, Error> {
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

/// The output of content encryption.
struct Content {
    iv: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
}

/// Encodes the info of Key Encryption (`Recipient_structure`, section 6.1 of the draft).
fn recipient_structure(enc: Enc, extra: &[u8]) -> Vec<u8> {
    [b"JOSE-HPKE rcpt\xff", enc.name().as_bytes(), b"\xff", extra].concat()
}

/// Builds the additional authenticated data (step 15 of section 7.1): the protected header as it
/// was sent, and the `aad` if there is one.
fn authenticated(protected: &str, aad: Option<&str>) -> Vec<u8> {
    match aad {
        Some(aad) => [protected, aad].join(".").into_bytes(),
        None => protected.as_bytes().to_vec(),
    }
}

/// The error text for a wrong `encrypted_key`.
const WRONG_KEY: &str = "the encrypted key is not base64url";

#[cfg(test)]
mod tests {
    use super::*;

    /// The draft's example in section 6.1.1.
    #[test]
    fn recipient_structure_of_the_draft() {
        let expected = "4a4f53452d48504b452072637074ff4131323847434dff";
        let found = data_encoding::HEXLOWER.encode(&recipient_structure(Enc::A128Gcm, b""));
        assert_eq!(found, expected);
    }
}
