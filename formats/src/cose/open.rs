//! Decryption (sections 3.2 and 3.3 of the draft).

use hpke::{Mode, Psk};
use zeroize::Zeroizing;

use super::{
    ContentAlgorithm, Structure, enc_structure, label,
    message::{Layer, Message},
    recipient_structure,
};
use crate::{Algorithm, Error, KeyManagement, PrivateKey, error::more_telling};

/// Opens messages: the algorithms that are allowed, and the keys.
///
/// What a message names is looked up among these only. So neither `alg`, `kid` nor `psk_id` of a
/// message can make it use a key in another way than its owner chose.
#[derive(Debug)]
pub struct Opener<'a> {
    allowed: &'a [Algorithm],
    content: &'a [ContentAlgorithm],
    keys: Vec<&'a PrivateKey>,
    psks: Vec<(&'a [u8], &'a [u8])>,
    require_psk: bool,
    info: &'a [u8],
    external_aad: &'a [u8],
    hpke_aad: &'a [u8],
}

/// A message that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The plaintext. Wiped on drop.
    pub plaintext: Zeroizing<Vec<u8>>,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Which recipient it was opened as, from 0.
    pub recipient: usize,
    /// Which key opened it, in the order in which they were given, from 0.
    pub key: usize,
    /// The id of the key, as the message gives it.
    pub kid: Option<Vec<u8>>,
    /// The id of the pre-shared key that authenticates the sender, if there is one.
    pub psk_id: Option<Vec<u8>>,
}

/// What a message says of a recipient. Nothing of it is authenticated before the message is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspected {
    /// The number of its algorithm.
    pub alg: Option<i64>,
    /// The id of its key.
    pub kid: Option<Vec<u8>>,
    /// The id of its pre-shared key.
    pub psk_id: Option<Vec<u8>>,
    /// The length of its encapsulated key, in bytes.
    pub ek_len: Option<usize>,
}

/// The structure of a message, the number of its content encryption algorithm (COSE_Encrypt only),
/// and what it says of its recipients, without a key.
///
/// # Errors
/// [`Error::Malformed`], [`Error::TooLong`].
pub fn inspect(message: &[u8]) -> Result<(Structure, Option<i64>, Vec<Inspected>), Error> {
    let message = Message::parse(message)?;
    let inspected = |layer: &Layer| {
        let bytes = |label| layer.bytes(label, "a header parameter is not a byte string");
        Ok(Inspected {
            alg: layer
                .protected
                .integer(label::ALG, "alg is not an integer")?,
            kid: bytes(label::KID)?.map(<[u8]>::to_vec),
            psk_id: bytes(label::PSK_ID)?.map(<[u8]>::to_vec),
            ek_len: bytes(label::EK)?.map(<[u8]>::len),
        })
    };
    let recipients: Result<_, Error> = match message.structure {
        Structure::Encrypt0 => inspected(&message.layer).map(|one| vec![one]),
        Structure::Encrypt => message.recipients.iter().map(inspected).collect(),
    };
    let content = match message.structure {
        Structure::Encrypt0 => None,
        Structure::Encrypt => message
            .layer
            .protected
            .integer(label::ALG, "alg is not an integer")?,
    };
    Ok((message.structure, content, recipients?))
}

