//! The keys that open sealed values.

use std::fmt;

use pqseal_keys::KeyError;
use pqseal_matched_data::{KeyName, KeyRing, Opened};

use crate::{
    Error, Kind,
    age::{self, AgeOpener},
    ai_gateway::{AiGatewayObject, RsaOpener},
    jwe::{self, JweOpener},
    other_key::{OtherKey, OtherPrivateKey},
    receipt::{Envelope, ReceiptOpener},
};

/// The keys of a ring and keys for one kind, ready to open sealed values of every kind except
/// matched data.
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
    receipts: ReceiptOpener,
    jwe: JweOpener,
    age: AgeOpener,
    rsa: RsaOpener,
    /// Those of the ring, and then those for one kind.
    names: Vec<KeyName>,
}

impl Keys {
    /// Takes the keys of a ring.
    ///
    /// # Errors
    /// The error of a public key that cannot be computed.
    pub fn new(ring: &KeyRing) -> Result<Self, pqseal_hpke::Error> {
        let mut keys = Self {
            names: ring.names().cloned().collect(),
            ..Self::default()
        };
        for (place, key) in ring.private_keys() {
            keys.receipts.add(place, key)?;
            keys.jwe.add(place, key);
            keys.age.add(place, key);
        }
        Ok(keys)
    }

    /// Adds a key for one kind at the end.
    ///
    /// # Errors
    /// [`KeyError::Text`] for an RSA key whose integers are inconsistent, or without the feature
    /// `aws-lc`.
    pub fn add(&mut self, key: &OtherKey) -> Result<(), KeyError> {
        let place = self.names.len();
        match &key.private {
            OtherPrivateKey::Rsa(key) => self.rsa.add(place, key)?,
            OtherPrivateKey::Age(key) => self.age.add(place, key),
        }
        self.names.push(key.name().clone());
        Ok(())
    }

    /// Lists the names of all keys: those of the ring, and then those that were added.
    pub fn names(&self) -> impl Iterator<Item = &KeyName> {
        self.names.iter()
    }

    /// Lists the names of the keys that are tried for a value of a kind.
    pub fn tried(&self, kind: Kind, text: &[u8]) -> Vec<KeyName> {
        let places: Vec<usize> = match kind {
            Kind::AiGateway => self.rsa.places().collect(),
            Kind::AgentReceipt => self.receipts.places().collect(),
            Kind::Jwe => self.jwe.places(text),
            Kind::Age => self.age.places().collect(),
            Kind::MatchedData => Vec::new(),
        };
        (places.into_iter())
            .map(|place| self.names[place].clone())
            .collect()
    }

    /// Opens the text of a value, which for a string is that between its quotes; `None` if it is
    /// not a sealed value of this kind, such as one in the clear. The index in the result is that
    /// of the key in [`Keys::names`].
    ///
    /// # Errors
    /// The reason why it does not open.
    pub fn open(&self, kind: Kind, text: &[u8]) -> Result<Option<Opened>, Error> {
        let (key, plaintext) = match kind {
            Kind::MatchedData => return Ok(None),
            Kind::AiGateway => {
                let Some(object) = AiGatewayObject::parse(text)? else {
                    return Ok(None);
                };
                self.rsa.open(object)?
            }
            Kind::AgentReceipt => {
                let Some(envelope) = Envelope::parse(text)? else {
                    return Ok(None);
                };
                self.receipts.open(&envelope)?
            }
            Kind::Jwe => match jwe::compact(text) {
                Some(text) => self.jwe.open(text)?,
                None if jwe::is_cut(text) => return Err(Error::JweParts),
                None => return Ok(None),
            },
            Kind::Age if age::is_armored(text) => self.age.open(text)?,
            Kind::Age => return Ok(None),
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
