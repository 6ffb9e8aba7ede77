//! Headers: JSON objects without duplicate names at any depth.

use std::{borrow::Cow, fmt, sync::Arc};

use data_encoding::BASE64URL_NOPAD;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, SeqAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::{Map, Value, value::RawValue};

use crate::Error;

/// The maximum length of a header in bytes of JSON, protected or not: 64 KiB. The longest `ek` has
/// 1.7 kB.
pub const MAX_HEADER: usize = 64 * 1024;
/// The maximum number of members of one object, of entries of one array in a header, and of members
/// of all headers of a recipient. Each name is compared with those before it.
pub const MAX_MEMBERS: usize = 256;

/// The members of a header, in the order in which they were read or are written.
///
/// Copies share the members. Each of 256 recipients includes the shared headers in its own, so deep
/// copies would take 256 times the memory of the message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header(Vec<Arc<(String, Value)>>);

impl Header {
    /// Returns the value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|(own, _)| *own == name).map(|(_, v)| v)
    }

    /// Lists the members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|member| (member.0.as_str(), &member.1))
    }

    /// Reports whether it is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.push(Arc::new((name.to_owned(), value.into())));
    }

    /// Returns a member that must be a string.
    pub(super) fn text(&self, name: &str, wrong: &'static str) -> Result<Option<&str>, Error> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Error::Malformed(wrong)),
        }
    }

    /// Returns a member that must be base64url.
    pub(super) fn bytes(&self, name: &str, wrong: &'static str) -> Result<Option<Vec<u8>>, Error> {
        let text = self.text(name, wrong)?;
        text.map(|text| decode(text, wrong)).transpose()
    }

    /// Joins the members of several headers, which must not share a name (RFC 7516, section 7.2.1).
    pub(super) fn union<const N: usize>(headers: [&Self; N]) -> Result<Self, Error> {
        let mut all = Self::default();
        for header in headers {
            if all.0.len() + header.0.len() > MAX_MEMBERS {
                return Err(Error::TooLong(
                    "the headers of a recipient have more than 256 members",
                ));
            }
            if header.iter().any(|(name, _)| all.get(name).is_some()) {
                return Err(Error::Malformed(
                    "a header parameter is in more than one header",
                ));
            }
            all.0.extend_from_slice(&header.0);
        }
        Ok(all)
    }

    /// Reads a protected part, which is base64url of JSON.
    pub(super) fn parse_protected(encoded: &str) -> Result<Self, Error> {
        if encoded.len() > MAX_HEADER / 3 * 4 {
            return Err(Error::TooLong("the protected header is longer than 64 KiB"));
        }
        let json = decode(encoded, "the protected header is not base64url")?;
        serde_json::from_slice(&json).map_err(|_| {
            Error::Malformed("the protected header is not a JSON object without duplicate members")
        })
    }

    /// Reads a header that is not protected. `null` is not a header.
    pub(super) fn parse_unprotected(json: &RawValue) -> Result<Self, Error> {
        if json.get().len() > MAX_HEADER {
            return Err(Error::TooLong(
                "an unprotected header is longer than 64 KiB",
            ));
        }
        serde_json::from_str(json.get()).map_err(|_| {
            Error::Malformed("an unprotected header is not an object without duplicate members")
        })
    }

    /// Encodes the protected part.
    pub(super) fn encode(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        BASE64URL_NOPAD.encode(&json)
    }
}

/// Decodes base64url without padding, spaces or unused bits (RFC 7515, section 2).
pub(super) fn decode(text: impl AsRef<[u8]>, wrong: &'static str) -> Result<Vec<u8>, Error> {
    BASE64URL_NOPAD
        .decode(text.as_ref())
        .map_err(|_| Error::Malformed(wrong))
}

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object without duplicate members")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Header, A::Error> {
        let mut header = Header::default();
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            if header.0.len() == MAX_MEMBERS {
                return Err(de::Error::custom("too many members"));
            }
            if header.get(&name).is_some() {
                return Err(de::Error::custom("a member is given twice"));
            }
            let StrictValue(value) = members.next_value()?;
            header.set(&name, value);
        }
        Ok(header)
    }
}

/// JSON without duplicate names in its objects. serde_json bounds the depth to 128.
struct StrictValue(Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without duplicate members")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(StrictValue(value)) = entries.next_element()? {
            if array.len() == MAX_MEMBERS {
                return Err(de::Error::custom("too many entries"));
            }
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            if object.len() == MAX_MEMBERS {
                return Err(de::Error::custom("too many members"));
            }
            let StrictValue(value) = members.next_value()?;
            if object.insert(name.into_owned(), value).is_some() {
                return Err(de::Error::custom("a member is given twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_shares_the_members() {
        let mut shared = Header::default();
        shared.set("x", "a long value");
        let union = Header::union([&shared, &Header::default()]).unwrap();
        assert!(Arc::ptr_eq(&union.0[0], &shared.0[0]));
    }
}
