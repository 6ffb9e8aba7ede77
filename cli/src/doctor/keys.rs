//! Checks of the given keys.

use std::sync::Arc;

use pqseal_hpke::{AnyPrivateKey, Kem, X25519HkdfSha256};
use pqseal_keys::{Fingerprint, KeyId, LabelledKey, calendar::Calendar};
use pqseal_matched_data::{
    KeyRing,
    diagnosis::{KeyPair, looks_sealed},
};
use pqseal_sealed::OtherKey;
use serde_json::json;

use super::{
    calendars, permissions,
    report::{Report, State, Subject},
};
use crate::{
    error::Error,
    input::Source,
    keyfile::{self, Privates, Skipped},
    kind::{self, Kind},
    passphrase::Passphrase,
};

/// The usable keys, and their sources.
#[derive(Default)]
pub(super) struct Given {
    pub(super) ring: KeyRing,
    /// The keys for sealed values of one kind.
    one_kind: Vec<OtherKey>,
    /// The keys for sealed values of kinds other than matched data.
    pub(super) others: pqseal_sealed::Keys,
    /// The sources of the keys: those in the ring, and then those of one kind.
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
            match read(source, passphrase) {
                Ok(Privates::Keys(found)) => given.add_file(source, found, report)?,
                Ok(Privates::Calendar(calendar)) => {
                    calendars::examine(KEYS, source, &calendar, report)?;
                    // Others may read a public one.
                    if !calendar.is_private() {
                        continue;
                    }
                    given.add_calendar(source, calendar)?;
                }
                // A file without a key may be readable by others.
                Err(Failure::NotAKey { kind, text }) => {
                    not_a_key(&source.to_string(), kind, &text, report)?;
                    continue;
                }
                Err(Failure::Bad(error)) => {
                    report.problem(KEYS, &source.to_string(), error.code, &error.message)?;
                }
            }
            permissions::examine(KEYS, source, report)?;
        }
        Ok(given)
    }

    /// Adds a key pair that was derived from an ikm.
    pub(super) fn add(&mut self, pair: KeyPair) -> Result<(), Error> {
        self.push(&pair.private, format!("the ikm, by {}", pair.derivation))
    }

    /// Returns the source and the id of the key at this place.
    pub(super) fn name(&self, place: usize) -> String {
        let name = self.names.get(place).map_or("a key", String::as_str);
        match self.id(place) {
            Some(id) => format!("{name} (key id {id})"),
            None => name.to_owned(),
        }
    }

    /// Returns the id of the key at this place.
    pub(super) fn id(&self, place: usize) -> Option<KeyId> {
        match self.ring.name(place) {
            Some(name) => Some(name.id),
            None => Some(
                self.one_kind
                    .get(place - self.ring.names().count())?
                    .name()
                    .id,
            ),
        }
    }

    /// Prepares the keys for sealed values of all kinds, once all are added.
    pub(super) fn prepare(&mut self) -> Result<(), Error> {
        self.others = pqseal_sealed::Keys::new(&self.ring)
            .map_err(|error| Error::blob(&pqseal_matched_data::Error::Hpke(error)))?;
        let names = &self.names[self.ring.names().count()..];
        for (name, key) in names.iter().zip(&self.one_kind) {
            let added = self.others.add(key);
            added.map_err(|error| Error::key(name, &error))?;
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        source: &Source,
        found: keyfile::Keys,
        report: &mut Report,
    ) -> Result<(), Error> {
        let name = source.to_string();
        for LabelledKey { key, label } in &found.keys {
            let text = described(key, label.as_deref());
            report_key(&name, id(key), &text, report)?;
            self.push(key, name.clone())?;
        }
        for key in found.others {
            if let Err(error) = pqseal_sealed::Keys::default().add(&key) {
                let error = Error::key(source, &error);
                report.problem(KEYS, &name, error.code, &error.message)?;
                continue;
            }
            let id = key.name().id;
            let label = labelled(key.name().label.as_ref().map(|label| label.as_str()));
            let text = format!("{}, key id {id}{label}", key.description());
            report_key(&name, Some(id), &text, report)?;
            self.names.push(name.clone());
            self.one_kind.push(key);
        }
        match found.skipped.text() {
            Some(text) => report.problem(KEYS, &name, Skipped::CODE, &text),
            None => Ok(()),
        }
    }

    fn add_calendar(&mut self, source: &Source, calendar: Calendar) -> Result<(), Error> {
        let places = self.ring.add_calendar(Arc::new(calendar));
        let places = places.map_err(|error| Error::blob(&error))?;
        // The sources of keys for one kind come last.
        let end = self.names.len() - self.one_kind.len();
        self.names
            .splice(end..end, places.map(|_| source.to_string()));
        Ok(())
    }

    fn push(&mut self, key: &AnyPrivateKey, name: String) -> Result<(), Error> {
        self.ring.add(key).map_err(|error| Error::blob(&error))?;
        // The sources of keys for one kind come last.
        self.names
            .insert(self.names.len() - self.one_kind.len(), name);
        Ok(())
    }
}

