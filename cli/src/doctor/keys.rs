//! Checks of the given keys, and of key pairs that are derived from an ikm.

use std::sync::Arc;

use pqseal_hpke::{AnyPrivateKey, Kem, Policy, X25519HkdfSha256};
use pqseal_keys::{
    Fingerprint, KeyId, LabelledKey,
    calendar::{Calendar, KeyState, date},
};
use pqseal_matched_data::{
    Blob, KeyRing, OpenOptions, Trailing,
    diagnosis::{KeyPair, key_pairs_of, looks_sealed},
};
use pqseal_sealed::OtherKey;
use serde_json::json;
use zeroize::Zeroizing;

use super::{Input, Report, Subject, Verdict, check_permissions};
use crate::{
    calendar::{WARN_DAYS, shredding, words},
    date::seconds_now,
    error::Error,
    input::Source,
    keyfile::{self, Privates, Skipped},
    kind::{self, InputKind},
    passphrase::Passphrase,
};

/// The usable keys, and their sources.
#[derive(Default)]
pub(super) struct GivenKeys {
    pub(super) ring: KeyRing,
    /// The keys for sealed values of one kind.
    one_kind: Vec<OtherKey>,
    /// The keys for sealed values of kinds other than matched data.
    pub(super) others: pqseal_sealed::Keys,
    /// The sources of the keys: those in the ring, and then those of one kind.
    names: Vec<String>,
}

