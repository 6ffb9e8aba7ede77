//! Bytes that are lower-case hex in JSON: `#[serde(with = "hex_bytes")]`.

use data_encoding::HEXLOWER;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&HEXLOWER.encode(bytes))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    decode(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn decode(text: &str) -> Result<Vec<u8>, String> {
    HEXLOWER
        .decode(text.as_bytes())
        .map_err(|error| format!("{error} in the hex string {text:?}"))
}

/// The same functions for a field that some entries lack.
pub(crate) mod option {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        bytes: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match bytes {
            Some(bytes) => super::serialize(bytes, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| decode(&text))
            .transpose()
            .map_err(D::Error::custom)
    }
}