fn report_key(name: &str, id: Option<KeyId>, text: &str, report: &mut Report) -> Result<(), Error> {
    let id = id.map(|id| ("key_id", json!(id.to_string())));
    let subject = Subject {
        about: KEYS,
        name,
        members: id.into_iter().collect(),
        ..Subject::default()
    };
    report.check(State::Ok, &subject, "ok", text)
}

/// The reason why a file gives no key.
enum Failure {
    NotAKey { kind: &'static str, text: String },
    Bad(Error),
}

fn read(source: &Source, passphrase: &Passphrase) -> Result<Privates, Failure> {
    let bytes = keyfile::read_bytes(source).map_err(Failure::Bad)?;
    let copy = bytes.clone();
    keyfile::several(source, bytes, passphrase)
        .map_err(|error| other(&copy, &source.to_string()).unwrap_or(Failure::Bad(error)))
}

/// Returns the failure for a file that holds something other than a key, damaged or not. For
/// encrypted files, public keys and age identities, their readers say more.
fn other(bytes: &[u8], file: &str) -> Option<Failure> {
    match kind::foreign(bytes) {
        Some(Kind::EncryptedFile | Kind::Calendar | Kind::AgeIdentity) => return None,
        Some(kind) => {
            return Some(Failure::NotAKey {
                kind: kind.code(),
                text: format!("it is {}", kind.advice(file)),
            });
        }
        None => {}
    }
    // The rest copies the text, and a damaged private key must not be left in memory.
    (!keyfile::is_key(bytes) && looks_sealed(bytes)).then(|| Failure::NotAKey {
        kind: "blob",
        text: format!("it is a blob, and not a key; leave out -k before {file}"),
    })
}

fn not_a_key(name: &str, kind: &str, text: &str, report: &mut Report) -> Result<(), Error> {
    let subject = Subject {
        about: KEYS,
        name,
        members: vec![("kind", json!(kind))],
        ..Subject::default()
    };
    report.check(State::Problem, &subject, "not_a_key", text)
}

const KEYS: &str = "keys";

fn labelled(label: Option<&str>) -> String {
    label.map(|label| format!(" ({label})")).unwrap_or_default()
}

fn described(key: &AnyPrivateKey, label: Option<&str>) -> String {
    let label = labelled(label);
    let id = id(key).map_or_else(String::new, |id| format!(", key id {id}"));
    format!("{}{id}{label}{}", key.kem().short_name, clamping(key))
}

/// Returns the key id, by which a version 4 blob names its key.
pub(super) fn id(key: &AnyPrivateKey) -> Option<KeyId> {
    let public = pqseal_keys::public_key(key).ok()?;
    Some(Fingerprint::of(&public).key_id())
}

/// Describes the clamping of a key. X25519 ignores five bits of its private key. Some programs
/// store them unchanged, and others with the values of RFC 7748: the same key in two encodings.
pub(super) fn clamping(key: &AnyPrivateKey) -> &'static str {
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
