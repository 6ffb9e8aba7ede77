//! Message Encryption (section 7.1 of the draft).

use std::borrow::Cow;

use data_encoding::BASE64URL_NOPAD;
use pqseal_hpke::{Mode, Psk, Secret, Suite, rand_core::TryCryptoRng};
use serde_json::Value;

use super::{
    Content, Enc, Header, MAX_RECIPIENTS, Message, RecipientPart, Serialization, authenticated,
    recipient_structure,
};
use crate::{Algorithm, Error, KeyManagement, PublicKey};

/// A recipient of a message.
#[derive(Clone, Debug)]
pub struct Recipient<'a> {
    alg: Algorithm,
    suite: Suite,
    key: &'a PublicKey,
    kid: Option<String>,
    psk: Option<(&'a [u8], Psk<'a>)>,
    info: &'a [u8],
}

impl<'a> Recipient<'a> {
    /// Addresses a message to the holder of a key. The message names the key's `kid`, if it has
    /// one.
    ///
    /// # Errors
    /// [`Error::KeyAlgorithm`] if the key is for another algorithm or KEM,
    /// [`Error::AlgorithmUnavailable`], [`Error::Usage`] if the `kid` is not UTF-8.
    pub fn new(alg: Algorithm, key: &'a PublicKey) -> Result<Self, Error> {
        key.check(alg)?;
        let kid = key.kid().map(|kid| String::from_utf8(kid.to_vec()));
        Ok(Self {
            alg,
            suite: alg.suite()?,
            key,
            kid: kid
                .transpose()
                .map_err(|_| Error::Usage("a kid of JOSE is UTF-8 text"))?,
            psk: None,
            info: b"",
        })
    }

    /// Authenticates the sender by a pre-shared key of at least 32 bytes (mode_psk). The message
    /// names `psk_id`.
    ///
    /// # Errors
    /// [`Error::Hpke`] if it is shorter, or the id is empty.
    pub fn psk(mut self, psk_id: &'a [u8], psk: &'a [u8]) -> Result<Self, Error> {
        self.psk = Some((psk_id, Psk::new(psk, psk_id)?));
        Ok(self)
    }

    /// Sets information that both sides know and that is not sent: HPKE's info with Integrated
    /// Encryption, `recipient_extra_info` with Key Encryption.
    #[must_use]
    pub const fn info(mut self, info: &'a [u8]) -> Self {
        self.info = info;
        self
    }

    fn mode<K>(&self) -> Mode<'a, K> {
        self.psk.map_or(Mode::Base, |(_, psk)| Mode::Psk(psk))
    }

    /// Adds `alg`, `kid` and `psk_id` to a header.
    fn describe(&self, header: &mut Header) {
        header.set("alg", self.alg.name());
        if let Some(kid) = &self.kid {
            header.set("kid", kid.as_str());
        }
        if let Some((psk_id, _)) = self.psk {
            header.set("psk_id", BASE64URL_NOPAD.encode(psk_id));
        }
    }

    /// Encrypts the CEK.
    fn part<R: TryCryptoRng + ?Sized>(
        &self,
        enc: Enc,
        cek: &Secret,
        rng: &mut R,
    ) -> Result<RecipientPart, Error> {
        let (ek, encrypted_key) = self.suite.seal(
            self.key.key(),
            &recipient_structure(enc, self.info),
            self.mode(),
            b"",
            cek.as_ref(),
            rng,
        )?;
        let mut header = Header::default();
        self.describe(&mut header);
        header.set("ek", BASE64URL_NOPAD.encode(&ek));
        Ok(RecipientPart {
            header,
            encrypted_key,
        })
    }
}

/// The recipients of a message, and its headers.
pub struct Sealer<'a> {
    recipients: Vec<Recipient<'a>>,
    others: Vec<OtherRecipient<'a>>,
    /// The content encryption. `None` is A256GCM, if the algorithm needs one.
    enc: Option<Enc>,
    aad: &'a [u8],
    protected: Header,
}

/// A recipient for whom another library encrypts the CEK.
struct OtherRecipient<'a> {
    header: Header,
    post_quantum: bool,
    encrypt: Box<Encrypt<'a>>,
}

/// A function that encrypts the CEK to a JWE Encrypted Key.
type Encrypt<'a> = dyn Fn(&[u8]) -> Result<Vec<u8>, Error> + 'a;

