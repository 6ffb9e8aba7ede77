//! COSE (RFC 9052) with HPKE: draft-ietf-cose-hpke-27, and the post-quantum algorithms of
//! draft-ietf-jose-hpke-pq-pqt-01.
//!
//! | | Integrated Encryption (`HPKE-n`) | Key Encryption (`HPKE-n-KE`) |
//! |---|---|---|
//! | message | COSE_Encrypt0 | COSE_Encrypt, a recipient structure for each recipient |
//! | HPKE encrypts | the plaintext | a content encryption key (CEK) |
//! | content encryption | none | AES-128-GCM, AES-256-GCM, ChaCha20-Poly1305 |
//! | encapsulated key | the header parameter `ek` | `ek` of the recipient |
//! | HPKE info | [`Recipient::info`], by default empty | Recipient_structure with [`Recipient::info`] in it |
//! | HPKE aad | Enc_structure | [`Recipient::hpke_aad`], by default empty |
//!
//! The numbers of algorithms and header parameters are those that the drafts assume: `ek` is -4,
//! `psk_id` is -5, for algorithms see [`Algorithm::cose`](crate::Algorithm::cose).
//!
//! ```
//! use getrandom::SysRng;
//! use pqseal_formats::{PrivateKey, algorithm, cose::{Opener, Recipient, Sealer}};
//!
//! let alg = algorithm("HPKE-9-KE").expect("an algorithm of the table");
//! let (private, _) = alg.suite()?.generate_key_pair(&mut SysRng)?;
//! let private = PrivateKey::new(private).with_kid("2026-11");
//!
//! let public = private.public_key()?;
//! let message = Sealer::new(Recipient::new(alg, &public)?).seal(b"firmware", &mut SysRng)?;
//!
//! let opened = Opener::new(&[alg]).key(&private).open(&message)?;
//! assert_eq!(*opened.plaintext, b"firmware");
//! # Ok::<(), pqseal_formats::Error>(())
//! ```

mod cbor;
mod content;
mod open;
mod seal;

use std::fmt;

use ciborium::Value;
use pqseal_keys::cbor::{ARRAY, BYTES, TAG, write_head};

use crate::Error;
use cbor::{HeaderMap, ciphertext, decode, encode, map};
pub use cbor::{MAX_ITEMS, MAX_LABELS, detect};
pub use content::ContentAlgorithm;
pub use open::{Inspected, Opened, Opener, Options, inspect};
pub use seal::{Recipient, Sealer};

// Labels of header parameters (RFC 9052, table 3, and the draft).
const ALG: i64 = 1;
const CRIT: i64 = 2;
const KID: i64 = 4;
const IV: i64 = 5;
const EK: i64 = -4;
const PSK_ID: i64 = -5;

/// The structure of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// COSE_Encrypt0, tag 16: one recipient.
    Encrypt0,
    /// COSE_Encrypt, tag 96: one recipient or several.
    Encrypt,
}

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
    const fn context(self) -> &'static str {
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

/// The maximum number of recipients of a message.
const MAX_RECIPIENTS: usize = 256;

/// A decoded message.
struct Message {
    structure: Structure,
    layer: Layer,
    recipients: Vec<Layer>,
}

impl Message {
    /// Reads a message, tagged or not. A ciphertext in one piece is not copied: it is returned next
    /// to the message, in which it is then empty.
    fn parse_apart(bytes: &[u8]) -> Result<(Self, Option<&[u8]>), Error> {
        let Some((whole, content)) = ciphertext(bytes) else {
            return Ok((Self::parse(bytes)?, None));
        };
        const EMPTY: &[u8] = &[0x40];
        let without = [&bytes[..whole.start], EMPTY, &bytes[whole.end..]].concat();
        Ok((Self::parse(&without)?, Some(&bytes[content])))
    }