/// A message, and one of its recipients as one of the keys may open it.
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
    /// Opens messages of these algorithms and no others.
    #[must_use]
    pub fn new(allowed: &'a [Algorithm]) -> Self {
        Self {
            allowed,
            content: &ContentAlgorithm::ALL,
            keys: Vec::new(),
            psks: Vec::new(),
            require_psk: false,
            info: b"",
            external_aad: b"",
            hpke_aad: b"",
        }
    }

    /// A private key to open with. Several may be given.
    #[must_use]
    pub fn key(mut self, key: &'a PrivateKey) -> Self {
        self.keys.push(key);
        self
    }

    /// A pre-shared key that messages may name. Several may be given.
    #[must_use]
    pub fn psk(mut self, psk_id: &'a [u8], psk: &'a [u8]) -> Self {
        self.psks.push((psk_id, psk));
        self
    }

    /// Refuses messages that were sealed without a pre-shared key.
    #[must_use]
    pub const fn require_psk(mut self) -> Self {
        self.require_psk = true;
        self
    }

    /// The information that [`Recipient::info`](super::Recipient::info) was given.
    #[must_use]
    pub const fn info(mut self, info: &'a [u8]) -> Self {
        self.info = info;
        self
    }

    /// The external_aad that [`Sealer::external_aad`](super::Sealer::external_aad) was given.
    #[must_use]
    pub const fn external_aad(mut self, aad: &'a [u8]) -> Self {
        self.external_aad = aad;
        self
    }

    /// The HPKE aad that [`Recipient::hpke_aad`](super::Recipient::hpke_aad) was given.
    #[must_use]
    pub const fn hpke_aad(mut self, aad: &'a [u8]) -> Self {
        self.hpke_aad = aad;
        self
    }

    /// The content encryption algorithms that are allowed; all three if this is not called.
    #[must_use]
    pub const fn content(mut self, allowed: &'a [ContentAlgorithm]) -> Self {
        self.content = allowed;
        self
    }

    /// Opens a message, tagged or not. Of several recipients the first that opens counts.
    ///
    /// # Errors
    /// Why it does not open: see [`Error`].
    pub fn open(&self, message: &[u8]) -> Result<Opened, Error> {
        let message = Message::parse(message)?;
        let ciphertext = message.layer.ciphertext.as_deref();
        let detached = "its ciphertext is sent separately, and was not given";
        self.open_any(&message, ciphertext.ok_or(Error::Malformed(detached))?)
    }

    /// Opens a message whose ciphertext is sent separately.
    ///
    /// # Errors
    /// As [`Opener::open`].
    pub fn open_detached(&self, message: &[u8], ciphertext: &[u8]) -> Result<Opened, Error> {
        let message = Message::parse(message)?;
        if message.layer.ciphertext.is_some() {
            return Err(Error::Malformed("it has a ciphertext of its own"));
        }
        self.open_any(&message, ciphertext)
    }

    fn open_any(&self, message: &Message, ciphertext: &[u8]) -> Result<Opened, Error> {
        let layers = match message.structure {
            Structure::Encrypt0 => std::slice::from_ref(&message.layer),
            Structure::Encrypt => message.recipients.as_slice(),
        };
        check_critical(&message.layer)?;
        let mut first_error = None;
        for (index, layer) in layers.iter().enumerate() {
            let opened = self
                .candidate(message, ciphertext, layer)
                .and_then(|candidate| self.open_candidate(&candidate, index));
            match opened {
                Ok(opened) => return Ok(opened),
                Err(error @ (Error::Malformed(_) | Error::Refused(_))) => return Err(error),
                Err(error) => first_error = Some(more_telling(first_error, error)),
            }
        }
        Err(first_error.unwrap_or(Error::NoKey))
    }

    /// The checks of a recipient that need no key.
    fn candidate<'m>(
        &self,
        message: &'m Message,
        ciphertext: &'m [u8],
        layer: &'m Layer,
    ) -> Result<Candidate<'m>, Error> {
        check_critical(layer)?;
        let id = layer.alg()?;
        let alg = self.allowed.iter().find(|alg| alg.cose() == id);
        let alg = *alg.ok_or_else(|| Error::algorithm_not_allowed(&id.to_string()))?;
        let fits = match alg.mode() {
            KeyManagement::Integrated => message.structure == Structure::Encrypt0,
            KeyManagement::KeyEncryption => message.structure == Structure::Encrypt,
        };
        if !fits {
            return Err(Error::Malformed(
                "the algorithm is for the other of COSE_Encrypt0 and COSE_Encrypt",
            ));
        }
        if layer.unprotected.get(label::PSK_ID).is_some() {
            return Err(Error::Malformed("psk_id is not in the protected header"));
        }
        let psk_id = layer
            .protected
            .bytes(label::PSK_ID, "psk_id is not a byte string")?;
        if psk_id.is_none() && self.require_psk {
            return Err(Error::PskRequired);
        }
        let ek = layer.bytes(label::EK, "ek is not a byte string")?;
        Ok(Candidate {
            message,
            ciphertext,
            layer,
            alg,
            ek: ek.ok_or(Error::Malformed("ek is missing"))?,
            psk_id,
            kid: layer.bytes(label::KID, "kid is not a byte string")?,
        })
    }

    fn open_candidate(&self, candidate: &Candidate<'_>, index: usize) -> Result<Opened, Error> {
        let mut error = Error::NoKey;
        for (number, key) in self.keys.iter().enumerate() {
            let result = match (key.may_be(candidate.kid), key.check(candidate.alg)) {
                (true, Ok(())) => self.open_with(candidate, key),
                (true, Err(error)) if key.key().kem().id == candidate.alg.suite_id().kem => {
                    Err(error)
                }
                _ => continue,
            };
            match result {
                Ok(plaintext) => {
                    return Ok(Opened {
                        plaintext: Zeroizing::new(plaintext),
                        algorithm: candidate.alg,
                        recipient: index,
                        key: number,
                        kid: candidate.kid.map(<[u8]>::to_vec),
                        psk_id: candidate.psk_id.map(<[u8]>::to_vec),
                    });
                }
                Err(why) => error = more_telling(Some(error), why),
            }
        }
        Err(error)
    }

    fn open_with(&self, candidate: &Candidate<'_>, key: &PrivateKey) -> Result<Vec<u8>, Error> {
        let message = candidate.message;
        let aad = enc_structure(
            message.structure.context(),
            &message.layer.raw,
            self.external_aad,
        );
        let suite = candidate.alg.suite()?;
        let mode = self.mode(candidate)?;
        if candidate.alg.mode() == KeyManagement::Integrated {
            let (enc, ct) = (candidate.ek, candidate.ciphertext);
            return Ok(suite.open(enc, key.key(), self.info, mode, &aad, ct)?);
        }
        let content = self.content_algorithm(message)?;
        let info = recipient_structure(content.id(), &candidate.layer.raw, self.info);
        let missing = Error::Malformed("a recipient has no encrypted key");
        let encrypted = candidate.layer.ciphertext.as_deref().ok_or(missing)?;
        let cek = suite.open(
            candidate.ek,
            key.key(),
            &info,
            mode,
            self.hpke_aad,
            encrypted,
        )?;
        let cek = Zeroizing::new(cek);
        let iv = message
            .layer
            .bytes(label::IV, "the IV is not a byte string")?;
        let iv = iv.ok_or(Error::Malformed("the IV is missing"))?;
        content.open(&cek, iv, &aad, candidate.ciphertext)
    }

    fn content_algorithm(&self, message: &Message) -> Result<ContentAlgorithm, Error> {
        let id = message.layer.alg()?;
        ContentAlgorithm::by_id(id)
            .filter(|content| self.content.contains(content))
            .ok_or_else(|| Error::content_not_allowed(&id.to_string()))
    }

    fn mode<K>(&self, candidate: &Candidate<'_>) -> Result<Mode<'a, K>, Error> {
        let Some(psk_id) = candidate.psk_id else {
            return Ok(Mode::Base);
        };
        let known = self.psks.iter().find(|(id, _)| *id == psk_id);
        let (id, psk) = *known.ok_or(Error::UnknownPsk)?;
        Ok(Mode::Psk(Psk::new(psk, id)?))
    }
}

fn check_critical(layer: &Layer) -> Result<(), Error> {
    let critical = [&layer.protected, &layer.unprotected];
    match critical
        .into_iter()
        .any(|header| header.get(label::CRIT).is_some())
    {
        true => Err(Error::Refused(
            "the message has critical header parameters (crit), none of which is supported",
        )),
        false => Ok(()),
    }
}
