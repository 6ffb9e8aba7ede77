//! The keys that open sealed values.

use std::{fmt, sync::Arc};

use pqseal_keys::{KeyError, LabelledRsaKey};
use pqseal_matched_data::{KeyName, KeyRing, Opened};

use crate::{
    Error, Kind,
    ai_gateway::{self, Object},
    receipt::{self, Envelope},
};

/// The keys of a ring and RSA keys, ready to open sealed values of every kind except matched data.
///
/// ```
/// use pqseal_matched_data::KeyRing;
/// use pqseal_sealed::{Error, Keys, Kind};
///
/// // With the keys of a key file added.
/// let ring = KeyRing::new();
/// let keys = Keys::new(&ring)?;
/// assert_eq!(keys.open(Kind::AiGateway, b"{\"in the clear\":1}"), Ok(None));
/// let sealed = br#"{"type":"encrypted","key":"AA==","iv":"AA==","data":"AA=="}"#;
/// assert_eq!(keys.open(Kind::AiGateway, sealed), Err(Error::Iv(1)));
/// # Ok::<(), pqseal_hpke::Error>(())
/// ```
#[derive(Default)]
pub struct Keys {
    receipts: receipt::Opener,
    rsa: ai_gateway::Opener,
    rsa_names: Vec<KeyName>,
    /// The number of keys in the ring, which is the index of the first RSA key.
    in_ring: usize,
    ring_names: Vec<KeyName>,
}

impl Keys {
    /// Takes the keys of a ring.
    ///
    /// # Errors
    /// The error of a public key that cannot be computed.
    pub fn new(ring: &KeyRing) -> Result<Self, pqseal_hpke::Error> {
        let mut keys = Self {
            in_ring: ring.names().count(),
            ring_names: ring.names().cloned().collect(),
            ..Self::default()
        };
        for (place, key) in ring.private_keys() {
            keys.receipts.add(place, key)?;
        }
        Ok(keys)
    }

    /// Adds an RSA key at the end.
    ///
    /// # Errors
    /// [`KeyError::Text`] if its integers are inconsistent, or without the feature `aws-lc`.
    pub fn add_rsa(&mut self, key: &LabelledRsaKey) -> Result<(), KeyError> {
        self.rsa.add(&key.key)?;
        self.rsa_names.push(KeyName {
            id: key.key.id(),
            label: key.label.clone().map(Arc::new),
        });
        Ok(())
    }

    /// Lists the names of all keys: those of the ring, and then the RSA keys.
    pub fn names(&self) -> impl Iterator<Item = &KeyName> {
        self.ring_names.iter().chain(&self.rsa_names)
    }

    /// Lists the names of the keys that are tried for a kind.
    pub fn tried(&self, kind: Kind) -> Vec<KeyName> {
        match kind {
            Kind::AiGateway => self.rsa_names.clone(),
            Kind::AgentReceipt => {
                let places = self.receipts.places();
                places.map(|place| self.ring_names[place].clone()).collect()
            }
            Kind::MatchedData => Vec::new(),
        }
    }

    /// Opens the text of a value, which is JSON; `None` if it is not a sealed value of this kind,
    /// such as one in the clear. The index in the result is that of the key in [`Keys::names`].
    ///
    /// # Errors
    /// The reason why it does not open.
    pub fn open(&self, kind: Kind, text: &[u8]) -> Result<Option<Opened>, Error> {
        let (key, plaintext) = match kind {
            Kind::MatchedData => return Ok(None),
            Kind::AiGateway => {
                let Some(object) = Object::parse(text)? else {
                    return Ok(None);
                };
                let (key, plaintext) = self.rsa.open(object)?;
                (self.in_ring + key, plaintext)
            }
            Kind::AgentReceipt => {
                let Some(envelope) = Envelope::parse(text)? else {
                    return Ok(None);
                };
                self.receipts.open(&envelope)?
            }
        };
        Ok(Some(Opened { key, plaintext }))
    }
}

/// Writes the names of the keys.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names().map(KeyName::to_string);
        f.debug_list().entries(names).finish()
    }
}
