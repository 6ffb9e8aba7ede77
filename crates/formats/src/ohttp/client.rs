//! The client's side (RFC 9458, sections 4.3 and 4.4).

use pqseal_hpke::{AnyPublicKey, Mode, Policy, Response, Suite, rand_core::TryCryptoRng};

use super::{
    BINARY_HTTP, ChunkSealer, Framing, KeyConfig, RequestHeader, RequestSender, ResponseChunks,
    ResponseOpener, SymmetricAlgorithms,
};
use crate::Error;

/// A client that encapsulates requests for one gateway. Each request has its own HPKE context.
#[derive(Clone, Debug)]
pub struct Client {
    suite: Suite,
    key: AnyPublicKey,
    key_id: u8,
    content: String,
}

impl Client {
    /// Chooses the first of the gateway's key configurations, and of its algorithms the first, that
    /// this build supports and the policy allows.
    ///
    /// # Errors
    /// [`Error::Hpke`] with the reason why the first is refused; [`Error::Usage`] if there are
    /// none.
    pub fn new(configs: &[KeyConfig], policy: &Policy) -> Result<Self, Error> {
        let mut refused = None;
        for config in configs {
            for &algorithms in config.algorithms() {
                match Self::with(config, algorithms, policy) {
                    Ok(client) => return Ok(client),
                    Err(error) => refused = refused.or(Some(error)),
                }
            }
        }
        Err(refused.unwrap_or(Error::Usage("there is no key configuration to choose from")))
    }

    /// Uses this key configuration with these of its algorithms.
    ///
    /// # Errors
    /// [`Error::Usage`] if they are not among its algorithms; [`Error::Hpke`] if this build does
    /// not support them or the policy does not allow them.
    pub fn with(
        config: &KeyConfig,
        algorithms: SymmetricAlgorithms,
        policy: &Policy,
    ) -> Result<Self, Error> {
        if !config.algorithms().contains(&algorithms) {
            return Err(Error::Usage(
                "the key configuration does not have these algorithms",
            ));
        }
        Ok(Self {
            suite: config.suite(algorithms, policy)?,
            key: config.key().clone(),
            key_id: config.key_id(),
            content: BINARY_HTTP.to_owned(),
        })
    }

    /// Sets the media type of the messages inside, instead of Binary HTTP (section 4.6). The
    /// gateway must use the same.
    #[must_use]
    pub fn content(mut self, media_type: &str) -> Self {
        media_type.clone_into(&mut self.content);
        self
    }

    /// Encapsulates a request. Returns the message
    /// ([`media_type::REQUEST`](super::media_type::REQUEST)), and the opener of its response.
    ///
    /// # Errors
    /// [`Error::Hpke`].
    pub fn encapsulate<R: TryCryptoRng + ?Sized>(
        &self,
        request: &[u8],
        rng: &mut R,
    ) -> Result<(Vec<u8>, ResponseOpener), Error> {
        let (mut message, (mut context, secret)) = self.set_up(Framing::Whole, rng)?;
        message.extend(context.seal(b"", request)?);
        Ok((message, ResponseOpener(secret)))
    }

    /// Begins a request in chunks
    /// ([`media_type::CHUNKED_REQUEST`](super::media_type::CHUNKED_REQUEST)). Returns the sealer of
    /// its chunks, and the opener of the chunks of the response.
    ///
    /// A client whose request depends on the response, in content or time, reveals its distance to
    /// the relay and the gateway. End the request before you read the response.
    ///
    /// # Errors
    /// [`Error::Hpke`].
    pub fn chunked<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(ChunkSealer, ResponseChunks), Error> {
        let (head, (context, secret)) = self.set_up(Framing::Chunked, rng)?;
        Ok((
            ChunkSealer::request(head, context),
            ResponseChunks::new(secret),
        ))
    }

    /// Creates the head of a message, header and encapsulated key, and its context.
    fn set_up<R: TryCryptoRng + ?Sized>(
        &self,
        framing: Framing,
        rng: &mut R,
    ) -> Result<(Vec<u8>, RequestSender), Error> {
        let header = RequestHeader {
            key_id: self.key_id,
            suite: self.suite.id(),
        };
        let info = header.info(&self.content, framing);
        let (enc, context) = self.suite.setup_s(&self.key, &info, Mode::Base, rng)?;
        let label = framing.label(&self.content, "response");
        let secret = context.response_secret(Response::oblivious(label.as_bytes()), &enc)?;
        Ok(([&header.to_bytes()[..], &enc].concat(), (context, secret)))
    }
}
