//! The gateway's side (RFC 9458, sections 4.3 and 4.4).

use pqseal_hpke::{AnyPrivateKey, Mode, Policy, Response, Suite};

use super::{
    BINARY_HTTP, Framing, KeyConfig, Reader, RequestHeader, RequestRecipient, ResponseSealer,
    SymmetricAlgorithms, write_keys,
};
use crate::{Error, Plaintext};

/// A gateway's private keys, and the suites they may be used with. The key and suite of a request
/// are looked up only among these.
#[derive(Clone, Debug)]
pub struct Gateway {
    keys: Vec<GatewayKey>,
    content: String,
}

#[derive(Clone, Debug)]
struct GatewayKey {
    private: AnyPrivateKey,
    config: KeyConfig,
    suites: Vec<Suite>,
}

impl Gateway {
    /// Creates a gateway without keys, for Binary HTTP.
    #[must_use]
    pub fn new() -> Self {
        Self {
            keys: Vec::new(),
            content: BINARY_HTTP.to_owned(),
        }
    }

    /// Adds a private key with its id and the algorithms that clients may use it with, in your
    /// order of preference. Use the key for nothing else.
    ///
    /// # Errors
    /// [`Error::Usage`] if another key has the id, or without algorithms; [`Error::Hpke`] for
    /// algorithms that this build does not support or that the policy does not allow.
    pub fn key(
        mut self,
        key_id: u8,
        private: AnyPrivateKey,
        algorithms: &[SymmetricAlgorithms],
        policy: &Policy,
    ) -> Result<Self, Error> {
        if self.configs().any(|config| config.key_id() == key_id) {
            return Err(Error::Usage("two keys of a gateway have the same id"));
        }
        let config = KeyConfig::new(key_id, pqseal_keys::public_key(&private)?, algorithms)?;
        let suites = algorithms.iter().map(|one| config.suite(*one, policy));
        let suites = suites.collect::<Result<_, _>>()?;
        self.keys.push(GatewayKey {
            private,
            config,
            suites,
        });
        Ok(self)
    }

    /// Sets the media type of the messages inside, instead of Binary HTTP (section 4.6).
    #[must_use]
    pub fn content(mut self, media_type: &str) -> Self {
        media_type.clone_into(&mut self.content);
        self
    }

    /// Lists the key configurations, in the order in which the keys were added.
    pub fn configs(&self) -> impl Iterator<Item = &KeyConfig> {
        self.keys.iter().map(|key| &key.config)
    }

    /// Writes the key configurations for clients ([`media_type::KEYS`](super::media_type::KEYS)).
    #[must_use]
    pub fn keys(&self) -> Vec<u8> {
        write_keys(self.configs())
    }

    /// Opens a request ([`media_type::REQUEST`](super::media_type::REQUEST)). Returns the request
    /// and the sealer of its response. Answer an error with a status code 4xx; report later
    /// failures in a sealed response.
    ///
    /// # Errors
    /// [`Error::UnknownKey`] and [`Error::AlgorithmNotAllowed`], which
    /// [`KEY_PROBLEM`](super::KEY_PROBLEM) reports; [`Error::Malformed`], [`Error::Open`].
    pub fn decapsulate(&self, request: &[u8]) -> Result<(Plaintext, ResponseSealer), Error> {
        let mut reader = Reader(request);
        let header = RequestHeader::from_bytes(reader.array()?);
        let enc = reader.take(self.enc_len(header)?)?;
        let (mut context, secret) = self.set_up(header, enc, Framing::Whole)?;
        let opened = context.open(b"", reader.0)?;
        Ok((Plaintext::new(opened), ResponseSealer(secret)))
    }

    /// Creates the context of a request and the secret of its response.
    pub(super) fn set_up(
        &self,
        header: RequestHeader,
        enc: &[u8],
        framing: Framing,
    ) -> Result<RequestRecipient, Error> {
        let (key, suite) = self.find(header)?;
        let info = header.info(&self.content, framing);
        let context = suite.setup_r(enc, &key.private, &info, Mode::Base)?;
        let label = framing.label(&self.content, "response");
        let secret = context.response_secret(Response::oblivious(label.as_bytes()), enc)?;
        Ok((context, secret))
    }

    /// Returns the size of the encapsulated key after a header, in bytes.
    pub(super) fn enc_len(&self, header: RequestHeader) -> Result<usize, Error> {
        Ok(self.find(header)?.1.kem().info().n_enc)
    }

    fn find(&self, header: RequestHeader) -> Result<(&GatewayKey, Suite), Error> {
        let id = header.suite;
        let key = self
            .keys
            .iter()
            .find(|key| (key.config.key_id(), key.private.kem().id) == (header.key_id, id.kem));
        let key = key.ok_or(Error::UnknownKey(header.key_id))?;
        let suite = key.suites.iter().find(|suite| suite.id() == id);
        let suite = suite.ok_or_else(|| {
            Error::algorithm_not_allowed(&format!("KDF {:#06x}, AEAD {:#06x}", id.kdf, id.aead))
        })?;
        Ok((key, *suite))
    }
}

impl Default for Gateway {
    fn default() -> Self {
        Self::new()
    }
}
