//! Decryption (sections 3.2 and 3.3 of the draft).

use zeroize::Zeroizing;

use super::{
    ALG, CRIT, ContentAlgorithm, EK, IV, KID, Layer, Message, PSK_ID, Structure, enc_structure,
    recipient_structure,
};
use crate::{Algorithm, Error, KeyManagement, Plaintext, PrivateKey, opener::first_recipient};

/// An opener of messages: the allowed algorithms, and the keys.
pub type Opener<'a> = crate::Opener<'a, Options<'a>>;

/// The options of COSE openers: see [`Opener::content`], [`Opener::external_aad`] and
/// [`Opener::hpke_aad`].
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    content: &'a [ContentAlgorithm],
    external_aad: &'a [u8],
    hpke_aad: &'a [u8],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            content: &ContentAlgorithm::ALL,
            external_aad: b"",
            hpke_aad: b"",
        }
    }
}

/// An opened message.
#[derive(Debug)]
pub struct Opened {
    /// The plaintext. Wiped on drop.
    pub plaintext: Plaintext,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The index of the recipient as which it was opened, from 0.
    pub recipient: usize,
    /// The index of the key that opened it, in the order in which keys were added, from 0.
    pub key: usize,
    /// The id of the key, as in the message.
    pub kid: Option<Vec<u8>>,
    /// The id of the pre-shared key that authenticates the sender, if there is one.
    pub psk_id: Option<Vec<u8>>,
}

/// The description of a recipient in a message. It is not authenticated before the message is
/// opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspected {
    /// The number of its algorithm, protected or not; `None` also if it is a text.
    pub alg: Option<i64>,
    /// The id of its key. This and the following are `None` also if not a byte string.
    pub kid: Option<Vec<u8>>,
    /// The id of its pre-shared key.
    pub psk_id: Option<Vec<u8>>,
    /// The length of its encapsulated key, in bytes.
    pub ek_len: Option<usize>,
}

/// Reads without a key the structure of a message, the number of its content encryption algorithm
/// (COSE_Encrypt only), and the descriptions of its recipients.
///
/// # Errors
/// [`Error::Malformed`], [`Error::TooLong`].
pub fn inspect(message: &[u8]) -> Result<(Structure, Option<i64>, Vec<Inspected>), Error> {
    let message = Message::parse(message)?;
    let recipients = match message.structure {
        Structure::Encrypt0 => vec![Inspected::of(&message.layer)],
        Structure::Encrypt => message.recipients.iter().map(Inspected::of).collect(),
    };
    let content = match message.structure {
        Structure::Encrypt0 => None,
        Structure::Encrypt => message
            .layer
            .protected
            .integer(ALG, "alg is not an integer")?,
    };
    Ok((message.structure, content, recipients))
}

impl Inspected {
    /// Reads a recipient. Parameters of other types are ignored, since it may be of another kind.
    fn of(layer: &Layer) -> Self {
        let [kid, psk_id, ek] =
            [KID, PSK_ID, EK].map(|label| layer.any(|header| header.bytes(label, "").ok()?));
        Self {
            alg: layer.any(|header| header.integer(ALG, "").ok()?),
            kid: kid.map(<[u8]>::to_vec),
            psk_id: psk_id.map(<[u8]>::to_vec),
            ek_len: ek.map(<[u8]>::len),
        }
    }
}

/// A message, and one of its recipients, for which a key will be tried.
struct Candidate<'m> {
    message: &'m Message,
    ciphertext: &'m [u8],
    layer: &'m Layer,
    alg: Algorithm,
    ek: &'m [u8],
    psk_id: Option<&'m [u8]>,
    kid: Option<&'m [u8]>,
}

impl<'a> Opener<'a> {
    /// Sets the external_aad that [`Sealer::external_aad`](super::Sealer::external_aad) was given.
    #[must_use]
    pub const fn external_aad(mut self, aad: &'a [u8]) -> Self {
        self.options.external_aad = aad;
        self
    }

    /// Sets the HPKE aad that [`Recipient::hpke_aad`](super::Recipient::hpke_aad) was given.
    #[must_use]
    pub const fn hpke_aad(mut self, aad: &'a [u8]) -> Self {
        self.options.hpke_aad = aad;
        self
    }

    /// Sets the allowed content encryption algorithms; by default all three.
    #[must_use]
    pub const fn content(mut self, allowed: &'a [ContentAlgorithm]) -> Self {
        self.options.content = allowed;
        self
    }

    /// Opens a message, tagged or not, as the first of its recipients for which that succeeds.
    ///
    /// # Errors
    /// The reason why it does not open: see [`Error`].
    pub fn open(&self, message: &[u8]) -> Result<Opened, Error> {
        let (message, apart) = Message::parse_apart(message)?;
        let ciphertext = apart.or(message.layer.ciphertext.as_deref());
        let detached = "its ciphertext is sent separately, and was not given";
        self.open_any(&message, ciphertext.ok_or(Error::Malformed(detached))?)
    }

