//! The format of the kit's files: Wycheproof's (C2SP/wycheproof#273), with the fields that it
//! lacks.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Bytes that are hexadecimal in JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hex(pub(crate) Vec<u8>);

/// One file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) algorithm: String,
    pub(crate) schema: String,
    pub(crate) number_of_tests: usize,
    pub(crate) header: Vec<String>,
    pub(crate) notes: BTreeMap<String, Note>,
    pub(crate) test_groups: Vec<Group>,
}

/// The meaning of a flag.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Note {
    pub(crate) bug_type: String,
    pub(crate) description: String,
}

/// Cases of one suite and mode.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) r#type: String,
    pub(crate) source: Source,
    pub(crate) kem: String,
    pub(crate) kem_id: u16,
    pub(crate) kdf: String,
    pub(crate) kdf_id: u16,
    pub(crate) aead: String,
    pub(crate) aead_id: u16,
    /// 0 base, 1 psk, 2 auth, 3 auth_psk; not in #273, whose vectors are all in base mode.
    #[serde(default, skip_serializing_if = "is_base")]
    pub(crate) mode: u8,
    pub(crate) tests: Vec<Case>,
}

/// The program that made a group.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// A case. Its fields depend on the kind of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) tc_id: usize,
    pub(crate) comment: String,
    pub(crate) flags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sk_rm: Option<Hex>,
    pub(crate) pk_rm: Hex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pk_sm: Option<Hex>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) psk: Option<Hex>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) psk_id: Option<Hex>,
    #[serde(rename = "ikmE", default, skip_serializing_if = "Option::is_none")]
    pub(crate) ikm_e: Option<Hex>,
    pub(crate) info: Hex,
    pub(crate) aad: Hex,
    pub(crate) enc: Hex,
    pub(crate) ct: Hex,
    pub(crate) pt: Hex,
    /// The messages of one context, in the order in which Open gets them; only in a sequence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) messages: Vec<Message>,
    /// The whole blob; only in matched data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blob: Option<Hex>,
    pub(crate) result: String,
}

/// One message of a sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    pub(crate) aad: Hex,
    pub(crate) ct: Hex,
    pub(crate) pt: Hex,
    pub(crate) result: String,
}

impl Case {
    pub(crate) fn is_valid(&self) -> bool {
        self.result == "valid"
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_base(mode: &u8) -> bool {
    *mode == 0
}

impl From<&[u8]> for Hex {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&HEXLOWER.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let bytes = HEXLOWER.decode(text.as_bytes()).map_err(D::Error::custom)?;
        Ok(Self(bytes))
    }
}
