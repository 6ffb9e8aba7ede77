//! Encryption (sections 3.2 and 3.3 of the draft).

use ciborium::Value;
use pqseal_hpke::{
    AnyAead, DynKdf, Mode, Psk, Secret, SenderContext, Suite, Tag, rand_core::TryCryptoRng,
};

use super::{
    ALG, ContentAlgorithm, EK, IV, KID, Layer, MAX_RECIPIENTS, Message, PSK_ID, Structure,
    enc_structure, recipient_structure,
};
use crate::{Algorithm, Error, KeyManagement, PublicKey};

/// A recipient of a message.
#[derive(Clone, Debug)]
pub struct Recipient<'a> {
    alg: Algorithm,
    suite: Suite,
    key: &'a PublicKey,
    psk: Option<(&'a [u8], Psk<'a>)>,
    info: &'a [u8],
    hpke_aad: &'a [u8],
}

impl<'a> Recipient<'a> {
    /// Addresses a message to the holder of a key. The message names the key's `kid`, if it has
    /// one, in the protected header.
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

    /// Sets information that both sides know and that is not sent: HPKE's info with Integrated
    /// Encryption, `recipient_extra_info` with Key Encryption.
    #[must_use]
    pub const fn info(mut self, info: &'a [u8]) -> Self {
        self.info = info;
        self
    }

    /// Sets HPKE's aad with Key Encryption. The draft recommends leaving it empty.
    #[must_use]
    pub const fn hpke_aad(mut self, aad: &'a [u8]) -> Self {
        self.hpke_aad = aad;
        self
    }

    fn mode<K>(&self) -> Mode<'a, K> {
        self.psk.map_or(Mode::Base, |(_, psk)| Mode::Psk(psk))
    }

    /// Builds the header with `alg`, `kid` and `psk_id`.
    fn protected(&self) -> Vec<(i64, Value)> {
        let mut header = vec![(ALG, self.alg.cose().into())];
        header.extend(self.key.kid().map(|kid| (KID, kid.into())));
        header.extend(self.psk.map(|(id, _)| (PSK_ID, id.into())));
        header
    }

    fn layer<R: TryCryptoRng + ?Sized>(
        &self,
        content: ContentAlgorithm,
        cek: &Secret,
        rng: &mut R,
    ) -> Result<Layer, Error> {
        let mut layer = Layer::of(self.protected())?;
        let (ek, ciphertext) = self.suite.seal(
            self.key.key(),
            &recipient_structure(content.id(), &layer.raw, self.info),
            self.mode(),
            self.hpke_aad,
            cek.as_ref(),
            rng,
        )?;
        layer.unprotect(EK, ek)?;
        layer.ciphertext = Some(ciphertext);
        Ok(layer)
    }
}

/// The recipients of a message, and the data that it authenticates.
#[derive(Clone, Debug)]
pub struct Sealer<'a> {
    recipients: Vec<Recipient<'a>>,
    /// The content encryption. `None` is A256GCM, if the algorithm needs one.
    content: Option<ContentAlgorithm>,
    external_aad: &'a [u8],
}

impl<'a> Sealer<'a> {
    /// Creates a message for one recipient. Its content encryption is A256GCM, if its algorithm
    /// needs one.
    #[must_use]
    pub fn new(recipient: Recipient<'a>) -> Self {
        Self {
            recipients: vec![recipient],
            content: None,
            external_aad: b"",
        }
    }

    /// Adds a recipient. With several, all need Key Encryption.
    #[must_use]
    pub fn and(mut self, recipient: Recipient<'a>) -> Self {
        self.recipients.push(recipient);
        self
    }

    /// Sets the content encryption of Key Encryption. With it, sealing with Integrated Encryption
    /// is an error.
    #[must_use]
    pub const fn content(mut self, content: ContentAlgorithm) -> Self {
        self.content = Some(content);
        self
    }

    /// Sets the external_aad of Enc_structure: authenticated, but not sent.
    #[must_use]
    pub const fn external_aad(mut self, aad: &'a [u8]) -> Self {
        self.external_aad = aad;
        self
    }