/// The header parameters that a sealer writes or refuses.
const RESERVED: &[&str] = &[
    "alg", "enc", "kid", "ek", "psk_id", "zip", "crit", "epk", "apu", "apv", "p2s", "p2c", "iv",
    "tag",
];

impl<'a> Sealer<'a> {
    /// Creates a message for one recipient. Its content encryption is A256GCM, if its algorithm
    /// needs one.
    #[must_use]
    pub fn new(recipient: Recipient<'a>) -> Self {
        Self {
            recipients: vec![recipient],
            others: Vec::new(),
            enc: None,
            aad: b"",
            protected: Header::default(),
        }
    }

    /// Adds a recipient. With several, all need Key Encryption.
    #[must_use]
    pub fn and(mut self, recipient: Recipient<'a>) -> Self {
        self.recipients.push(recipient);
        self
    }

    /// Adds a recipient of an algorithm other than HPKE's, such as RSA-OAEP-256. `header` contains
    /// its `alg` and everything else that the algorithm needs, and nothing that is in the protected
    /// header, such as `enc`. `encrypt` returns the JWE Encrypted Key of the CEK that it is called
    /// with. `post_quantum` is true if the algorithm is designed to withstand a quantum computer:
    /// such recipients are not mixed with others.
    #[must_use]
    pub fn and_other(
        mut self,
        header: Header,
        post_quantum: bool,
        encrypt: impl Fn(&[u8]) -> Result<Vec<u8>, Error> + 'a,
    ) -> Self {
        self.others.push(OtherRecipient {
            header,
            post_quantum,
            encrypt: Box::new(encrypt),
        });
        self
    }

    /// Sets the content encryption of Key Encryption. With it, sealing with Integrated Encryption
    /// is an error.
    #[must_use]
    pub const fn enc(mut self, enc: Enc) -> Self {
        self.enc = Some(enc);
        self
    }

    /// Sets the JWE AAD, which is authenticated but not encrypted. The Compact Serialization does
    /// not support it.
    #[must_use]
    pub const fn aad(mut self, aad: &'a [u8]) -> Self {
        self.aad = aad;
        self
    }

    /// Adds a member of the protected header, such as `typ` or `cty`.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is already present, or is one that sealing sets.
    pub fn protected(mut self, name: &str, value: impl Into<Value>) -> Result<Self, Error> {
        if RESERVED.contains(&name) || self.protected.get(name).is_some() {
            return Err(Error::Usage(
                "this header parameter is set by sealing, or is given twice",
            ));
        }
        self.protected.set(name, value);
        Ok(self)
    }

    /// Returns the shortest serialization that holds the message: compact, flattened if it has an
    /// `aad`, general for several recipients.
    #[must_use]
    pub const fn serialization(&self) -> Serialization {
        match self.recipients.len() + self.others.len() {
            2.. => Serialization::General,
            _ if self.aad.is_empty() => Serialization::Compact,
            _ => Serialization::Flattened,
        }
    }

    /// Encrypts the message. Every call draws new keys.
    ///
    /// # Errors
    /// [`Error::Usage`] if the serialization cannot hold the message, if there are several
    /// recipients and one has Integrated Encryption, if content encryption is set with it, if only
    /// some recipients are post-quantum, and if the header of [`Sealer::and_other`] makes the
    /// message invalid; [`Error::TooLong`] for headers with too many members; [`Error::Hpke`].
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        serialization: Serialization,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<String, Error> {
        self.check(serialization)?;
        self.check_others()?;
        let message = match self.recipients.as_slice() {
            [one] if one.alg.mode() == KeyManagement::Integrated => {
                self.integrated(one, serialization, plaintext, rng)
            }
            _ => self.key_encryption(serialization, plaintext, rng),
        };
        let (message, content) = message?;
        message.write(&content)
    }

    fn check(&self, serialization: Serialization) -> Result<(), Error> {
        let count = self.recipients.len() + self.others.len();
        let own = self.recipients.iter().map(|one| one.alg.is_post_quantum());
        let all = own.chain(self.others.iter().map(|other| other.post_quantum));
        let post_quantum = all.filter(|post_quantum| *post_quantum).count();
        let mut own = self.recipients.iter();
        let integrated = own.any(|one| one.alg.mode() == KeyManagement::Integrated);
        Err(Error::Usage(match serialization {
            _ if count > MAX_RECIPIENTS => "a message has at most 256 recipients",
            _ if count > 1 && integrated => {
                "Integrated Encryption has exactly one recipient; use the -KE algorithms for several"
            }
            _ if self.enc.is_some() && integrated => {
                "Integrated Encryption has no content encryption; leave it out, or use a -KE algorithm"
            }
            _ if post_quantum != 0 && post_quantum != count => {
                "a post-quantum recipient is not protected if another recipient is not post-quantum"
            }
            Serialization::Compact if !self.aad.is_empty() => {
                "the Compact Serialization has no aad; use the flattened one"
            }
            Serialization::Compact | Serialization::Flattened if count > 1 => {
                "only the General Serialization has several recipients"
            }
            _ => return Ok(()),
        }))
    }

