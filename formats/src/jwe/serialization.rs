//! The three serializations (RFC 7516, section 7): text to parts, and parts to text.

use std::{borrow::Cow, fmt};

use data_encoding::BASE64URL_NOPAD;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, SeqAccess, Visitor},
};

use super::{Header, Serialization, content::Content, header::decode};
use crate::Error;

/// The most recipients of a message that is opened or sealed.
pub const MAX_RECIPIENTS: usize = 256;

/// A JWE, decoded.
pub(super) struct Message<'a> {
    pub(super) serialization: Serialization,
    /// The protected header as it was sent, which is authenticated. Empty if the message has no protected header.
    pub(super) protected: Cow<'a, str>,
    /// The same, decoded.
    pub(super) header: Header,
    /// The shared unprotected header.
    pub(super) unprotected: Header,
    pub(super) recipients: Vec<Part>,
    /// The `aad` as it was sent.
    pub(super) aad: Option<Cow<'a, str>>,
    pub(super) content: Content,
}

/// What a JWE has for each recipient.
pub(super) struct Part {
    pub(super) header: Header,
    pub(super) encrypted_key: Vec<u8>,
}

/// A JWE in JSON, both forms. serde refuses a member that is given twice.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Json<'a> {
    #[serde(borrow, skip_serializing_if = "Text::is_absent")]
    protected: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unprotected: Option<Header>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipients: Option<Recipients>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<Header>,
    #[serde(borrow, skip_serializing_if = "Text::is_absent")]
    encrypted_key: Text<'a>,
    #[serde(borrow, skip_serializing_if = "Text::is_absent")]
    aad: Text<'a>,
    #[serde(borrow, skip_serializing_if = "Text::is_absent")]
    iv: Text<'a>,
    #[serde(borrow, skip_serializing_if = "Text::is_absent")]
    ciphertext: Text<'a>,
    #[serde(borrow, skip_serializing_if = "Text::is_absent")]
    tag: Text<'a>,
}

/// A string that is not copied where JSON has no escape in it, or is absent.
#[derive(Default)]
struct Text<'a>(Option<Cow<'a, str>>);

#[derive(Serialize, Deserialize)]
struct Recipient {
    #[serde(default, skip_serializing_if = "Header::is_empty")]
    header: Header,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    encrypted_key: String,
}

/// At most [`MAX_RECIPIENTS`].
#[derive(Serialize)]
struct Recipients(Vec<Recipient>);

impl<'a> Message<'a> {
    /// Reads any serialization; JSON begins with a brace.
    pub(super) fn parse(text: &'a str) -> Result<Self, Error> {
        let text = text.trim();
        match text.starts_with('{') {
            true => Self::parse_json(text),
            false => Self::parse_compact(text),
        }
    }

    fn parse_compact(text: &'a str) -> Result<Self, Error> {
        let mut parts = text.split('.');
        let mut next = || parts.next();
        let five = [next(), next(), next(), next(), next()];
        let (
            [
                Some(protected),
                Some(key),
                Some(iv),
                Some(ciphertext),
                Some(tag),
            ],
            None,
        ) = (five, next())
        else {
            return Err(Error::Malformed(
                "it is neither JSON nor five parts with dots between them",
            ));
        };
        Ok(Self {
            serialization: Serialization::Compact,
            protected: protected.into(),
            header: Header::parse_protected(protected)?,
            unprotected: Header::default(),
            recipients: vec![Part {
                header: Header::default(),
                encrypted_key: decode(key, KEY)?,
            }],
            aad: None,
            content: content(iv, ciphertext, tag)?,
        })
    }

