//! COSE_Encrypt0 and COSE_Encrypt (RFC 9052, section 5): bytes to parts, and parts to bytes.

use std::fmt;

use ciborium::Value;

use super::{
    cbor::{Members, decode, encode},
    label,
};
use crate::Error;

/// Which structure a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// COSE_Encrypt0, tag 16: one recipient.
    Encrypt0,
    /// COSE_Encrypt, tag 96: one recipient or several.
    Encrypt,
}

/// A message, decoded.
pub(super) struct Message {
    pub(super) structure: Structure,
    pub(super) layer: Layer,
    pub(super) recipients: Vec<Layer>,
}

/// The headers and the ciphertext of a message or of a recipient.
pub(super) struct Layer {
    /// The protected header as it was sent, which is authenticated.
    pub(super) raw: Vec<u8>,
    pub(super) protected: Members,
    pub(super) unprotected: Members,
    /// `None` if it is sent separately.
    pub(super) ciphertext: Option<Vec<u8>>,
}

/// The most recipients of a message.
pub(super) const MAX_RECIPIENTS: usize = 256;

impl Structure {
    const fn tag(self) -> u64 {
        match self {
            Self::Encrypt0 => 16,
            Self::Encrypt => 96,
        }
    }

    /// What Enc_structure calls it.
    pub(super) const fn context(self) -> &'static str {
        match self {
            Self::Encrypt0 => "Encrypt0",
            Self::Encrypt => "Encrypt",
        }
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encrypt0 => "COSE_Encrypt0",
            Self::Encrypt => "COSE_Encrypt",
        })
    }
}

impl Message {
    /// Reads a message, tagged or not.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let (tag, value) = match decode(bytes)? {
            Value::Tag(tag, value) => (Some(tag), *value),
            value => (None, value),
        };
        let Value::Array(mut parts) = value else {
            return Err(Error::Malformed("it is not an array"));
        };
        let structure = match (tag, parts.len()) {
            (None | Some(16), 3) => Structure::Encrypt0,
            (None | Some(96), 4) => Structure::Encrypt,
            _ => {
                return Err(Error::Malformed(
                    "it is neither COSE_Encrypt0 nor COSE_Encrypt",
                ));
            }
        };
        let recipients = match parts.drain(3..).next() {
            None => Vec::new(),
            Some(recipients) => recipients_of(recipients)?,
        };
        Ok(Self {
            structure,
            layer: Layer::new(parts)?,
            recipients,
        })
    }

    pub(super) fn write(self) -> Vec<u8> {
        let mut parts = self.layer.parts();
        if self.structure == Structure::Encrypt {
            let recipients = self.recipients.into_iter();
            parts.push(Value::Array(
                recipients
                    .map(|layer| Value::Array(layer.parts()))
                    .collect(),
            ));
        }
        encode(&Value::Tag(
            self.structure.tag(),
            Value::Array(parts).into(),
        ))
    }
}

impl Layer {
    /// A layer to write.
    pub(super) fn of(
        protected: Vec<(i64, Value)>,
        unprotected: Vec<(i64, Value)>,
    ) -> Result<Self, Error> {
        let protected = super::cbor::map(protected);
        Ok(Self {
            raw: encode(&protected),
            protected: Members::new(protected)?,
            unprotected: Members::new(super::cbor::map(unprotected))?,
            ciphertext: None,
        })
    }

    /// Of an array of three: protected header, unprotected header, ciphertext.
    fn new(parts: Vec<Value>) -> Result<Self, Error> {
        let Ok([protected, unprotected, ciphertext]) = <[Value; 3]>::try_from(parts) else {
            return Err(Error::Malformed("a layer does not have three parts"));
        };
        let Value::Bytes(raw) = protected else {
            return Err(Error::Malformed("a protected header is not a byte string"));
        };
        let ciphertext = match ciphertext {
            Value::Bytes(bytes) => Some(bytes),
            Value::Null => None,
            _ => return Err(Error::Malformed("a ciphertext is not a byte string")),
        };
        let protected = match raw.is_empty() {
            true => Members::default(),
            false => Members::new(decode(&raw)?)?,
        };
        let unprotected = Members::new(unprotected)?;
        if protected.shares_a_label_with(&unprotected) {
            return Err(Error::Malformed(
                "a label is in the protected and the unprotected header",
            ));
        }
        Ok(Self {
            raw,
            protected,
            unprotected,
            ciphertext,
        })
    }

    /// The algorithm, which has to be protected.
    pub(super) fn alg(&self) -> Result<i64, Error> {
        if self.unprotected.get(label::ALG).is_some() {
            return Err(Error::Malformed("alg is not in the protected header"));
        }
        let alg = self
            .protected
            .integer(label::ALG, "alg is not an integer")?;
        alg.ok_or(Error::Malformed("alg is missing"))
    }

    /// A byte string of either header.
    pub(super) fn bytes(&self, label: i64, wrong: &'static str) -> Result<Option<&[u8]>, Error> {
        match self.protected.bytes(label, wrong)? {
            Some(bytes) => Ok(Some(bytes)),
            None => self.unprotected.bytes(label, wrong),
        }
    }

    fn parts(self) -> Vec<Value> {
        vec![
            self.raw.into(),
            self.unprotected.into_value(),
            self.ciphertext.map_or(Value::Null, Value::Bytes),
        ]
    }
}

fn recipients_of(value: Value) -> Result<Vec<Layer>, Error> {
    let Value::Array(recipients) = value else {
        return Err(Error::Malformed("the recipients are not an array"));
    };
    if recipients.is_empty() || recipients.len() > MAX_RECIPIENTS {
        return Err(Error::Malformed("it does not have 1 to 256 recipients"));
    }
    let layers = recipients.into_iter().map(|recipient| match recipient {
        Value::Array(mut parts) => {
            // A recipient of another algorithm may have recipients of its own, which are not used.
            parts.truncate(3);
            Layer::new(parts)
        }
        _ => Err(Error::Malformed("a recipient is not an array")),
    });
    layers.collect()
}
