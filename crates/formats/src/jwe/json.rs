//! The Flattened and the General Serialization (RFC 7516, section 7.2). JSON is read without copies
//! of strings and with strict checks.

use std::{borrow::Cow, fmt};

use data_encoding::BASE64URL_NOPAD;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{
    Content, EncodedContent, Header, MAX_MEMBERS, MAX_RECIPIENTS, Message, RecipientPart,
    Serialization, WRONG_KEY, decode,
};
use crate::Error;

impl<'a> Message<'a> {
    pub(super) fn parse_json(text: &'a str) -> Result<(Self, EncodedContent<'a>), Error> {
        let mut json: JweObject<'a> = serde_json::from_str(text).map_err(|_| {
            Error::Malformed("it is not the JSON of a JWE, or a member is given twice")
        })?;
        let (serialization, recipients) = json.parts()?;
        if json.aad.0.as_deref() == Some("") {
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
        let content = EncodedContent {
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
        let recipients = self.recipients.iter().map(|part| RecipientMembers {
            header: &part.header,
            encrypted_key: BASE64URL_NOPAD.encode(&part.encrypted_key),
        });
        let mut recipients: Vec<_> = recipients.collect();
        let only = match self.serialization {
            Serialization::Flattened if recipients.len() == 1 => recipients.pop(),
            _ => None,
        };
        let members = JweMembers {
            protected: Some(&*self.protected).filter(|text| !text.is_empty()),
            recipients: only.is_none().then_some(recipients),
            only,
            aad: self.aad.as_deref(),
        };
        let headers = serde_json::to_string(&members).map_err(|_| Error::Malformed("JSON"))?;
        let encoded = [iv, ciphertext, tag].map(|part| BASE64URL_NOPAD.encode_len(part.len()));
        let len = headers.len() + encoded.iter().sum::<usize>() + MEMBER_NAMES;
        let mut text = String::with_capacity(len);
        text.push_str(headers.strip_suffix('}').unwrap_or(&headers));
        for (name, bytes) in [("iv", iv), ("ciphertext", ciphertext), ("tag", tag)] {
            if !bytes.is_empty() || name == "ciphertext" {
                text.push_str(if text.len() > 1 { ",\"" } else { "\"" });
                text.push_str(name);
                text.push_str("\":\"");
                BASE64URL_NOPAD.encode_append(bytes, &mut text);
                text.push('"');
            }
        }
        text.push('}');
        Ok(text)
    }
}

/// An upper bound of the length of the content's member names, with quotation marks, colons and
/// commas.
const MEMBER_NAMES: usize = 40;

/// A JWE in JSON, flattened or general, as it is read. Headers remain text, since their length is
/// checked first.
#[derive(Default)]
struct JweObject<'a> {
    protected: Text<'a>,
    unprotected: Option<&'a RawValue>,
    recipients: Option<RecipientArray<'a>>,
    header: Option<&'a RawValue>,
    encrypted_key: Text<'a>,
    aad: Text<'a>,
    iv: Base64<'a>,
    ciphertext: Base64<'a>,
    tag: Base64<'a>,
}

impl JweObject<'_> {
    /// Takes the recipients out.
    fn parts(&mut self) -> Result<(Serialization, Vec<RecipientPart>), Error> {
        let flattened = self.header.is_some() || self.encrypted_key.0.is_some();
        match (self.recipients.take(), flattened) {
            (Some(_), true) => Err(Error::Malformed(
                "it has recipients, and header or encrypted_key next to them",
            )),
            (Some(RecipientArray(all)), _) if all.is_empty() => {
                Err(Error::Malformed("recipients is empty"))
            }
            (Some(RecipientArray(all)), _) => {
                let parts: Result<_, _> = all.into_iter().map(RecipientObject::part).collect();
                Ok((Serialization::General, parts?))
            }
            (None, _) => {
                let only = RecipientObject {
                    header: self.header,
                    encrypted_key: std::mem::take(&mut self.encrypted_key),
                };
                Ok((Serialization::Flattened, vec![only.part()?]))
            }
        }
    }
}

#[derive(Default)]
struct RecipientObject<'a> {
    header: Option<&'a RawValue>,
    encrypted_key: Text<'a>,
}