    /// Encrypts to a tagged message. Every call draws new keys.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are several recipients and one has Integrated Encryption, if HPKE
    /// aad or content encryption is set with it, and if only some recipients are post-quantum;
    /// [`Error::Hpke`].
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>, Error> {
        let (message, cipher, aad) = self.set_up(rng)?;
        message.write(plaintext.len() + TAG_LEN, |to| {
            cipher.append(&aad, plaintext, to)
        })
    }

    /// Encrypts to a message without its ciphertext, and the ciphertext, which is sent separately.
    ///
    /// # Errors
    /// Same as [`Sealer::seal`].
    pub fn seal_detached<R: TryCryptoRng + ?Sized>(
        &self,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<(Vec<u8>, Vec<u8>), Error> {
        let (message, cipher, aad) = self.set_up(rng)?;
        let mut ciphertext = Vec::with_capacity(plaintext.len() + TAG_LEN);
        cipher.append(&aad, plaintext, &mut ciphertext)?;
        Ok((message.write_detached(), ciphertext))
    }

    /// Makes a message without its ciphertext, the cipher for it, and the authenticated data.
    fn set_up<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(Message, Cipher, Vec<u8>), Error> {
        self.check()?;
        let mut recipients = Vec::new();
        let (structure, layer, cipher) = match self.recipients.as_slice() {
            // Section 3.2 of the draft.
            [one] if one.alg.mode() == KeyManagement::Integrated => {
                let mut layer = Layer::of(one.protected())?;
                let key = one.key.key();
                let (ek, context) = one.suite.setup_s(key, one.info, one.mode(), rng)?;
                layer.unprotect(EK, ek)?;
                (Structure::Encrypt0, layer, Cipher::Hpke(context))
            }
            // Section 3.3.
            all => {
                let content = self.content.unwrap_or(ContentAlgorithm::A256Gcm);
                let (cek, iv) = content.generate(rng)?;
                for recipient in all {
                    recipients.push(recipient.layer(content, &cek, rng)?);
                }
                let mut layer = Layer::of(vec![(ALG, content.id().into())])?;
                layer.unprotect(IV, iv.clone())?;
                let cipher = Cipher::Content(content, cek, iv);
                (Structure::Encrypt, layer, cipher)
            }
        };
        let aad = enc_structure(structure.context(), &layer.raw, self.external_aad);
        let message = Message {
            structure,
            layer,
            recipients,
        };
        Ok((message, cipher, aad))
    }

    fn check(&self) -> Result<(), Error> {
        let count = self.recipients.len();
        let mut all = self.recipients.iter();
        let post_quantum = all.clone().filter(|one| one.alg.is_post_quantum()).count();
        let integrated = all.any(|one| one.alg.mode() == KeyManagement::Integrated);
        Err(Error::Usage(match integrated {
            _ if count > MAX_RECIPIENTS => "a message has at most 256 recipients",
            true if count > 1 => {
                "Integrated Encryption has exactly one recipient; use the -KE algorithms for several"
            }
            true if self.recipients.iter().any(|one| !one.hpke_aad.is_empty()) => {
                "Integrated Encryption has no separate HPKE aad; use the external_aad"
            }
            true if self.content.is_some() => {
                "Integrated Encryption has no content encryption; leave it out, or use a -KE algorithm"
            }
            _ if post_quantum != 0 && post_quantum != count => {
                "a post-quantum recipient is not protected if another recipient is not post-quantum"
            }
            _ => return Ok(()),
        }))
    }
}

/// A cipher for the content, usable once.
enum Cipher {
    Hpke(SenderContext<DynKdf, AnyAead>),
    /// The content encryption algorithm, its key and its IV.
    Content(ContentAlgorithm, Secret, Vec<u8>),
}

/// The length of the tag of every AEAD here, in bytes.
const TAG_LEN: usize = size_of::<Tag>();

impl Cipher {
    /// Appends ciphertext and tag. The plaintext is encrypted in the message buffer.
    fn append(self, aad: &[u8], plaintext: &[u8], to: &mut Vec<u8>) -> Result<(), Error> {
        let start = to.len();
        to.extend_from_slice(plaintext);
        let message = &mut to[start..];
        let tag = match self {
            Self::Hpke(mut context) => context.seal_detached(aad, message)?,
            Self::Content(alg, cek, iv) => alg.seal(cek.as_ref(), &iv, aad, message)?,
        };
        to.extend_from_slice(&tag);
        Ok(())
    }
}
