//! Suites by name: parsed and shown.

use std::str::FromStr;

use pqseal_hpke::{
    Aead, AeadInfo, DynKem, KdfInfo, KemInfo, Status, SuiteId, aead_by_id, kdf_by_id,
};
use pqseal_keys::{aead_by_name, kdf_by_name, kem_by_id, kem_by_name, refused_kem_by_id};
use serde_json::{Value, json};

use crate::error::Error;

/// The suite of `--suite`: KDF and AEAD, and optionally the KEM, which the key determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuiteArg {
    kem: Option<u16>,
    kdf: u16,
    aead: u16,
}

impl FromStr for SuiteArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<_> = text.split(',').map(str::trim).collect();
        let (kem_name, kdf_name, aead_name) = match parts[..] {
            [kdf, aead] => (None, kdf, aead),
            [kem, kdf, aead] => (Some(kem), kdf, aead),
            _ => {
                return Err(
                    "a suite is KDF,AEAD or KEM,KDF,AEAD, such as HKDF-SHA256,AES-256-GCM"
                        .to_owned(),
                );
            }
        };
        let kem = kem_name.map(kem).transpose()?.map(|kem| kem.info().id);
        Ok(Self {
            kem,
            kdf: kdf(kdf_name)?.id,
            aead: aead(aead_name)?.id,
        })
    }
}

impl SuiteArg {
    /// Returns the suite for a key of `kem`.
    ///
    /// # Errors
    /// If another KEM was named.
    pub fn of_key(self, kem: &KemInfo) -> Result<SuiteId, Error> {
        match self.kem {
            Some(named) if named != kem.id => Err(Error::usage(format!(
                "--suite names KEM {named:#06x}, and the key is one of {} ({:#06x}); leave the KEM out of --suite, or give a key of that KEM",
                kem.short_name, kem.id
            ))),
            _ => Ok(SuiteId::new(kem.id, self.kdf, self.aead)),
        }
    }
}

/// Parses the name or the id of a KEM.
///
/// # Errors
/// As [`kem_by_name`].
pub fn kem(name: &str) -> Result<&'static DynKem, String> {
    kem_by_name(name).map_err(|error| error.to_string())
}

fn kdf(name: &str) -> Result<&'static KdfInfo, String> {
    let kdf = kdf_by_name(name).map(|kdf| kdf.info());
    kdf.map_err(|error| error.to_string())
}

/// Parses the name or the id of an AEAD. Export-only is refused, because it cannot seal.
fn aead(name: &str) -> Result<&'static AeadInfo, String> {
    let aead = aead_by_name(name).map(Aead::info);
    let aead = aead.map_err(|error| error.to_string())?;
    match aead.n_t {
        0 => Err(format!("{} cannot seal; choose another AEAD", aead.name)),
        _ => Ok(aead),
    }
}

/// Returns a suite as `--suite` takes it.
pub fn typed(id: SuiteId) -> String {
    let kem = kem_by_id(id.kem).map_or(hex(id.kem), |kem| kem.info().short_name.to_owned());
    let kdf = kdf_by_id(id.kdf).map_or(hex(id.kdf), |kdf| kdf.info().name.to_owned());
    let aead = aead_by_id(id.aead).map_or(hex(id.aead), |aead| aead.info().name.to_owned());
    format!("{kem},{kdf},{aead}")
}

/// Returns the id, name and status of the KEM, the KDF and the AEAD of a suite, which may be
/// unknown here.
pub fn rows(id: SuiteId) -> [Value; 3] {
    let kem = kem_by_id(id.kem).map(|kem| (kem.info().name, kem.info().status));
    let kdf = kdf_by_id(id.kdf).map(|kdf| (kdf.info().name, kdf.info().status));
    let aead = aead_by_id(id.aead).map(|aead| (aead.info().name, aead.info().status));
    let refused = refused_kem_by_id(id.kem)
        .map(|kem| json!({ "id": hex(id.kem), "name": kem.short_name, "status": format!("refused: {}", kem.reason) }));
    [
        refused.unwrap_or_else(|| row(id.kem, kem)),
        row(id.kdf, kdf),
        row(id.aead, aead),
    ]
}

/// Returns the document that defines an algorithm of this status.
pub fn source(status: Status) -> &'static str {
    match status {
        Status::Standard => "RFC 9180",
        Status::Draft(document) => document,
        _ => "none",
    }
}

/// Formats an id as the registries do.
pub fn hex(id: u16) -> String {
    format!("{id:#06x}")
}

fn row(id: u16, found: Option<(&str, Status)>) -> Value {
    match found {
        Some((name, status)) => {
            json!({ "id": hex(id), "name": name, "status": status.to_string() })
        }
        None => json!({ "id": hex(id), "name": "unknown", "status": "unsupported" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that the tests of every front end read.
    #[test]
    fn names_are_those_of_every_front_end() {
        let names = include_str!("../../crates/keys/tests/names.json");
        for row in serde_json::from_str::<Vec<Value>>(names).unwrap() {
            let name = row["name"].as_str().unwrap();
            let found = match row["kind"].as_str().unwrap() {
                "kem" => kem(name).map(|kem| kem.info().id),
                "kdf" => kdf(name).map(|kdf| kdf.id),
                _ => aead(name).map(|aead| aead.id),
            };
            match found {
                Ok(id) => assert_eq!(row["id"], id, "{name}"),
                Err(error) => assert!(error.contains("cannot seal"), "{error}"),
            }
        }
        let error = kem("x25518").err().unwrap();
        assert_eq!(error, "there is no such KEM; choose one of x25519");
    }
}