    fn parse_json(text: &'a str) -> Result<Self, Error> {
        let json: Json<'a> = serde_json::from_str(text).map_err(|_| {
            Error::Malformed("it is not the JSON of a JWE, or a member is given twice")
        })?;
        let (serialization, recipients) = json.parts()?;
        match json.aad.as_str() {
            Some("") => return Err(Error::Malformed("aad is empty; it must be absent then")),
            aad => decode(aad.unwrap_or_default(), "aad is not base64url")?,
        };
        let protected = json.protected.0.unwrap_or_default();
        Ok(Self {
            serialization,
            header: match protected.is_empty() {
                true => Header::default(),
                false => Header::parse_protected(&protected)?,
            },
            protected,
            unprotected: json.unprotected.unwrap_or_default(),
            recipients,
            content: content(
                json.iv.as_str().unwrap_or_default(),
                json.ciphertext
                    .as_str()
                    .ok_or(Error::Malformed("ciphertext is missing"))?,
                json.tag.as_str().unwrap_or_default(),
            )?,
            aad: json.aad.0,
        })
    }

    /// Writes a message whose headers are in place.
    pub(super) fn write(&self) -> Result<String, Error> {
        match self.serialization {
            Serialization::Compact => Ok(self.compact()),
            _ => serde_json::to_string(&self.json()).map_err(|_| Error::Malformed("JSON")),
        }
    }

    fn compact(&self) -> String {
        let key = self.recipients.first().map(|part| &part.encrypted_key[..]);
        let content = &self.content;
        let mut text = self.protected.to_string();
        for part in [
            key.unwrap_or_default(),
            &content.iv,
            &content.ciphertext,
            &content.tag,
        ] {
            text.push('.');
            BASE64URL_NOPAD.encode_append(part, &mut text);
        }
        text
    }

    fn json(&self) -> Json<'_> {
        let mut json = Json {
            protected: Text::of(&self.protected),
            aad: Text(self.aad.as_deref().map(Cow::Borrowed)),
            iv: Text::encode(&self.content.iv),
            ciphertext: Text(Some(
                BASE64URL_NOPAD.encode(&self.content.ciphertext).into(),
            )),
            tag: Text::encode(&self.content.tag),
            ..Json::default()
        };
        match (self.serialization, self.recipients.as_slice()) {
            (Serialization::Flattened, [one]) => {
                json.encrypted_key = Text::encode(&one.encrypted_key);
                json.header = (!one.header.is_empty()).then(|| one.header.clone());
            }
            (_, parts) => {
                json.recipients = Some(Recipients(parts.iter().map(Part::json).collect()))
            }
        }
        json
    }
}

/// What an error says of a wrong `encrypted_key`.
const KEY: &str = "the encrypted key is not base64url";

fn content(iv: &str, ciphertext: &str, tag: &str) -> Result<Content, Error> {
    Ok(Content {
        iv: decode(iv, "the initialization vector is not base64url")?,
        ciphertext: decode(ciphertext, "the ciphertext is not base64url")?,
        tag: decode(tag, "the authentication tag is not base64url")?,
    })
}

impl Json<'_> {
    fn parts(&self) -> Result<(Serialization, Vec<Part>), Error> {
        let flattened = self.header.is_some() || !self.encrypted_key.is_absent();
        match (&self.recipients, flattened) {
            (Some(_), true) => Err(Error::Malformed(
                "it has recipients, and header or encrypted_key beside them",
            )),
            (Some(Recipients(all)), _) if all.is_empty() => {
                Err(Error::Malformed("recipients is empty"))
            }
            (Some(Recipients(all)), _) => {
                let parts: Result<_, _> = all.iter().map(Recipient::part).collect();
                Ok((Serialization::General, parts?))
            }
            (None, _) => {
                let part = Part {
                    header: self.header.clone().unwrap_or_default(),
                    encrypted_key: decode(self.encrypted_key.as_str().unwrap_or_default(), KEY)?,
                };
                Ok((Serialization::Flattened, vec![part]))
            }
        }
    }
}

impl Recipient {
    fn part(&self) -> Result<Part, Error> {
        Ok(Part {
            header: self.header.clone(),
            encrypted_key: decode(&self.encrypted_key, KEY)?,
        })
    }
}

impl Part {
    fn json(&self) -> Recipient {
        Recipient {
            header: self.header.clone(),
            encrypted_key: BASE64URL_NOPAD.encode(&self.encrypted_key),
        }
    }
}

impl<'a> Text<'a> {
    /// The text, absent if it is empty.
    fn of(text: &'a str) -> Self {
        Self((!text.is_empty()).then_some(Cow::Borrowed(text)))
    }

    fn encode(bytes: &[u8]) -> Self {
        Self((!bytes.is_empty()).then(|| BASE64URL_NOPAD.encode(bytes).into()))
    }

    const fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_str().serialize(serializer)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(text.into())
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(text.to_owned().into())
            }
        }
        let text = deserializer.deserialize_str(TextVisitor)?;
        Ok(Self(Some(text)))
    }
}

impl<'de> Deserialize<'de> for Recipients {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RecipientsVisitor;
        impl<'de> Visitor<'de> for RecipientsVisitor {
            type Value = Recipients;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {MAX_RECIPIENTS} recipients")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Recipients, A::Error> {
                let mut recipients = Vec::new();
                while let Some(recipient) = all.next_element()? {
                    if recipients.len() == MAX_RECIPIENTS {
                        return Err(de::Error::custom("too many recipients"));
                    }
                    recipients.push(recipient);
                }
                Ok(Recipients(recipients))
            }
        }
        deserializer.deserialize_seq(RecipientsVisitor)
    }
}
