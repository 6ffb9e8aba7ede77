//! The Flattened and the General Serialization (RFC 7516, section 7.2).

use std::{borrow::Cow, fmt};

use data_encoding::BASE64URL_NOPAD;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, SeqAccess, Visitor},
};

use super::{Encoded, KEY, MAX_RECIPIENTS, Message, Part, encoded_len, push_encoded};
use crate::{
    Error,
    jwe::{Header, Serialization, content::Content, header::decode},
};

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
    // These three are written by `Message::json_text`.
    #[serde(borrow, skip_serializing)]
    iv: Base64<'a>,
    #[serde(borrow, skip_serializing)]
    ciphertext: Base64<'a>,
    #[serde(borrow, skip_serializing)]
    tag: Base64<'a>,
}

/// A string that is not copied where JSON has no escape in it, or is absent.
#[derive(Default)]
struct Text<'a>(Option<Cow<'a, str>>);

/// A string that has to be base64url, or is absent. It is taken as bytes: decoding refuses what is
/// not of its alphabet, so nothing else looks at each character.
#[derive(Default)]
struct Base64<'a>(Option<Cow<'a, [u8]>>);

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
            unprotected: json.unprotected.unwrap_or_default(),
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

    /// JSON. The content needs no escapes, so it does not pass through serde, which looks for them in
    /// each character.
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

    /// All members but those of the content.
    fn json(&self) -> Json<'_> {
        let mut json = Json {
            protected: Text::of(&self.protected),
            aad: Text(self.aad.as_deref().map(Cow::Borrowed)),
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

/// More than the names of the content's members, with quotation marks, colons and commas.
const MEMBER_NAMES: usize = 40;

impl Json<'_> {
    /// Takes the recipients out.
    fn parts(&mut self) -> Result<(Serialization, Vec<Part>), Error> {
        let flattened = self.header.is_some() || !self.encrypted_key.is_absent();
        match (self.recipients.take(), flattened) {
            (Some(_), true) => Err(Error::Malformed(
                "it has recipients, and header or encrypted_key beside them",
            )),
            (Some(Recipients(all)), _) if all.is_empty() => {
                Err(Error::Malformed("recipients is empty"))
            }
            (Some(Recipients(all)), _) => {
                let parts: Result<_, _> = all.into_iter().map(Recipient::part).collect();
                Ok((Serialization::General, parts?))
            }
            (None, _) => {
                let part = Part {
                    header: self.header.take().unwrap_or_default(),
                    encrypted_key: decode(self.encrypted_key.as_str().unwrap_or_default(), KEY)?,
                };
                Ok((Serialization::Flattened, vec![part]))
            }
        }
    }
}

impl Recipient {
    fn part(self) -> Result<Part, Error> {
        Ok(Part {
            header: self.header,
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

impl<'de: 'a, 'a> Deserialize<'de> for Base64<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Base64Visitor;
        impl<'de> Visitor<'de> for Base64Visitor {
            type Value = Cow<'de, [u8]>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E>(self, text: &'de [u8]) -> Result<Self::Value, E> {
                Ok(text.into())
            }

            fn visit_bytes<E>(self, text: &[u8]) -> Result<Self::Value, E> {
                Ok(text.to_vec().into())
            }
        }
        let text = deserializer.deserialize_bytes(Base64Visitor)?;
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