    /// Checks that the headers of other algorithms leave the message valid: each has an `alg`, and
    /// none has a parameter that is in the protected header or must be there (RFC 7516, sections 4
    /// and 7.2.1).
    fn check_others(&self) -> Result<(), Error> {
        let mut protected = self.protected.clone();
        for name in ["enc", "zip", "crit"] {
            protected.set(name, Value::Null);
        }
        for OtherRecipient { header, .. } in &self.others {
            if !matches!(header.get("alg"), Some(Value::String(_))) {
                return Err(Error::Usage("the header of another algorithm has no alg"));
            }
            Header::union([&protected, header]).map_err(|error| match error {
                Error::Malformed(_) => Error::Usage(
                    "the header of another algorithm has a parameter of the protected header, or enc, zip or crit",
                ),
                error => error,
            })?;
        }
        Ok(())
    }

    /// Seals with Integrated Encryption (section 5 of the draft): HPKE encrypts the plaintext, and
    /// no header has `enc` or `ek`.
    fn integrated<R: TryCryptoRng + ?Sized>(
        &self,
        recipient: &Recipient<'a>,
        serialization: Serialization,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<(Message<'static>, Content), Error> {
        let mut header = Header::default();
        recipient.describe(&mut header);
        let header = Header::union([&header, &self.protected])?;
        let protected = header.encode();
        let aad = self.encoded_aad();
        let (enc, ciphertext) = recipient.suite.seal(
            recipient.key.key(),
            recipient.info,
            recipient.mode(),
            &authenticated(&protected, aad.as_deref()),
            plaintext,
            rng,
        )?;
        let part = RecipientPart {
            header: Header::default(),
            encrypted_key: enc,
        };
        let content = Content {
            iv: Vec::new(),
            ciphertext,
            tag: Vec::new(),
        };
        let message = message(serialization, (header, protected), vec![part], aad);
        Ok((message, content))
    }

    /// Seals with Key Encryption (section 6 of the draft): HPKE encrypts the CEK for each
    /// recipient.
    fn key_encryption<R: TryCryptoRng + ?Sized>(
        &self,
        serialization: Serialization,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<(Message<'static>, Content), Error> {
        let enc = self.enc.unwrap_or(Enc::A256Gcm);
        let (cek, iv) = enc.generate(rng)?;
        let mut parts = Vec::new();
        for recipient in &self.recipients {
            parts.push(recipient.part(enc, &cek, rng)?);
        }
        for other in &self.others {
            parts.push(RecipientPart {
                header: other.header.clone(),
                encrypted_key: (other.encrypt)(cek.as_ref())?,
            });
        }
        // The protected header includes the header of an only recipient, except in the General
        // Serialization.
        let mut header = match (serialization, parts.first_mut()) {
            (Serialization::General, _) | (_, None) => Header::default(),
            (_, Some(part)) => std::mem::take(&mut part.header),
        };
        header.set("enc", enc.name());
        let header = Header::union([&header, &self.protected])?;
        let protected = header.encode();
        let aad = self.encoded_aad();
        let authenticated = authenticated(&protected, aad.as_deref());
        let content = enc.seal(cek.as_ref(), iv, &authenticated, plaintext)?;
        let message = message(serialization, (header, protected), parts, aad);
        Ok((message, content))
    }

    fn encoded_aad(&self) -> Option<String> {
        (!self.aad.is_empty()).then(|| BASE64URL_NOPAD.encode(self.aad))
    }
}

fn message(
    serialization: Serialization,
    (header, protected): (Header, String),
    recipients: Vec<RecipientPart>,
    aad: Option<String>,
) -> Message<'static> {
    Message {
        serialization,
        protected: protected.into(),
        header,
        unprotected: Header::default(),
        recipients,
        aad: aad.map(Cow::Owned),
    }
}
