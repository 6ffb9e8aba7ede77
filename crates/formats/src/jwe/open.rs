//! Message Decryption (section 7.2 of the draft).

use zeroize::Zeroizing;

use super::{
    Enc, EncodedContent, Header, Message, RecipientPart, Serialization, recipient_structure,
};
use crate::{Algorithm, Error, KeyManagement, Plaintext, PrivateKey, opener::first_recipient};

/// An opener of messages: the allowed algorithms, and the keys.
pub type Opener<'a> = crate::Opener<'a, Options<'a>>;

/// The options of JWE openers: see [`Opener::enc`].
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    enc: &'a [Enc],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { enc: &Enc::ALL }
    }
}

/// An opened message.
#[derive(Debug)]
pub struct Opened {
    /// The plaintext. Wiped on drop.
    pub plaintext: Plaintext,
    /// The JOSE header: the union of the headers that concern the recipient. Only the protected
    /// part is authenticated.
    pub header: Header,
    /// The JWE AAD, authenticated. Empty if the message has no AAD.
    pub aad: Vec<u8>,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The index of the recipient as which it was opened, from 0.
    pub recipient: usize,
    /// The index of the key that opened it, in the order in which keys were added, from 0.
    pub key: usize,
    /// The id of the pre-shared key that authenticates the sender, if there is one.
    pub psk_id: Option<Vec<u8>>,
}

/// The description of a recipient in a message. It is not authenticated before the message is
/// opened.
#[derive(Clone, Debug)]
pub struct RecipientHeader {
    /// The JOSE header of this recipient.
    pub header: Header,
    /// The length of its JWE Encrypted Key, in bytes.
    pub encrypted_key_len: usize,
}

/// Reads without a key the serialization of a message and the descriptions of its recipients.
///
/// # Errors
/// [`Error::Malformed`], [`Error::TooLong`].
pub fn inspect(jwe: &str) -> Result<(Serialization, Vec<RecipientHeader>), Error> {
    let (message, content) = Message::parse(jwe)?;
    // The same checks as in `Opener::open`.
    message.decoded_aad()?;
    content.decode()?;
    let recipients = message.jose_headers()?.into_iter().zip(&message.recipients);
    let recipients = recipients.map(|(header, part)| RecipientHeader {
        header,
        encrypted_key_len: part.encrypted_key.len(),
    });
    Ok((message.serialization, recipients.collect()))
}

/// A message, and one of its recipients, for which a key will be tried.
struct Candidate<'m> {
    message: &'m Message<'m>,
    content: &'m EncodedContent<'m>,
    header: &'m Header,
    part: &'m RecipientPart,
    alg: Algorithm,
    psk_id: Option<Vec<u8>>,
}

impl<'a> Opener<'a> {
    /// Sets the allowed content encryption algorithms; by default all three.
    #[must_use]
    pub const fn enc(mut self, allowed: &'a [Enc]) -> Self {
        self.options.enc = allowed;
        self
    }

    /// Opens a message in any serialization, as the first of its recipients for which that
    /// succeeds.
    ///
    /// # Errors
    /// The reason why it does not open: see [`Error`].
    pub fn open(&self, jwe: &str) -> Result<Opened, Error> {
        let (message, content) = Message::parse(jwe)?;
        let aad = message.decoded_aad()?;
        let headers = message.jose_headers()?;
        let (candidate, recipient, key, plaintext) =
            first_recipient(&message.recipients, |index, part| {
                let candidate = self.candidate(&message, &content, &headers[index], part)?;
                let kid = candidate.header.text("kid", "kid is not a string")?;
                let kid = kid.map(str::as_bytes);
                let (key, plaintext) =
                    self.first_key(candidate.alg, kid, |key| self.open_with(&candidate, key))?;
                Ok((candidate, index, key, plaintext))
            })?;
        Ok(Opened {
            plaintext: Plaintext::new(plaintext),
            header: candidate.header.clone(),
            aad,
            algorithm: candidate.alg,
            recipient,
            key,
            psk_id: candidate.psk_id,
        })
    }

