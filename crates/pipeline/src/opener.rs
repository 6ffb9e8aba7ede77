//! Opening of the texts of sealed log fields, in batches. This module knows no record formats.

use std::{
    borrow::Borrow,
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

use pqseal_hpke::Policy;
use pqseal_matched_data::{
    Blob, Error, KeyName, KeyRing, OpenOptions, Opened, SealedRecord, Trailing,
};
use pqseal_records::Problem;
use pqseal_sealed::{Keys, Kind};
use rayon::prelude::*;

use crate::{ciphertext::decode, error::Reason};

/// The number of fields per task: enough for [`KeyRing::open_batch`], few enough to share among
/// cores.
pub(crate) const CHUNK: usize = 128;
/// The maximum number of origins whose last successful key is remembered. When it is exceeded, all
/// are forgotten. A wrong guess costs one more trial.
const MAX_HINTS: usize = 1 << 16;

/// The value of a field to open or to seal, or its absence.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldValue<'a> {
    /// The text, if the record has this field.
    pub text: Option<&'a [u8]>,
    /// Set if the field is a JSON object. Its text then cannot be a blob.
    pub is_object: bool,
    /// The associated data that the field is bound to (version 4), or empty.
    pub aad: &'a [u8],
    /// The origin of the record, such as its zone. Records of one origin mostly use one key, which
    /// is tried first.
    pub origin: &'a [u8],
}

impl<'a> From<Option<&'a str>> for FieldValue<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self {
            text: text.map(str::as_bytes),
            ..Self::default()
        }
    }
}

/// The outcome of one field.
///
/// ```
/// use pqseal_pipeline::{FieldValue, Opener, Outcome, Reason};
///
/// // With the keys of a key file added.
/// let opener = Opener::new(pqseal_matched_data::KeyRing::new());
/// for outcome in opener.open_batch(&[FieldValue::from(Some("no blob")), FieldValue::from(None)]) {
///     match outcome {
///         Outcome::Opened { plaintext, .. } => println!("{}", plaintext.escape_ascii()),
///         Outcome::Absent => println!("nothing to open"),
///         Outcome::Truncated => println!("too large to be logged"),
///         Outcome::Failed(failure) => println!("{}: {}", failure.code(), failure.reason),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The field was opened.
    Opened {
        /// The plaintext.
        plaintext: Vec<u8>,
        /// The key that opened it, counted from 0 in the order of [`KeyRing::add`].
        key: usize,
    },
    /// There is nothing to open: no text, or an empty one.
    Absent,
    /// The edge logged the word `truncated` in place of a payload that was too large.
    Truncated,
    /// The field could not be opened.
    Failed(Failure),
}

/// The reason why a field could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The reason.
    pub reason: Reason,
    /// The keys that were tried, or the one that is missing.
    pub keys: Vec<KeyName>,
}

impl Failure {
    /// Creates a failure that occurred before any key was tried.
    pub const fn new(reason: Reason) -> Self {
        Self {
            reason,
            keys: Vec::new(),
        }
    }

    /// Returns the code by which programs distinguish failures ([`Reason::code`]).
    pub const fn code(&self) -> &'static str {
        self.reason.code()
    }
}

