//! Parsing and writing of COSE_Encrypt0 and COSE_Encrypt (RFC 9052, section 5).

use std::fmt;

use ciborium::Value;
use pqseal_keys::cbor::{ARRAY, BYTES, TAG, write_head};

use super::{
    cbor::{Budget, Members, ciphertext, encode, map},
    label,
};
use crate::Error;

/// The structure of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// COSE_Encrypt0, tag 16: one recipient.
    Encrypt0,
    /// COSE_Encrypt, tag 96: one recipient or several.
    Encrypt,
}

/// A decoded message.
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

/// The maximum number of recipients of a message.
pub(super) const MAX_RECIPIENTS: usize = 256;

impl Structure {
    const fn tag(self) -> usize {
        match self {
            Self::Encrypt0 => 16,
            Self::Encrypt => 96,
        }
    }

    /// Returns the number of entries of its array.
    const fn len(self) -> usize {
        match self {
            Self::Encrypt0 => 3,
            Self::Encrypt => 4,
        }
    }

    /// Returns its name in Enc_structure.
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
    /// Reads a message, tagged or not. A ciphertext in one piece is not copied: it is returned next
    /// to the message, in which it is then empty.
    pub(super) fn parse_apart(bytes: &[u8]) -> Result<(Self, Option<&[u8]>), Error> {
        let Some((whole, content)) = ciphertext(bytes) else {
            return Ok((Self::parse(bytes)?, None));
        };
        const EMPTY: &[u8] = &[0x40];
        let without = [&bytes[..whole.start], EMPTY, &bytes[whole.end..]].concat();
        Ok((Self::parse(&without)?, Some(&bytes[content])))
    }

    /// Reads a message, tagged or not.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let mut budget = Budget::new();
        let (tag, value) = match budget.decode(bytes)? {
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
            Some(recipients) => recipients_of(recipients, &mut budget)?,
        };
        Ok(Self {
            structure,
            layer: Layer::new(parts, &mut budget)?,
            recipients,
        })
    }

    /// Writes a message. `append` appends its ciphertext, of `len` bytes, so that it need not be
    /// copied.
    pub(super) fn write(
        self,
        len: usize,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<Vec<u8>, Error> {
        let (before, after) = self.around();
        let mut message = Vec::with_capacity(before.len() + MAX_HEAD + len + after.len());
        message.extend_from_slice(&before);
        write_head(BYTES, len, &mut message);
        append(&mut message)?;
        message.extend_from_slice(&after);
        Ok(message)
    }

    /// Writes a message whose ciphertext is sent separately.
    pub(super) fn write_detached(self) -> Vec<u8> {
        let (before, after) = self.around();
        [before, encode(&Value::Null), after].concat()
    }

    /// Encodes the parts before and after the ciphertext.
    fn around(self) -> (Vec<u8>, Vec<u8>) {
        let mut before = Vec::new();
        write_head(TAG, self.structure.tag(), &mut before);
        write_head(ARRAY, self.structure.len(), &mut before);
        before.extend(encode(&Value::Bytes(self.layer.raw)));
        before.extend(encode(&self.layer.unprotected.into_value()));
        let after = match self.structure {
            Structure::Encrypt0 => Vec::new(),
            Structure::Encrypt => {
                let recipients = self.recipients.into_iter();
                let recipients = recipients.map(|layer| Value::Array(layer.parts()));
                encode(&Value::Array(recipients.collect()))
            }
        };
        (before, after)
    }
}

/// The longest head of a data item, in bytes.
const MAX_HEAD: usize = 9;

impl Layer {
    /// Creates a layer to write, with an empty unprotected header.
    pub(super) fn of(protected: Vec<(i64, Value)>) -> Result<Self, Error> {
        let protected = map(protected);
        Ok(Self {
            raw: encode(&protected),
            protected: Members::new(protected)?,
            unprotected: Members::default(),
            ciphertext: None,
        })
    }

    /// Sets the only member of the unprotected header.
    pub(super) fn unprotect(&mut self, label: i64, value: Vec<u8>) -> Result<(), Error> {
        self.unprotected = Members::new(map(vec![(label, value.into())]))?;
        Ok(())
    }

    /// Reads an array of three: protected header, unprotected header, ciphertext.
    fn new(parts: Vec<Value>, budget: &mut Budget) -> Result<Self, Error> {
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
            false => Members::new(budget.decode(&raw)?)?,
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

    /// Returns the algorithm, which must be protected.
    pub(super) fn alg(&self) -> Result<i64, Error> {
        if self.unprotected.get(label::ALG).is_some() {
            return Err(Error::Malformed("alg is not in the protected header"));
        }
        let alg = self
            .protected
            .integer(label::ALG, "alg is not an integer")?;
        alg.ok_or(Error::Malformed("alg is missing"))
    }

    /// Returns the algorithm like [`Layer::alg`], for a recipient that may be of another kind, such
    /// as A128KW, whose `alg` is not protected (RFC 9053, section 6.2.1). The error is the name of
    /// the algorithm in messages.
    pub(super) fn recipient_alg(&self) -> Result<i64, String> {
        let [protected, unprotected] =
            [&self.protected, &self.unprotected].map(|header| header.get(label::ALG));
        let name = |alg: &Value| match alg {
            Value::Text(name) => name.clone(),
            Value::Integer(number) => i128::from(*number).to_string(),
            _ => "neither a number nor text".to_owned(),
        };
        match (protected, unprotected) {
            (Some(alg), _) => self.alg().map_err(|_| name(alg)),
            (None, Some(alg)) => Err(format!("{}, not protected", name(alg))),
            (None, None) => Err("none".to_owned()),
        }
    }

    /// Returns the result of `get` on the protected header, or else on the unprotected one.
    pub(super) fn any<'l, T>(&'l self, get: impl Fn(&'l Members) -> Option<T>) -> Option<T> {
        get(&self.protected).or_else(|| get(&self.unprotected))
    }

    /// Returns a byte string of either header.
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

fn recipients_of(value: Value, budget: &mut Budget) -> Result<Vec<Layer>, Error> {
    let Value::Array(recipients) = value else {
        return Err(Error::Malformed("the recipients are not an array"));
    };
    if recipients.is_empty() || recipients.len() > MAX_RECIPIENTS {
        return Err(Error::Malformed("it does not have 1 to 256 recipients"));
    }
    let layers = recipients.into_iter().map(|recipient| match recipient {
        Value::Array(mut parts) => {
            // A recipient of another algorithm may have nested recipients, which are not used.
            if parts.len() > 3 && !matches!(parts[3..], [Value::Array(_)]) {
                return Err(Error::Malformed(
                    "a recipient has something other than recipients after its three parts",
                ));
            }
            parts.truncate(3);
            Layer::new(parts, budget)
        }
        _ => Err(Error::Malformed("a recipient is not an array")),
    });
    layers.collect()
}
