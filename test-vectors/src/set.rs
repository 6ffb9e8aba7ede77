//! A file of `data/`: header and entries.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The origin of a set. If a field differs among several files, it has their values in order,
/// separated by ", ".
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The set's name: its file name without `.json`.
    pub name: String,
    /// The project or repository that published it.
    pub source: String,
    /// The file's path in the source.
    pub path: String,
    /// The commit or release.
    pub commit: String,
    /// The licence of the data.
    pub licence: String,
    /// SHA-256 of the imported file as it is stored, compressed or not.
    pub source_sha256: String,
    /// SHA-256 of its content after decompression, to compare with the file at the source.
    pub content_sha256: String,
    /// Remarks for users of the set: changes, omissions, and differences in HPKE.
    pub note: String,
    /// The number of entries.
    pub count: usize,
}

/// A header and its entries.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Set<T> {
    /// The origin of the entries.
    pub header: Header,
    /// The entries, in the order of the source.
    pub entries: Vec<T>,
}

impl<T: DeserializeOwned> Set<T> {
    /// Parses the text of `data/<file>`. Panics if it is not a complete set of `T`.
    pub fn parse(file: &str, text: &str) -> Self {
        let set: Self = serde_json::from_str(text).unwrap_or_else(|error| {
            panic!("data/{file}: {error}; is it of this type, and imported with this schema?")
        });
        let (found, told) = (set.entries.len(), set.header.count);
        assert_eq!(
            found, told,
            "data/{file}: {found} entries, its header says {told}; import it again"
        );
        set
    }
}

impl<T: Serialize> Set<T> {
    /// Returns the text of the file: one entry per line, so that a diff shows which entry changed.
    pub fn render(&self) -> serde_json::Result<String> {
        let header = serde_json::to_string_pretty(&self.header)?;
        let entries = self
            .entries
            .iter()
            .map(serde_json::to_string)
            .collect::<serde_json::Result<Vec<_>>>()?;
        Ok(format!(
            "{{\n\"header\": {header},\n\"entries\": [\n{}\n]\n}}\n",
            entries.join(",\n")
        ))
    }
}

/// Bytes that are lower-case hex in JSON: `#[serde(with = "hex_bytes")]`.
pub(crate) mod hex_bytes {
    use data_encoding::HEXLOWER;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&HEXLOWER.encode(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
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
}
