//! Several private keys. A version 4 blob names its key; versions 1 to 3 do not, so each X25519 key
//! is tried in turn.

mod batch;
mod periods;

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    ops::Range,
    sync::{Arc, Mutex, OnceLock},
};

use pqseal_hpke::{AnyPrivateKey, Policy};
use pqseal_keys::{Fingerprint, KeyId, calendar::Calendar};

pub use batch::{SealedRecord, SealedText};

use crate::{Blob, Error, FrameV4, OpenerV1to3, OpenerV4, v4::find_kem};

/// Private keys in the order in which they were added, and the lowest version of blobs that they
/// open.
///
/// ```
/// use pqseal_keys::base64;
/// use pqseal_matched_data::{Blob, Error, KeyRing, OpenOptions, Trailing};
/// # let (key_file, text) = (
/// #     include_str!("../../../examples/matched-data/key.txt"),
/// #     include_str!("../../../examples/matched-data/blob.txt"),
/// # );
///
/// let mut ring = KeyRing::new();
/// ring.add(&pqseal_keys::read_private(key_file, None).expect("it holds an X25519 key"))?;
/// let bytes = base64::decode(text.as_bytes())?;
/// let blob = Blob::parse(&bytes, Trailing::Refuse)?;
/// let opened = ring.open(&blob, &OpenOptions::default())?;
/// assert!(opened.plaintext.starts_with(b"{\"http.request.version\""));
///
/// ring.require_version(4);
/// let refused = Error::VersionRefused { found: 3, minimum: 4 };
/// assert_eq!(ring.open(&blob, &OpenOptions::default()), Err(refused));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Default)]
pub struct KeyRing {
    entries: Vec<RingEntry>,
    /// The index of the first key with each id.
    places: BTreeMap<KeyId, usize>,
    /// The indices of the X25519 keys, which open versions 1 to 3.
    x25519: Vec<usize>,
    periods: Periods,
    min_version: u8,
}

impl KeyRing {
    /// Creates an empty ring.
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
            places: BTreeMap::new(),
            x25519: Vec::new(),
            periods: Periods::new(),
            min_version: 0,
        }
    }

    /// Refuses blobs of versions below `minimum`, from 1 to 4, from now on. Only version 4 can be
    /// bound to its record ([`OpenOptions::aad`]): if all senders use it, a `minimum` of 4 prevents
    /// replacement by a blob of an earlier version.
    pub const fn require_version(&mut self, minimum: u8) {
        self.min_version = minimum;
    }

    /// Adds a key at the end.
    ///
    /// # Errors
    /// [`pqseal_hpke::Error::UnsupportedSuite`] for a key of a KEM that is not in
    /// [`KEMS`](pqseal_keys::KEMS).
    pub fn add(&mut self, key: &AnyPrivateKey) -> Result<(), Error> {
        self.add_labelled(key, None)
    }

    /// Adds a key at the end, with its owner's label.
    ///
    /// # Errors
    /// Same as [`KeyRing::add`].
    pub fn add_labelled(&mut self, key: &AnyPrivateKey, label: Option<&str>) -> Result<(), Error> {
        let public = find_kem(key.kem().id).and_then(|_| key.public_key().map_err(Error::Hpke))?;
        let opener = match OpenerV1to3::new(key) {
            Err(Error::WrongKem(_)) => None,
            opener => Some(Box::new(opener?)),
        };
        let name = KeyName {
            id: Fingerprint::of(&public).key_id(),
            label: label.map(|label| Arc::new(label.to_owned())),
        };
        let place = self.entries.len();
        self.places.entry(name.id).or_insert(place);
        if opener.is_some() {
            self.x25519.push(place);
        }
        let key = RingKey::Private {
            key: key.clone(),
            opener,
        };
        self.entries.push(RingEntry { key, name });
        Ok(())
    }

    /// Lists the ids of the keys, in the order in which they were added.
    pub fn key_ids(&self) -> impl Iterator<Item = KeyId> {
        self.entries.iter().map(|entry| entry.name.id)
    }

    /// Returns the index of the key with this id, from 0 in the order of [`KeyRing::add`]. It uses
    /// a map, so a ring may have thousands of keys.
    pub fn position(&self, id: KeyId) -> Option<usize> {
        self.places.get(&id).copied()
    }

    /// Returns the name of the key at this index.
    pub fn name(&self, place: usize) -> Option<&KeyName> {
        self.entries.get(place).map(|entry| &entry.name)
    }

    /// Lists the names of the keys, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &KeyName> {
        self.entries.iter().map(|entry| &entry.name)
    }

    /// Lists the private keys with their indexes, in the order in which they were added, for other
    /// formats that open with them. Keys of calendars are left out.
    pub fn private_keys(&self) -> impl Iterator<Item = (usize, &AnyPrivateKey)> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(place, entry)| match &entry.key {
            RingKey::Private { key, .. } => Some((place, key)),
            RingKey::Period(_) => None,
        })
    }

    /// Lists the names of the keys that are tried for versions 1 to 3: the X25519 keys.
    pub fn legacy_key_names(&self) -> impl Iterator<Item = &KeyName> {
        self.x25519.iter().filter_map(|place| self.name(*place))
    }

    /// Opens a blob of any version. `options` apply only to version 4: the others are bound to
    /// nothing.
    ///
    /// # Errors
    /// [`Error::VersionRefused`], [`Error::NoKeyOpens`]; for versions 1 to 3 [`Error::NoX25519Key`]
    /// and [`Error::KeyHeldElsewhere`]; for version 4 [`Error::NoKeyWithId`], [`Error::KeyShredded`],
    /// [`Error::KeyNotLent`], [`Error::Altered`], [`Error::KeyOfAnotherKem`], and the errors of [`OpenerV4::new`](crate::OpenerV4::new) about
    /// its suite.
    pub fn open(&self, blob: &Blob<'_>, options: &OpenOptions<'_>) -> Result<Opened, Error> {
        self.check_version(blob)?;
        let frame = match blob {
            Blob::V1to3(frame) => frame,
            Blob::V4(frame) => {
                let (key, opener) = self.bind_v4(frame, options)?;
                let opened = opener.open(frame, options.aad);
                let plaintext = opened.map_err(Error::with_named_key)?;
                return Ok(Opened { key, plaintext });
            }
        };
        let mut error = Error::NoX25519Key(frame.version);
        for &key in &self.x25519 {
            match self.entries[key].opener().map(|opener| opener.open(frame)) {
                Some(Ok(plaintext)) => return Ok(Opened { key, plaintext }),
                Some(Err(next)) if next.is_of_this_key() => error = next,
                Some(Err(other)) => return Err(other),
                None => {}
            }
        }
        Err(error)
    }

    fn check_version(&self, blob: &Blob<'_>) -> Result<(), Error> {
        let (found, minimum) = (blob.version(), self.min_version);
        if found < minimum {
            return Err(Error::VersionRefused { found, minimum });
        }
        Ok(())
    }

    /// Binds the key that a blob names to the blob's suite.
    fn bind_v4(
        &self,
        frame: &FrameV4<'_>,
        options: &OpenOptions<'_>,
    ) -> Result<(usize, OpenerV4), Error> {
        let wanted = frame.key_id();
        let place = self.position(wanted);
        let place = place.ok_or_else(|| self.no_key(wanted))?;
        let key = self.load(place)?;
        let opener = OpenerV4::of_known(&key, wanted, frame.suite(), options.info, &options.policy);
        Ok((place, opener.map_err(Error::with_named_key)?))
    }
}