/// An operation on the fields that are found: opening or sealing.
pub trait Transform: Sync {
    /// Returns one outcome per field, in order. Runs on this thread.
    fn chunk(&self, fields: &[FieldValue<'_>]) -> Vec<Outcome>;

    /// Returns the outcome for a record that is sealed as a whole.
    fn whole(&self, record: &[u8]) -> Outcome {
        let record = FieldValue {
            text: Some(record),
            ..FieldValue::default()
        };
        self.chunk(&[record]).pop().unwrap_or(Outcome::Absent)
    }

    /// Reports whether this transform encrypts. If so, non-string values are encrypted as their
    /// JSON text. At a record that fails or that already has a result (`already_there`), the run
    /// stops, or the record is sealed as a whole ([`Rules::whole`](pqseal_records::Rules::whole),
    /// [`Observer::dead_letter`](crate::Observer::dead_letter)). No plaintext passes through.
    fn seals(&self) -> bool {
        false
    }

    /// Reports whether the transform uses [`FieldValue::origin`].
    fn uses_origins(&self) -> bool {
        false
    }
}

/// A key ring, owned or borrowed, that opens batches from many threads. It is the [`Transform`] of
/// a [`Pipeline`](crate::Pipeline) that opens.
///
/// ```
/// use getrandom::SysRng;
/// use pqseal_keys::{base64, kem_by_name};
/// use pqseal_matched_data::{KeyRing, SealOptions, Sealer};
/// use pqseal_pipeline::{FieldValue, Opener, Outcome};
///
/// let kem = kem_by_name("x25519").expect("a KEM of this crate");
/// let (private_key, public_key) = kem.derive_key_pair(&[7; 32])?;
/// let sealer = Sealer::new(&public_key, &SealOptions::default())?;
/// let blob = base64::encode(&sealer.seal(b"", b"1' OR 1=1", &mut SysRng)?);
///
/// let mut ring = KeyRing::new();
/// ring.add(&private_key)?;
/// let outcomes = Opener::new(ring).open_batch(&[FieldValue::from(Some(blob.as_str()))]);
/// assert!(matches!(&outcomes[0], Outcome::Opened { plaintext, .. } if plaintext == b"1' OR 1=1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Opener<R = KeyRing> {
    ring: R,
    info: Vec<u8>,
    policy: Policy,
    /// `None` if there are fewer than two keys to choose from.
    hints: Option<KeyHints>,
    /// The keys for sealed values of other kinds, and the kind of all values if it is fixed.
    others: Option<(Arc<Keys>, Option<Kind>)>,
}

impl<R: Borrow<KeyRing> + Sync> Opener<R> {
    /// Creates an opener for blobs without info, in any suite that has a registered id.
    pub fn new(ring: R) -> Self {
        Self::bound(ring, Vec::new(), Policy::draft())
    }

    /// Creates an opener for blobs that are bound to `info` (version 4), in suites that `policy`
    /// allows.
    pub fn bound(ring: R, info: Vec<u8>, policy: Policy) -> Self {
        let has_choice = ring.borrow().legacy_key_names().nth(1).is_some();
        Self {
            ring,
            info,
            policy,
            hints: has_choice.then(KeyHints::default),
            others: None,
        }
    }

    /// Opens sealed values of other kinds too, with these keys, which begin with those of the ring.
    /// Each value's kind is detected by its form, or if `kind` is given, every value that does not
    /// begin in its form is in the clear.
    ///
    /// Only matched data can be bound to its record. A ring that requires version 4
    /// ([`KeyRing::require_version`]) does not protect from replacement by another kind, unless
    /// `kind` is [`Kind::MatchedData`].
    #[must_use]
    pub fn with_others(mut self, keys: impl Into<Arc<Keys>>, kind: Option<Kind>) -> Self {
        self.others = Some((keys.into(), kind));
        self
    }

    /// Returns the keys.
    pub fn ring(&self) -> &KeyRing {
        self.ring.borrow()
    }

    /// Lists the names of all keys, by whose indexes outcomes refer to them.
    pub fn names(&self) -> impl Iterator<Item = &KeyName> {
        let ring = self.ring().names();
        let others = self.others.iter().flat_map(|(keys, _)| keys.names());
        ring.chain(others.skip(self.ring().names().count()))
    }

    /// Lists the names of all keys as [`KeyRing::report_names`] does.
    pub fn report_names(&self) -> Vec<KeyName> {
        let mut names = self.ring().report_names();
        let others = self.names().skip(names.len()).cloned();
        names.extend(others.collect::<Vec<_>>());
        names
    }

    /// Opens all fields on the cores of the current rayon pool. Returns one outcome per field, in
    /// order.
    pub fn open_batch(&self, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
        fields
            .par_chunks(CHUNK)
            .flat_map_iter(|chunk| self.open_chunk(chunk))
            .collect()
    }

    /// Opens all fields on this thread. Returns one outcome per field, in order.
    pub fn open_chunk(&self, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
        let others: Vec<_> = (fields.iter())
            .map(|field| self.open_other(field))
            .collect();
        if others.iter().all(Option::is_none) {
            return self.open_blobs(fields);
        }
        let blobs = fields.iter().zip(&others);
        let blobs = blobs.filter(|(_, other)| other.is_none());
        let blobs: Vec<_> = blobs.map(|(field, _)| *field).collect();
        let mut opened = self.open_blobs(&blobs).into_iter();
        let outcomes = others
            .into_iter()
            .map(|other| other.unwrap_or_else(|| opened.next().expect("one outcome per blob")));
        outcomes.collect()
    }

