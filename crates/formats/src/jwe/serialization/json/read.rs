//! Deserialization of a JWE in JSON, without copies of strings and with strict checks.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{Base64, Json, MAX_RECIPIENTS, Recipient, Recipients, Text};
use crate::jwe::MAX_MEMBERS;

/// An object whose members are set by name. A duplicate name is refused, even if it is unknown.
struct Object<T>(T);

trait Members<'de>: Default {
    /// Reads the value of a member, or returns `false` for an unknown name.
    fn set<A: MapAccess<'de>>(&mut self, name: &str, object: &mut A) -> Result<bool, A::Error>;
}

impl<'de, T: Members<'de>> Visitor<'de> for Object<T> {
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

impl<'de> Members<'de> for Json<'de> {
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

impl<'de> Members<'de> for Recipient<'de> {
    fn set<A: MapAccess<'de>>(&mut self, name: &str, object: &mut A) -> Result<bool, A::Error> {
        match name {
            "header" => self.header = Some(object.next_value()?),
            "encrypted_key" => self.encrypted_key = object.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object(Json::default()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Recipient<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object(Recipient::default()))
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

impl<'de: 'a, 'a> Deserialize<'de> for Recipients<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RecipientsVisitor;
        impl<'de> Visitor<'de> for RecipientsVisitor {
            type Value = Recipients<'de>;

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
                Ok(Recipients(recipients))
            }
        }
        deserializer.deserialize_seq(RecipientsVisitor)
    }
}
