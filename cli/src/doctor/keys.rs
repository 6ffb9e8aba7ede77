//! The keys that were given: what they are, and what is wrong with those that cannot be used.

use envelope::{
    Fingerprint, KeyId, KeyRing,
    diagnosis::KeyPair,
    hpke::{AnyPrivateKey, Kem, X25519HkdfSha256},
    keys::{self, LabelledKey},
};

use super::report::Report;
use crate::{
    error::Error,
    input::{Source, others_can_read},
    keyfile,
    passphrase::Passphrase,
};

/// The keys that can be used, and where each comes from.
#[derive(Default)]
pub(super) struct Given {
    pub(super) ring: KeyRing,
    names: Vec<String>,
}

impl Given {
    /// Reads each file, and reports on it.
    pub(super) fn read(
        sources: &[Source],
        passphrase: &Passphrase,
        report: &mut Report,
    ) -> Result<Self, Error> {
        let mut given = Self::default();
        for source in sources {
            match keyfile::privates_quietly(source, passphrase) {
                Ok(found) => given.add_file(source, &found, report)?,
                Err(error) => {
                    report.problem(KEYS, &source.to_string(), error.code, &error.message)?
                }
            }
            if let Some(mode) = others_can_read(source) {
                let text = format!("others can read it (mode {mode:04o}); run: chmod 600 {source}");
                report.problem(KEYS, &source.to_string(), "file_mode", &text)?;
            }
        }
        Ok(given)
    }

    /// Adds a key pair that an ikm gave.
    pub(super) fn add(&mut self, pair: KeyPair) -> Result<(), Error> {
        self.push(&pair.private, format!("the ikm, by {}", pair.derivation))
    }

    /// Where the key at this place comes from.
    pub(super) fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("a key", String::as_str)
    }

    fn add_file(
        &mut self,
        source: &Source,
        found: &[LabelledKey],
        report: &mut Report,
    ) -> Result<(), Error> {
        for LabelledKey { key, label } in found {
            report.ok(KEYS, &source.to_string(), &described(key, label.as_deref()))?;
            self.push(key, source.to_string())?;
        }
        Ok(())
    }

    fn push(&mut self, key: &AnyPrivateKey, name: String) -> Result<(), Error> {
        self.ring.add(key).map_err(|error| Error::blob(&error))?;
        self.names.push(name);
        Ok(())
    }
}

const KEYS: &str = "keys";

fn described(key: &AnyPrivateKey, label: Option<&str>) -> String {
    let label = label.map(|label| format!(" ({label})")).unwrap_or_default();
    let id = id(key).map_or_else(String::new, |id| format!(", key id {id}"));
    format!("{}{id}{label}{}", key.kem().short_name, clamping(key))
}

/// The key id, by which a version 4 blob names its key.
pub(super) fn id(key: &AnyPrivateKey) -> Option<KeyId> {
    let public = keys::public_key(key).ok()?;
    Some(Fingerprint::of(&public).key_id())
}

/// X25519 ignores five bits of its private key, which some programs store as they came and others
/// with the values of RFC 7748: the same key in two forms.
fn clamping(key: &AnyPrivateKey) -> &'static str {
    if key.kem().id != X25519HkdfSha256.info().id {
        return "";
    }
    let clamped = key.to_bytes().is_ok_and(|bytes| match *bytes.as_ref() {
        [first, .., last] => first & 7 == 0 && last & 0xc0 == 0x40,
        _ => false,
    });
    if clamped {
        ", stored clamped"
    } else {
        ", stored unclamped (clamping it gives the same key)"
    }
}