impl GivenKeys {
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
                    examine_calendar(KEYS, source, &calendar, report)?;
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
            check_permissions(KEYS, source, report)?;
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
        found: keyfile::FileKeys,
        report: &mut Report,
    ) -> Result<(), Error> {
        let name = source.to_string();
        for LabelledKey { key, label } in &found.keys {
            let key_id = id(key).map_or_else(String::new, |id| format!(", key id {id}"));
            let (kem, label) = (key.kem().short_name, labelled(label.as_deref()));
            let text = format!("{kem}{key_id}{label}{}", clamping(key));
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

const IKM: &str = "ikm";

/// Reports on the key pairs of an ikm, and returns those that fit: that have the wanted public
/// key, whose id a blob names, or that open a blob.
pub(super) fn examine_ikm(
    source: &Source,
    public_key: Option<&Source>,
    inputs: &[Input<'_>],
    report: &mut Report,
) -> Result<Vec<KeyPair>, Error> {
    check_permissions(IKM, source, report)?;
    let ikm = bytes(source)?;
    let wanted = public_key.map(|source| keyfile::public(source, None));
    let wanted = wanted.transpose()?;
    let mut fitting = Vec::new();
    for pair in key_pairs_of(&ikm) {
        let is_wanted =
            || pqseal_keys::public_key(&pair.private).is_ok_and(|own| Some(own) == wanted);
        if is_wanted() || opens_any(&pair, inputs) {
            let id = id(&pair.private).map_or_else(String::new, |id| id.to_string());
            let kem = pair.kem.info().short_name;
            let clamped = clamping(&pair.private);
            let text = format!("{} gives the {kem} key {id}{clamped}", pair.derivation);
            let subject = Subject {
                about: IKM,
                name: &source.to_string(),
                members: vec![("key_id", json!(id))],
                ..Subject::default()
            };
            report.check(Verdict::Ok, &subject, "ok", &text)?;
            fitting.push(pair);
        }
    }
    if fitting.is_empty() {
        let text = "no KEM and no draft derives from it the key of --public-key, or a key that opens FILE; check that the ikm is complete, and that --public-key or FILE belongs to it";
        report.problem(IKM, &source.to_string(), "no_derivation", text)?;
    }
    Ok(fitting)
}

/// Decodes hexadecimal or base64; otherwise returns the bytes themselves.
fn bytes(source: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let read = source
        .read_secret(keyfile::LIMIT)
        .map_err(|error| source.unreadable(&error))?;
    let text = read.trim_ascii();
    let is_hex = !text.is_empty() && text.len() % 2 == 0 && text.iter().all(u8::is_ascii_hexdigit);
    if is_hex {
        let (pairs, _) = text.as_chunks::<2>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(pairs.len()));
        bytes.extend(
            pairs
                .iter()
                .map(|[high, low]| digit(*high) << 4 | digit(*low)),
        );
        return Ok(bytes);
    }
    Ok(pqseal_keys::base64::decode(text).unwrap_or(read))
}

/// Decodes a hexadecimal digit without a branch or a table: 9 is added to a letter, whose low bits
/// begin at 1.
const fn digit(byte: u8) -> u8 {
    (byte & 15) + 9 * (byte >> 6)
}

fn opens_any(pair: &KeyPair, inputs: &[Input<'_>]) -> bool {
    let mut ring = KeyRing::new();
    let Some(id) = id(&pair.private).filter(|_| ring.add(&pair.private).is_ok()) else {
        return false;
    };
    let mut all = inputs.iter().flat_map(|input| &input.found.candidates);
    all.any(|candidate| opens(&candidate.text, id, &ring))
}

/// Reports whether a blob opens with the key of `ring`, or names it.
fn opens(text: &[u8], id: KeyId, ring: &KeyRing) -> bool {
    let Ok(bytes) = Blob::decode_text_or_bytes(text) else {
        return false;
    };
    let options = OpenOptions {
        policy: Policy::draft().with_experimental(),
        ..OpenOptions::default()
    };
    match Blob::parse(&bytes, Trailing::Ignore) {
        Ok(Blob::V4(frame)) => frame.key_id() == id,
        Ok(blob) => ring.open(&blob, &options).is_ok(),
        Err(_) => false,
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
    report.check(Verdict::Ok, &subject, "ok", text)
}

/// The reason why a file gives no key.
enum Failure {
    NotAKey { kind: &'static str, text: String },
    Bad(Error),
}

fn read(source: &Source, passphrase: &Passphrase) -> Result<Privates, Failure> {
    let bytes = keyfile::read_bytes(source).map_err(Failure::Bad)?;
    let copy = bytes.clone();
    keyfile::privates_in(source, bytes, passphrase)
        .map_err(|error| other(&copy, &source.to_string()).unwrap_or(Failure::Bad(error)))
}

/// Returns the failure for a file that holds something other than a key, damaged or not. For
/// encrypted files, public keys and age identities, their readers say more.
fn other(bytes: &[u8], file: &str) -> Option<Failure> {
    match kind::foreign(bytes) {
        Some(InputKind::EncryptedFile | InputKind::Calendar | InputKind::AgeIdentity) => {
            return None;
        }
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
    report.check(Verdict::Problem, &subject, "not_a_key", text)
}

const KEYS: &str = "keys";

fn labelled(label: Option<&str>) -> String {
    label.map(|label| format!(" ({label})")).unwrap_or_default()
}

/// Returns the key id, by which a version 4 blob names its key.
fn id(key: &AnyPrivateKey) -> Option<KeyId> {
    let public = pqseal_keys::public_key(key).ok()?;
    Some(Fingerprint::of(&public).key_id())
}

/// Describes the clamping of a key. X25519 ignores five bits of its private key. Some programs
/// store them unchanged, and others with the values of RFC 7748: the same key in two encodings.
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

/// Reports on a calendar: each key, the current period, the end, and an interrupted shredding.
fn examine_calendar(
    about: &str,
    source: &Source,
    calendar: &Calendar,
    report: &mut Report,
) -> Result<(), Error> {
    let name = source.to_string();
    match calendar.check() {
        Ok(()) => {
            let (count, length) = (calendar.count(), calendar.period_length());
            let text = format!(
                "calendar of {count} periods ({length}) from {}, {} with a key, {}",
                calendar.period_name(0),
                calendar.present().count(),
                calendar.kem().info().short_name
            );
            report.ok(about, &name, &text)?;
        }
        Err(error) => report.problem(about, &name, error.code(), &error.to_string())?,
    }
    if source.path().is_some_and(|path| shredding(path).exists()) {
        let text = "an interrupted `shred` or `extend` left FILE.shredding, which has keys that should be gone; `pqseal calendar shred` overwrites it";
        report.problem(about, &name, "shredding", text)?;
    }
    if !calendar.is_private() {
        let text = "it is a public calendar, which opens nothing; seal with: pqseal seal --to";
        report.problem(about, &name, "bad_key", text)?;
    }
    examine_period(about, &name, calendar, report)
}

fn examine_period(
    about: &str,
    name: &str,
    calendar: &Calendar,
    report: &mut Report,
) -> Result<(), Error> {
    let now = seconds_now();
    let period = calendar.at(now);
    match period.and_then(|index| Some((index, calendar.state(index)?))) {
        None => {
            let text = "no period is the current one, so nothing can be sealed now";
            report.note(about, name, "no_period", text)?;
        }
        Some((index, KeyState::Present)) => {
            let text = format!("the current period is {}", calendar.period_name(index));
            report.ok(about, name, &text)?;
        }
        Some((index, state)) => {
            let (day, state) = (calendar.period_name(index), words(state));
            let text = format!("the current period is {day}, whose key is {state}");
            report.note(about, name, "no_key_now", &text)?;
        }
    }
    let end = calendar.start_of(calendar.count());
    let left = end.saturating_sub(now) / 86_400;
    match left < WARN_DAYS {
        true => {
            let end = date::rfc3339(end);
            let text = format!("it ends at {end}; extend it with `pqseal calendar extend`");
            report.note(about, name, "calendar_ends", &text)
        }
        false => Ok(()),
    }
}