    /// Opens a value that is not matched data; `None` if it is.
    fn open_other(&self, field: &FieldValue<'_>) -> Option<Outcome> {
        let (keys, kind) = self.others.as_ref()?;
        let text = field.text?;
        let kind = match *kind {
            Some(kind) => kind,
            None => match Kind::detect(text) {
                Some(kind) => kind,
                None if field.is_object => {
                    return Some(Outcome::Failed(Problem::NotAString.into()));
                }
                None => return None,
            },
        };
        if kind == Kind::MatchedData {
            return None;
        }
        Some(match keys.open(kind, text) {
            Ok(Some(Opened { key, plaintext })) => Outcome::Opened { plaintext, key },
            Ok(None) => Outcome::Absent,
            Err(error) => Outcome::Failed(Failure {
                keys: keys.tried(kind, text),
                reason: Reason::Sealed(error),
            }),
        })
    }

    fn open_blobs(&self, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
        let texts = fields.iter().filter_map(|field| field.text);
        let mut bytes = Vec::with_capacity(texts.map(<[u8]>::len).sum());
        let decoded: Vec<_> = fields
            .iter()
            .map(|field| decode(field.text, &mut bytes))
            .collect();
        let parsed = decoded.into_iter().map(|decoded| {
            let blob = decoded?.map(|range| Blob::parse(&bytes[range], Trailing::Refuse));
            blob.transpose()
        });
        let parsed: Vec<Result<Option<Blob<'_>>, Error>> = parsed.collect();
        let sealed = fields.iter().zip(&parsed).filter_map(|(field, parsed)| {
            let hints = self.hints.as_ref();
            Some(SealedRecord {
                blob: *parsed.as_ref().ok()?.as_ref()?,
                aad: Some(field.aad),
                hint: hints.and_then(|hints| hints.of(field.origin)),
            })
        });
        let sealed: Vec<_> = sealed.collect();
        let application = OpenOptions {
            info: &self.info,
            aad: b"",
            policy: self.policy.clone(),
        };
        let mut opened = self.ring().open_batch(&sealed, &application).into_iter();
        let outcomes = fields
            .iter()
            .zip(parsed)
            .map(|(field, parsed)| match parsed {
                Ok(None) => Outcome::Absent,
                Ok(Some(blob)) => {
                    let opened = opened.next().expect("one answer per blob");
                    self.outcome(field, Some(&blob), opened)
                }
                Err(error) => self.outcome(field, None, Err(error)),
            });
        outcomes.collect()
    }

    fn outcome(
        &self,
        field: &FieldValue<'_>,
        blob: Option<&Blob<'_>>,
        opened: Result<Opened, Error>,
    ) -> Outcome {
        match opened {
            Ok(Opened { key, plaintext }) => {
                if let (Some(Blob::V1to3(_)), Some(hints)) = (blob, &self.hints) {
                    hints.learn(field.origin, key);
                }
                Outcome::Opened { plaintext, key }
            }
            Err(Error::Truncated) => Outcome::Truncated,
            Err(error) => Outcome::Failed(Failure {
                keys: self.tried(blob),
                reason: error.into(),
            }),
        }
    }

    fn tried(&self, blob: Option<&Blob<'_>>) -> Vec<KeyName> {
        match blob {
            None => Vec::new(),
            Some(Blob::V4(frame)) => {
                let id = frame.key_id();
                let name = self
                    .ring()
                    .position(id)
                    .and_then(|place| self.ring().name(place));
                vec![name.cloned().unwrap_or(id.into())]
            }
            Some(Blob::V1to3(_)) => self.ring().legacy_key_names().cloned().collect(),
        }
    }
}

impl<R: Borrow<KeyRing> + Sync> Transform for Opener<R> {
    fn chunk(&self, fields: &[FieldValue<'_>]) -> Vec<Outcome> {
        self.open_chunk(fields)
    }

    fn uses_origins(&self) -> bool {
        self.hints.is_some()
    }
}

/// The key that last opened a blob of each origin. A hash collision costs one trial.
#[derive(Debug, Default)]
struct KeyHints {
    hasher: RandomState,
    keys: Mutex<HashMap<u64, usize>>,
}

impl KeyHints {
    fn of(&self, origin: &[u8]) -> Option<usize> {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.get(&self.hasher.hash_one(origin)).copied()
    }

    fn learn(&self, origin: &[u8], key: usize) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= MAX_HINTS {
            keys.clear();
        }
        keys.insert(self.hasher.hash_one(origin), key);
    }
}