    /// Opens a message whose ciphertext is sent separately.
    ///
    /// # Errors
    /// Same as [`Opener::open`].
    pub fn open_detached(&self, message: &[u8], ciphertext: &[u8]) -> Result<Opened, Error> {
        let message = Message::parse(message)?;
        if message.layer.ciphertext.is_some() {
            return Err(Error::Malformed(
                "it contains its ciphertext, so none can be given separately",
            ));
        }
        self.open_any(&message, ciphertext)
    }

    fn open_any(&self, message: &Message, ciphertext: &[u8]) -> Result<Opened, Error> {
        let layers = match message.structure {
            Structure::Encrypt0 => std::slice::from_ref(&message.layer),
            Structure::Encrypt => message.recipients.as_slice(),
        };
        check_critical(&message.layer)?;
        first_recipient(layers, |index, layer| {
            let candidate = self.candidate(message, ciphertext, layer)?;
            let (key, plaintext) = self.first_key(candidate.alg, candidate.kid, |key| {
                self.open_with(&candidate, key)
            })?;
            Ok(Opened {
                plaintext: Plaintext::new(plaintext),
                algorithm: candidate.alg,
                recipient: index,
                key,
                kid: candidate.kid.map(<[u8]>::to_vec),
                psk_id: candidate.psk_id.map(<[u8]>::to_vec),
            })
        })
    }

    /// Makes the checks of a recipient that need no key.
    fn candidate<'m>(
        &self,
        message: &'m Message,
        ciphertext: &'m [u8],
        layer: &'m Layer,
    ) -> Result<Candidate<'m>, Error> {
        let id = match message.structure {
            Structure::Encrypt0 => layer.alg()?,
            Structure::Encrypt => layer
                .recipient_alg()
                .map_err(|name| Error::algorithm_not_allowed(&name))?,
        };
        let alg = self.allowed(|alg| alg.cose() == id);
        let alg = alg.ok_or_else(|| Error::algorithm_not_allowed(&id.to_string()))?;
        check_critical(layer)?;
        let fits = match alg.mode() {
            KeyManagement::Integrated => message.structure == Structure::Encrypt0,
            KeyManagement::KeyEncryption => message.structure == Structure::Encrypt,
        };
        if !fits {
            return Err(Error::Malformed(
                "the algorithm is for the other of COSE_Encrypt0 and COSE_Encrypt",
            ));
        }
        if layer.unprotected.get(PSK_ID).is_some() {
            return Err(Error::Malformed("psk_id is not in the protected header"));
        }
        let psk_id = layer
            .protected
            .bytes(PSK_ID, "psk_id is not a byte string")?;
        self.check_psk(psk_id)?;
        if layer.protected.get(EK).is_some() {
            return Err(Error::Malformed("ek is in the protected header"));
        }
        let ek = layer.unprotected.bytes(EK, "ek is not a byte string")?;
        Ok(Candidate {
            message,
            ciphertext,
            layer,
            alg,
            ek: ek.ok_or(Error::Malformed("ek is missing"))?,
            psk_id,
            kid: layer.bytes(KID, "kid is not a byte string")?,
        })
    }

    fn open_with(&self, candidate: &Candidate<'_>, key: &PrivateKey) -> Result<Vec<u8>, Error> {
        let message = candidate.message;
        let aad = enc_structure(
            message.structure.context(),
            &message.layer.raw,
            self.options.external_aad,
        );
        let suite = candidate.alg.suite()?;
        let mode = self.mode(candidate.psk_id)?;
        if candidate.alg.mode() == KeyManagement::Integrated {
            let (enc, ct) = (candidate.ek, candidate.ciphertext);
            return Ok(suite.open(enc, key.key(), self.info, mode, &aad, ct)?);
        }
        let id = message.layer.alg()?;
        let content = ContentAlgorithm::by_id(id)
            .filter(|content| self.options.content.contains(content))
            .ok_or_else(|| Error::content_not_allowed(&id.to_string()))?;
        let info = recipient_structure(content.id(), &candidate.layer.raw, self.info);
        let missing = Error::Malformed("a recipient has no encrypted key");
        let encrypted = candidate.layer.ciphertext.as_deref().ok_or(missing)?;
        let cek = suite.open(
            candidate.ek,
            key.key(),
            &info,
            mode,
            self.options.hpke_aad,
            encrypted,
        )?;
        let cek = Zeroizing::new(cek);
        let iv = message.layer.bytes(IV, "the IV is not a byte string")?;
        let iv = iv.ok_or(Error::Malformed("the IV is missing"))?;
        content.open(&cek, iv, &aad, candidate.ciphertext)
    }
}

fn check_critical(layer: &Layer) -> Result<(), Error> {
    match layer.any(|header| header.get(CRIT)) {
        Some(_) => Err(Error::Refused(
            "the message has critical header parameters (crit), none of which is supported",
        )),
        None => Ok(()),
    }
}