impl RecipientObject<'_> {
    fn part(self) -> Result<RecipientPart, Error> {
        Ok(RecipientPart {
            header: unprotected(self.header)?,
            encrypted_key: decode(
                self.encrypted_key.0.unwrap_or_default().as_bytes(),
                WRONG_KEY,
            )?,
        })
    }
}

/// Reads a header; an absent one is empty.
fn unprotected(json: Option<&RawValue>) -> Result<Header, Error> {
    json.map_or(Ok(Header::default()), Header::parse_unprotected)
}

/// At most [`MAX_RECIPIENTS`].
struct RecipientArray<'a>(Vec<RecipientObject<'a>>);

/// A string, if present. It is not copied unless it contains escapes.
#[derive(Default)]
struct Text<'a>(Option<Cow<'a, str>>);

/// A string that must be base64url, if present. It is read as bytes: decoding refuses other
/// characters, so no separate pass checks them.
#[derive(Default)]
struct Base64<'a>(Option<Cow<'a, [u8]>>);

/// The members of a JWE as it is written, without those of the content, which
/// [`Message::json_text`] writes.
#[derive(Default, Serialize)]
struct JweMembers<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    protected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipients: Option<Vec<RecipientMembers<'a>>>,
    #[serde(flatten)]
    only: Option<RecipientMembers<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aad: Option<&'a str>,
}

#[derive(Serialize)]
struct RecipientMembers<'a> {
    #[serde(skip_serializing_if = "Header::is_empty")]
    header: &'a Header,
    #[serde(skip_serializing_if = "String::is_empty")]
    encrypted_key: String,
}

/// An object whose members are set by name. A duplicate name is refused, even if it is unknown.
struct ObjectVisitor<T>(T);

trait SetMember<'de>: Default {
    /// Reads the value of a member, or returns `false` for an unknown name.
    fn set<A: MapAccess<'de>>(&mut self, name: &str, object: &mut A) -> Result<bool, A::Error>;
}

impl<'de, T: SetMember<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object without duplicate members")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<T, A::Error> {
        let mut names: Vec<String> = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            if names.len() == MAX_MEMBERS || names.contains(&name) {
                return Err(de::Error::custom("too many members, or one is given twice"));
            }
            if !self.0.set(&name, &mut object)? {
                object.next_value::<IgnoredAny>()?;
            }
            names.push(name);
        }
        Ok(self.0)
    }
}

impl<'de> SetMember<'de> for JweObject<'de> {
    fn set<A: MapAccess<'de>>(&mut self, name: &str, object: &mut A) -> Result<bool, A::Error> {
        match name {
            "protected" => self.protected = object.next_value()?,
            "unprotected" => self.unprotected = Some(object.next_value()?),
            "recipients" => self.recipients = Some(object.next_value()?),
            "header" => self.header = Some(object.next_value()?),
            "encrypted_key" => self.encrypted_key = object.next_value()?,
            "aad" => self.aad = object.next_value()?,
            "iv" => self.iv = object.next_value()?,
            "ciphertext" => self.ciphertext = object.next_value()?,
            "tag" => self.tag = object.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'de> SetMember<'de> for RecipientObject<'de> {
    fn set<A: MapAccess<'de>>(&mut self, name: &str, object: &mut A) -> Result<bool, A::Error> {
        match name {
            "header" => self.header = Some(object.next_value()?),
            "encrypted_key" => self.encrypted_key = object.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for JweObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(JweObject::default()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RecipientObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(RecipientObject::default()))
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

impl<'de: 'a, 'a> Deserialize<'de> for RecipientArray<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RecipientArrayVisitor;
        impl<'de> Visitor<'de> for RecipientArrayVisitor {
            type Value = RecipientArray<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {MAX_RECIPIENTS} recipients")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
                let mut recipients = Vec::new();
                while let Some(recipient) = all.next_element()? {
                    if recipients.len() == MAX_RECIPIENTS {
                        return Err(de::Error::custom("too many recipients"));
                    }
                    recipients.push(recipient);
                }
                Ok(RecipientArray(recipients))
            }
        }
        deserializer.deserialize_seq(RecipientArrayVisitor)
    }
}
