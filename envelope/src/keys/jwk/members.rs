//! What is the same for the keys of every type: names of members, and what a key is for.

use std::{collections::HashSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};

use crate::keys::KeyError;

/// Whether a name of a member is given twice. Parsers disagree on which of the two values counts.
pub(super) struct Names {
    twice: bool,
}

/// The members that every type has (RFC 7517, section 4).
#[derive(Deserialize)]
pub(super) struct Common {
    #[serde(default)]
    pub(super) kty: String,
    #[serde(default, rename = "use")]
    usage: Option<String>,
    #[serde(default)]
    key_ops: Vec<String>,
}

impl Names {
    pub(super) const fn check(&self) -> Result<(), KeyError> {
        match self.twice {
            true => Err(KeyError::Jwk("a member is given twice")),
            false => Ok(()),
        }
    }
}

impl Common {
    /// A key for signatures must not be used for encryption too, even if its curve could be.
    pub(super) fn check(&self) -> Result<(), KeyError> {
        let signs = |op: &String| op == "sign" || op == "verify";
        if self.usage.as_deref() == Some("sig") || self.key_ops.iter().any(signs) {
            return Err(KeyError::Jwk(
                "it is a key for signatures, by its use or key_ops",
            ));
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self { twice: false })
    }
}

impl<'de> Visitor<'de> for Names {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(mut self, mut map: M) -> Result<Self, M::Error> {
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            self.twice |= !names.insert(name);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(self)
    }
}