    /// Reads a message, tagged or not.
    fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let mut items = MAX_ITEMS;
        let (tag, value) = match decode(bytes, &mut items)? {
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
            Some(Value::Array(all)) if (1..=MAX_RECIPIENTS).contains(&all.len()) => {
                let layers = all.into_iter().map(|one| Layer::recipient(one, &mut items));
                layers.collect::<Result<_, _>>()?
            }
            Some(Value::Array(_)) => {
                return Err(Error::Malformed("it does not have 1 to 256 recipients"));
            }
            Some(_) => return Err(Error::Malformed("the recipients are not an array")),
        };
        Ok(Self {
            structure,
            layer: Layer::new(parts, &mut items)?,
            recipients,
        })
    }

    /// Writes a message. `append` appends its ciphertext, of `len` bytes, so that it need not be
    /// copied.
    fn write(
        self,
        len: usize,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<Vec<u8>, Error> {
        /// The longest head of a data item, in bytes.
        const MAX_HEAD: usize = 9;
        let (before, after) = self.around();
        let mut message = Vec::with_capacity(before.len() + MAX_HEAD + len + after.len());
        message.extend_from_slice(&before);
        write_head(BYTES, len, &mut message);
        append(&mut message)?;
        message.extend_from_slice(&after);
        Ok(message)
    }

    /// Writes a message whose ciphertext is sent separately.
    fn write_detached(self) -> Vec<u8> {
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

/// The headers and the ciphertext of a message or of a recipient.
struct Layer {
    /// The protected header as it was sent, which is authenticated.
    raw: Vec<u8>,
    protected: HeaderMap,
    unprotected: HeaderMap,
    /// `None` if it is sent separately.
    ciphertext: Option<Vec<u8>>,
}

impl Layer {
    /// Creates a layer to write, with an empty unprotected header.
    fn of(protected: Vec<(i64, Value)>) -> Result<Self, Error> {
        let protected = map(protected);
        Ok(Self {
            raw: encode(&protected),
            protected: HeaderMap::new(protected)?,
            unprotected: HeaderMap::default(),
            ciphertext: None,
        })
    }

    /// Sets the only member of the unprotected header.
    fn unprotect(&mut self, label: i64, value: Vec<u8>) -> Result<(), Error> {
        self.unprotected = HeaderMap::new(map(vec![(label, value.into())]))?;
        Ok(())
    }

    /// Reads an array of three: protected header, unprotected header, ciphertext.
    fn new(parts: Vec<Value>, items: &mut usize) -> Result<Self, Error> {
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
            true => HeaderMap::default(),
            false => HeaderMap::new(decode(&raw, items)?)?,
        };
        let unprotected = HeaderMap::new(unprotected)?;
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

    /// Reads a recipient structure.
    fn recipient(value: Value, items: &mut usize) -> Result<Self, Error> {
        let Value::Array(mut parts) = value else {
            return Err(Error::Malformed("a recipient is not an array"));
        };
        // A recipient of another algorithm may have nested recipients, which are not used.
        if parts.len() > 3 && !matches!(parts[3..], [Value::Array(_)]) {
            return Err(Error::Malformed(
                "a recipient has something other than recipients after its three parts",
            ));
        }
        parts.truncate(3);
        Self::new(parts, items)
    }

    /// Returns the algorithm, which must be protected.
    fn alg(&self) -> Result<i64, Error> {
        if self.unprotected.get(ALG).is_some() {
            return Err(Error::Malformed("alg is not in the protected header"));
        }
        let alg = self.protected.integer(ALG, "alg is not an integer")?;
        alg.ok_or(Error::Malformed("alg is missing"))
    }

    /// Returns the algorithm like [`Layer::alg`], for a recipient that may be of another kind, such
    /// as A128KW, whose `alg` is not protected (RFC 9053, section 6.2.1). The error is the name of
    /// the algorithm in messages.
    fn recipient_alg(&self) -> Result<i64, String> {
        let [protected, unprotected] =
            [&self.protected, &self.unprotected].map(|header| header.get(ALG));
        let name = match protected.or(unprotected) {
            Some(Value::Text(name)) => name.clone(),
            Some(Value::Integer(number)) => i128::from(*number).to_string(),
            Some(_) => "neither a number nor text".to_owned(),
            None => "none".to_owned(),
        };
        match (protected, unprotected) {
            (Some(_), _) => self.alg().map_err(|_| name),
            (None, Some(_)) => Err(format!("{name}, not protected")),
            (None, None) => Err(name),
        }
    }

    /// Returns the result of `get` on the protected header, or else on the unprotected one.
    fn any<'l, T>(&'l self, get: impl Fn(&'l HeaderMap) -> Option<T>) -> Option<T> {
        get(&self.protected).or_else(|| get(&self.unprotected))
    }

    /// Returns a byte string of either header.
    fn bytes(&self, label: i64, wrong: &'static str) -> Result<Option<&[u8]>, Error> {
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

/// Encodes the authenticated data of a layer (RFC 9052, section 5.3).
fn enc_structure(context: &str, protected: &[u8], external_aad: &[u8]) -> Vec<u8> {
    encode(&Value::Array(vec![
        context.into(),
        protected.into(),
        external_aad.into(),
    ]))
}

/// Encodes the info of Key Encryption (section 3.3.1 of the draft), in deterministic CBOR.
fn recipient_structure(next_layer_alg: i64, protected: &[u8], extra: &[u8]) -> Vec<u8> {
    encode(&Value::Array(vec![
        "HPKE Recipient".into(),
        next_layer_alg.into(),
        protected.into(),
        extra.into(),
    ]))
}