/// The values that the application bound a version 4 blob to, and the suites that may open it.
#[derive(Clone, Debug)]
pub struct OpenOptions<'a> {
    /// The info given at sealing.
    pub info: &'a [u8],
    /// The aad given at sealing.
    pub aad: &'a [u8],
    /// The suites that may open.
    pub policy: Policy,
}

impl Default for OpenOptions<'_> {
    /// Returns options without info and aad, for every suite that a document defines, so no
    /// experimental one.
    fn default() -> Self {
        Self {
            info: b"",
            aad: b"",
            policy: Policy::draft(),
        }
    }
}

/// An opened blob.
#[derive(Debug, PartialEq, Eq)]
pub struct Opened {
    /// The index of the key that opened it, from 0 in the order of [`KeyRing::add`].
    pub key: usize,
    /// The decrypted data.
    pub plaintext: Vec<u8>,
}

/// The name of a key in reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName {
    /// The id of the key.
    pub id: KeyId,
    /// The owner's label, if there is one.
    // A thin pointer: with a wide one, the length beside `None` would keep bytes of the stack, such
    // as a key.
    pub label: Option<Arc<String>>,
}

impl From<KeyId> for KeyName {
    fn from(id: KeyId) -> Self {
        Self { id, label: None }
    }
}

/// Writes the id, and the label in parentheses.
impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.label {
            Some(label) => write!(f, "{} ({label})", self.id),
            None => self.id.fmt(f),
        }
    }
}

#[derive(Debug)]
struct RingEntry {
    key: RingKey,
    name: KeyName,
}

#[derive(Debug)]
enum RingKey {
    Private {
        key: AnyPrivateKey,
        /// The opener of an X25519 key; no other key opens versions 1 to 3. Boxed: a growing list
        /// moves its entries, and would leave a scalar in its old memory.
        opener: Option<Box<OpenerV1to3>>,
    },
    /// The key of a calendar's period.
    #[cfg_attr(
        not(feature = "calendar"),
        expect(dead_code, reason = "no ring has one")
    )]
    Period(PeriodIndex),
}

impl RingEntry {
    fn opener(&self) -> Option<&OpenerV1to3> {
        match &self.key {
            RingKey::Private { opener, .. } => opener.as_deref(),
            RingKey::Period(_) => None,
        }
    }
}

/// The calendars of a ring.
#[derive(Debug, Default)]
struct Periods {
    calendars: Vec<(Arc<Calendar>, Range<usize>)>,
    /// The periods that have no key, by the id that blobs name.
    missing: BTreeMap<KeyId, PeriodIndex>,
    kept: Mutex<VecDeque<(PeriodIndex, DecodedKey)>>,
}

impl Periods {
    const fn new() -> Self {
        Self {
            calendars: Vec::new(),
            missing: BTreeMap::new(),
            kept: Mutex::new(VecDeque::new()),
        }
    }
}

/// A period, by the index of its calendar and its own.
type PeriodIndex = (usize, usize);

/// The key of a period, which the first thread that needs it decodes.
type DecodedKey = Arc<OnceLock<Result<AnyPrivateKey, Error>>>;