    /// Makes the checks of a recipient that need no key.
    fn candidate<'m>(
        &self,
        message: &'m Message<'m>,
        content: &'m EncodedContent<'m>,
        header: &'m Header,
        part: &'m RecipientPart,
    ) -> Result<Candidate<'m>, Error> {
        if header.get("crit").is_some() {
            return Err(Error::Refused(
                "the message has critical header parameters (crit), none of which is supported",
            ));
        }
        if header.get("zip").is_some() {
            return Err(Error::Refused(
                "the message is compressed (zip), which is not supported since it reveals the length of what is in it",
            ));
        }
        let name = header
            .text("alg", "alg is not a string")?
            .ok_or(Error::Malformed("alg is missing"))?;
        let alg = self.allowed(|alg| alg.name() == name);
        let alg = alg.ok_or_else(|| Error::algorithm_not_allowed(name))?;
        if alg.mode() == KeyManagement::Integrated {
            message.check_integrated(content, header)?;
        }
        let psk_id = header.bytes("psk_id", "psk_id is not base64url")?;
        self.check_psk(psk_id.as_deref())?;
        Ok(Candidate {
            message,
            content,
            header,
            part,
            alg,
            psk_id,
        })
    }

    fn open_with(&self, candidate: &Candidate<'_>, key: &PrivateKey) -> Result<Vec<u8>, Error> {
        let Candidate {
            message, header, ..
        } = candidate;
        let psk_id = candidate.psk_id.as_deref();
        let encrypted_key = &candidate.part.encrypted_key;
        if candidate.alg.mode() == KeyManagement::Integrated {
            let suite = candidate.alg.suite()?;
            let mode = self.mode(psk_id)?;
            let mut context = suite.setup_r(encrypted_key, key.key(), self.info, mode)?;
            let mut ciphertext = candidate.content.decode()?.ciphertext;
            context.open_in_place(&message.authenticated(), &mut ciphertext)?;
            return Ok(ciphertext);
        }
        let name = header
            .text("enc", "enc is not a string")?
            .ok_or(Error::Malformed("enc is missing"))?;
        let enc = Enc::by_name(name)
            .filter(|enc| self.options.enc.contains(enc))
            .ok_or_else(|| Error::content_not_allowed(name))?;
        let ek = header.bytes("ek", "ek is not base64url")?;
        let suite = candidate.alg.suite()?;
        let ek = ek.ok_or(Error::Malformed("ek is missing"))?;
        let info = recipient_structure(enc, self.info);
        let mode = self.mode(psk_id)?;
        let cek = suite.open(&ek, key.key(), &info, mode, b"", encrypted_key)?;
        let cek = Zeroizing::new(cek);
        enc.open(&cek, &message.authenticated(), candidate.content.decode()?)
    }
}

impl Message<'_> {
    /// Returns the JOSE header of each recipient. All of them are checked before one is used, so
    /// that a message is valid for all recipients or for none. All have the same `enc` (RFC 7516,
    /// section 7.2.1).
    fn jose_headers(&self) -> Result<Vec<Header>, Error> {
        let headers = self
            .recipients
            .iter()
            .map(|part| Header::union([&self.header, &self.unprotected, &part.header]));
        let headers: Vec<_> = headers.collect::<Result<_, _>>()?;
        let mut encs = headers.iter().map(|header| header.get("enc"));
        let first = encs.next();
        match encs.all(|enc| Some(enc) == first) {
            true => Ok(headers),
            false => Err(Error::Malformed("enc is not the same for all recipients")),
        }
    }

    /// Checks the requirements of Integrated Encryption (section 5 of the draft).
    fn check_integrated(&self, content: &EncodedContent<'_>, header: &Header) -> Result<(), Error> {
        Err(Error::Malformed(match self.recipients.len() {
            2.. => "an algorithm with Integrated Encryption has exactly one recipient",
            _ if self.header.get("alg").is_none() => {
                "alg is not in the protected header, as Integrated Encryption needs it"
            }
            _ if header.get("psk_id").is_some() && self.header.get("psk_id").is_none() => {
                "psk_id is not in the protected header, as Integrated Encryption needs it"
            }
            _ if header.get("enc").is_some() => "Integrated Encryption has no enc",
            _ if header.get("ek").is_some() => "Integrated Encryption has no ek",
            _ if content.has_iv_or_tag() => {
                "Integrated Encryption has no initialization vector and no tag"
            }
            _ => return Ok(()),
        }))
    }
}
