//! The Flattened and the General Serialization (RFC 7516, section 7.2).

mod read;

use std::borrow::Cow;

use data_encoding::BASE64URL_NOPAD;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Encoded, KEY, MAX_RECIPIENTS, Message, Part, encoded_len, push_encoded};
use crate::{
    Error,
    jwe::{Header, Serialization, content::Content, header::decode},
};

/// A JWE in JSON, flattened or general, as it is read. Headers remain text, since their length is
/// checked first.
#[derive(Default)]
struct Json<'a> {
    protected: Text<'a>,
    unprotected: Option<&'a RawValue>,
    recipients: Option<Recipients<'a>>,
    header: Option<&'a RawValue>,
    encrypted_key: Text<'a>,
    aad: Text<'a>,
    iv: Base64<'a>,
    ciphertext: Base64<'a>,
    tag: Base64<'a>,
}

/// The members of a JWE as it is written, without those of the content, which
/// [`Message::json_text`] writes.
#[derive(Default, Serialize)]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    protected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipients: Option<Vec<WrittenPart<'a>>>,
    #[serde(flatten)]
    only: Option<WrittenPart<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aad: Option<&'a str>,
}

#[derive(Serialize)]
struct WrittenPart<'a> {
    #[serde(skip_serializing_if = "Header::is_empty")]
    header: &'a Header,
    #[serde(skip_serializing_if = "String::is_empty")]
    encrypted_key: String,
}

/// A string, if present. It is not copied unless it contains escapes.
#[derive(Default)]
struct Text<'a>(Option<Cow<'a, str>>);

/// A string that must be base64url, if present. It is read as bytes: decoding refuses other
/// characters, so no separate pass checks them.
#[derive(Default)]
struct Base64<'a>(Option<Cow<'a, [u8]>>);

#[derive(Default)]
struct Recipient<'a> {
    header: Option<&'a RawValue>,
    encrypted_key: Text<'a>,
}

/// At most [`MAX_RECIPIENTS`].
struct Recipients<'a>(Vec<Recipient<'a>>);

impl<'a> Message<'a> {
    pub(super) fn parse_json(text: &'a str) -> Result<(Self, Encoded<'a>), Error> {
        let mut json: Json<'a> = serde_json::from_str(text).map_err(|_| {
            Error::Malformed("it is not the JSON of a JWE, or a member is given twice")
        })?;
        let (serialization, recipients) = json.parts()?;
        if json.aad.as_str() == Some("") {
            return Err(Error::Malformed("aad is empty; it must be absent then"));
        }
        let protected = json.protected.0.unwrap_or_default();
        let message = Self {
            serialization,
            header: match protected.is_empty() {
                true => Header::default(),
                false => Header::parse_protected(&protected)?,
            },
            protected,
            unprotected: unprotected(json.unprotected)?,
            recipients,
            aad: json.aad.0,
        };
        let missing = Error::Malformed("ciphertext is missing");
        let content = Encoded {
            iv: json.iv.0.unwrap_or_default(),
            ciphertext: json.ciphertext.0.ok_or(missing)?,
            tag: json.tag.0.unwrap_or_default(),
        };
        Ok((message, content))
    }

    /// Writes JSON. The content needs no escapes, so it does not pass through serde, which would
    /// check each character.
    pub(super) fn json_text(&self, content: &Content) -> Result<String, Error> {
        let Content {
            iv,
            ciphertext,
            tag,
        } = content;
        let headers = serde_json::to_string(&self.json()).map_err(|_| Error::Malformed("JSON"))?;
        let len = encoded_len(iv) + encoded_len(ciphertext) + encoded_len(tag);
        let mut text = String::with_capacity(headers.len() + len + MEMBER_NAMES);
        text.push_str(headers.strip_suffix('}').unwrap_or(&headers));
        for (name, bytes) in [("iv", iv), ("ciphertext", ciphertext), ("tag", tag)] {
            if !bytes.is_empty() || name == "ciphertext" {
                text.push_str(if text.len() > 1 { ",\"" } else { "\"" });
                text.push_str(name);
                text.push_str("\":\"");
                push_encoded(bytes, &mut text);
                text.push('"');
            }
        }
        text.push('}');
        Ok(text)
    }

    /// Builds all members except those of the content.
    fn json(&self) -> Written<'_> {
        let mut json = Written {
            protected: Some(&*self.protected).filter(|text| !text.is_empty()),
            aad: self.aad.as_deref(),
            ..Written::default()
        };
        match (self.serialization, self.recipients.as_slice()) {
            (Serialization::Flattened, [one]) => json.only = Some(one.json()),
            (_, parts) => json.recipients = Some(parts.iter().map(Part::json).collect()),
        }
        json
    }
}

/// An upper bound of the length of the content's member names, with quotation marks, colons and
/// commas.
const MEMBER_NAMES: usize = 40;

impl Json<'_> {
    /// Takes the recipients out.
    fn parts(&mut self) -> Result<(Serialization, Vec<Part>), Error> {
        let flattened = self.header.is_some() || !self.encrypted_key.is_absent();
        match (self.recipients.take(), flattened) {
            (Some(_), true) => Err(Error::Malformed(
                "it has recipients, and header or encrypted_key next to them",
            )),
            (Some(Recipients(all)), _) if all.is_empty() => {
                Err(Error::Malformed("recipients is empty"))
            }
            (Some(Recipients(all)), _) => {
                let parts: Result<_, _> = all.into_iter().map(Recipient::part).collect();
                Ok((Serialization::General, parts?))
            }
            (None, _) => {
                let only = Recipient {
                    header: self.header,
                    encrypted_key: std::mem::take(&mut self.encrypted_key),
                };
                Ok((Serialization::Flattened, vec![only.part()?]))
            }
        }
    }
}

/// Reads a header; an absent one is empty.
fn unprotected(json: Option<&RawValue>) -> Result<Header, Error> {
    json.map_or(Ok(Header::default()), Header::parse_unprotected)
}

impl Recipient<'_> {
    fn part(self) -> Result<Part, Error> {
        Ok(Part {
            header: unprotected(self.header)?,
            encrypted_key: decode(self.encrypted_key.as_str().unwrap_or_default(), KEY)?,
        })
    }
}

impl Part {
    fn json(&self) -> WrittenPart<'_> {
        WrittenPart {
            header: &self.header,
            encrypted_key: BASE64URL_NOPAD.encode(&self.encrypted_key),
        }
    }
}

impl Text<'_> {
    const fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }
}
