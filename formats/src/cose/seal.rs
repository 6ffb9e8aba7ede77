//! Encryption (sections 3.2 and 3.3 of the draft).

use ciborium::Value;
use hpke::{Mode, Psk, Secret, Suite, rand_core::TryCryptoRng};

use super::{
    ContentAlgorithm, Structure, enc_structure, label,
    message::{Layer, MAX_RECIPIENTS, Message},
    recipient_structure,
};
use crate::{Algorithm, Error, KeyManagement, PublicKey};

/// Whom a message is for.
#[derive(Clone, Debug)]
pub struct Recipient<'a> {
    alg: Algorithm,
    suite: Suite,
    key: &'a PublicKey,
    psk: Option<(&'a [u8], Psk<'a>)>,
    info: &'a [u8],
    hpke_aad: &'a [u8],
}

/// A message to be: its recipients and what it authenticates.
#[derive(Clone, Debug)]
pub struct Sealer<'a> {
    recipients: Vec<Recipient<'a>>,
    content: ContentAlgorithm,
    external_aad: &'a [u8],
}

impl<'a> Recipient<'a> {
    /// The holder of a key. The message names the key's `kid`, if it has one, in the protected
    /// header.
    ///
    /// # Errors
    /// [`Error::KeyAlgorithm`] if the key is for another algorithm or KEM,
    /// [`Error::AlgorithmUnavailable`].
    pub fn new(alg: Algorithm, key: &'a PublicKey) -> Result<Self, Error> {
        key.check(alg)?;
        Ok(Self {
            alg,
            suite: alg.suite()?,
            key,
            psk: None,
            info: b"",
            hpke_aad: b"",
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

    /// Information that both sides know and that is not sent: HPKE's info with Integrated
    /// Encryption, `recipient_extra_info` with Key Encryption.
    #[must_use]
    pub const fn info(mut self, info: &'a [u8]) -> Self {
        self.info = info;
        self
    }

    /// HPKE's aad with Key Encryption. The draft recommends to leave it empty.
    #[must_use]
    pub const fn hpke_aad(mut self, aad: &'a [u8]) -> Self {
        self.hpke_aad = aad;
        self
    }

    fn mode<K>(&self) -> Mode<'a, K> {
        self.psk.map_or(Mode::Base, |(_, psk)| Mode::Psk(psk))
    }

    /// `alg`, `kid` and `psk_id`.
    fn protected(&self) -> Vec<(i64, Value)> {
        let mut header = vec![(label::ALG, self.alg.cose().into())];
        header.extend(self.key.kid().map(|kid| (label::KID, kid.into())));
        header.extend(self.psk.map(|(id, _)| (label::PSK_ID, id.into())));
        header
    }
}

impl<'a> Sealer<'a> {
    /// A message for one recipient. Its content encryption is A256GCM, if its algorithm has one.
    #[must_use]
    pub fn new(recipient: Recipient<'a>) -> Self {
        Self {
            recipients: vec![recipient],
            content: ContentAlgorithm::A256Gcm,
            external_aad: b"",
        }
    }

    /// One more recipient. All of them need Key Encryption.
    #[must_use]
    pub fn and(mut self, recipient: Recipient<'a>) -> Self {
        self.recipients.push(recipient);
        self
    }

    /// The content encryption of Key Encryption.
    #[must_use]
    pub const fn content(mut self, content: ContentAlgorithm) -> Self {
        self.content = content;
        self
    }

    /// The external_aad of Enc_structure: authenticated, and not sent.
    #[must_use]
    pub const fn external_aad(mut self, aad: &'a [u8]) -> Self {
        self.external_aad = aad;
        self
    }

    /// Encrypts to a tagged message. Every call draws new keys.
    ///
    /// # Errors
    /// [`Error::Usage`] for several recipients of which one has Integrated Encryption, for an HPKE
    /// aad with it, and for recipients of which some but not all are post-quantum; [`Error::Hpke`].
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>, Error> {
        Ok(self.message(plaintext, rng)?.write())
    }

    /// Encrypts to a message without its ciphertext, and the ciphertext, which is sent separately.
    ///
    /// # Errors
    /// As [`Sealer::seal`].
    pub fn seal_detached<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<(Vec<u8>, Vec<u8>), Error> {
        let mut message = self.message(plaintext, rng)?;
        let ciphertext = message.layer.ciphertext.take().unwrap_or_default();
        Ok((message.write(), ciphertext))
    }

    fn message<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Message, Error> {
        self.check()?;
        match self.recipients.as_slice() {
            [one] if one.alg.mode() == KeyManagement::Integrated => {
                self.integrated(one, plaintext, rng)
            }
            _ => self.key_encryption(plaintext, rng),
        }
    }

    fn check(&self) -> Result<(), Error> {
        let count = self.recipients.len();
        let integrated = |one: &Recipient<'_>| one.alg.mode() == KeyManagement::Integrated;
        let post_quantum = self
            .recipients
            .iter()
            .filter(|one| one.alg.is_post_quantum())
            .count();
        Err(Error::Usage(match self.recipients.iter().any(integrated) {
            _ if count > MAX_RECIPIENTS => "a message has at most 256 recipients",
            true if count > 1 => {
                "Integrated Encryption has exactly one recipient; use the -KE algorithms for several"
            }
            true if self.recipients.iter().any(|one| !one.hpke_aad.is_empty()) => {
                "Integrated Encryption has no HPKE aad of its own; use the external_aad"
            }
            _ if post_quantum != 0 && post_quantum != count => {
                "a post-quantum recipient is not protected if another recipient is not post-quantum"
            }
            _ => return Ok(()),
        }))
    }

    fn integrated<R: TryCryptoRng + ?Sized>(
        &self,
        recipient: &Recipient<'a>,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Message, Error> {
        let structure = Structure::Encrypt0;
        let protected = super::encode(&super::cbor::map(recipient.protected()));
        let (ek, ciphertext) = recipient.suite.seal(
            recipient.key.key(),
            recipient.info,
            recipient.mode(),
            &enc_structure(structure.context(), &protected, self.external_aad),
            plaintext,
            rng,
        )?;
        let mut layer = Layer::of(recipient.protected(), vec![(label::EK, ek.into())])?;
        layer.ciphertext = Some(ciphertext);
        Ok(Message {
            structure,
            layer,
            recipients: Vec::new(),
        })
    }

    fn key_encryption<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Message, Error> {
        let structure = Structure::Encrypt;
        let cek = self.content.generate(rng)?;
        let mut recipients = Vec::new();
        for recipient in &self.recipients {
            recipients.push(self.recipient(recipient, &cek, rng)?);
        }
        let protected = vec![(label::ALG, Value::from(self.content.id()))];
        let raw = super::encode(&super::cbor::map(protected.clone()));
        let aad = enc_structure(structure.context(), &raw, self.external_aad);
        let (iv, ciphertext) = self.content.seal(cek.as_ref(), &aad, plaintext, rng)?;
        let mut layer = Layer::of(protected, vec![(label::IV, iv.into())])?;
        layer.ciphertext = Some(ciphertext);
        Ok(Message {
            structure,
            layer,
            recipients,
        })
    }

    fn recipient<R: TryCryptoRng + ?Sized>(
        &self,
        recipient: &Recipient<'a>,
        cek: &Secret,
        rng: &mut R,
    ) -> Result<Layer, Error> {
        let protected = super::encode(&super::cbor::map(recipient.protected()));
        let (ek, ciphertext) = recipient.suite.seal(
            recipient.key.key(),
            &recipient_structure(self.content.id(), &protected, recipient.info),
            recipient.mode(),
            recipient.hpke_aad,
            cek.as_ref(),
            rng,
        )?;
        let mut layer = Layer::of(recipient.protected(), vec![(label::EK, ek.into())])?;
        layer.ciphertext = Some(ciphertext);
        Ok(layer)
    }
}
