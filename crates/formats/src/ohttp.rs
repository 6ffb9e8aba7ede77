//! Oblivious HTTP (RFC 9458) and its chunked form (draft-ietf-ohai-chunked-ohttp-08).
//!
//! A client encapsulates a request for a gateway and sends it through a relay. The relay sees the
//! client but not the request; the gateway sees the request but not the client.
//!
//! | content | media type | made by | read by |
//! |---|---|---|---|
//! | key configurations | [`media_type::KEYS`] | [`Gateway::keys`] | [`read_keys`] |
//! | request | [`media_type::REQUEST`] | [`Client::encapsulate`] | [`Gateway::decapsulate`] |
//! | response | [`media_type::RESPONSE`] | [`ResponseSealer::seal`] | [`ResponseOpener::open`] |
//! | request in chunks | [`media_type::CHUNKED_REQUEST`] | [`Client::chunked`] | [`Gateway::chunked`] |
//! | response in chunks | [`media_type::CHUNKED_RESPONSE`] | [`RequestChunks::response`] | [`ResponseChunks`] |
//!
//! Messages are bytes here: Binary HTTP (RFC 9292), or another content type that both sides agree
//! on ([`Client::content`]). The application is responsible for HTTP itself, replays (RFC 9458,
//! section 6.5), and key configurations that are authenticated and the same for all clients.
//!
//! ```
//! use getrandom::SysRng;
//! use pqseal_formats::ohttp::{AES_128_GCM, Client, Gateway, read_keys};
//! use pqseal_hpke::Policy;
//! use pqseal_keys::kem_by_name;
//!
//! let policy = Policy::draft();
//! let kem = kem_by_name("mlkem768-x25519").expect("X-Wing");
//! let (private, _) = pqseal_keys::generate(kem, &policy, &mut SysRng)?;
//! let gateway = Gateway::new().key(1, private, &[AES_128_GCM], &policy)?;
//!
//! let keys = read_keys(&gateway.keys())?;
//! let client = Client::new(&keys.configs, &policy)?;
//! let (request, opener) = client.encapsulate(b"a request", &mut SysRng)?;
//!
//! let (opened, sealer) = gateway.decapsulate(&request)?;
//! assert_eq!(opened, b"a request");
//! let response = sealer.seal(b"a response", &mut SysRng)?;
//! assert_eq!(opener.open(&response)?, b"a response");
//! # Ok::<(), pqseal_formats::Error>(())
//! ```

mod chunks;
mod client;
mod config;
mod gateway;

use pqseal_hpke::{
    AnyAead, DynKdf, RecipientContext, ResponseSecret, SenderContext, SuiteId,
    rand_core::TryCryptoRng,
};

pub use chunks::{ChunkSealer, MAX_CHUNK, RequestChunks, ResponseChunks};
pub use client::Client;
pub use config::{
    AES_128_GCM, AES_256_GCM, CHACHA20_POLY1305, KeyConfig, Keys, SymmetricAlgorithms, read_keys,
    write_keys,
};
pub use gateway::Gateway;

use crate::{Error, Plaintext};

/// The media types of Oblivious HTTP.
pub mod media_type {
    /// Key configurations.
    pub const KEYS: &str = "application/ohttp-keys";
    /// A request.
    pub const REQUEST: &str = "message/ohttp-req";
    /// A response.
    pub const RESPONSE: &str = "message/ohttp-res";
    /// A request in chunks.
    pub const CHUNKED_REQUEST: &str = "message/ohttp-chunked-req";
    /// A response in chunks.
    pub const CHUNKED_RESPONSE: &str = "message/ohttp-chunked-res";
}

/// The problem type (RFC 9457) with which a gateway answers [`Error::UnknownKey`] and
/// [`Error::AlgorithmNotAllowed`] (RFC 9458, section 5.3).
pub const KEY_PROBLEM: &str = "https://iana.org/assignments/http-problem-types#ohttp-key";

/// The default content of messages.
const BINARY_HTTP: &str = "message/bhttp";

/// An opener of the response to one request.
#[derive(Debug)]
pub struct ResponseOpener(ResponseSecret);

impl ResponseOpener {
    /// Opens a response ([`media_type::RESPONSE`]).
    ///
    /// # Errors
    /// [`Error::Open`].
    pub fn open(self, response: &[u8]) -> Result<Plaintext, Error> {
        let parts = response.split_at_checked(self.0.nonce_len());
        let (nonce, ciphertext) = parts.ok_or(Error::Open)?;
        Ok(Plaintext::new(self.0.key(nonce)?.open(b"", ciphertext)?))
    }
}

/// A sealer of the response to one request.
#[derive(Debug)]
pub struct ResponseSealer(ResponseSecret);

impl ResponseSealer {
    /// Seals a response ([`media_type::RESPONSE`]).
    ///
    /// # Errors
    /// [`Error::Hpke`].
    pub fn seal<R: TryCryptoRng + ?Sized>(
        self,
        response: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>, Error> {
        let (mut message, mut key) = self.0.generate(rng)?;
        message.extend(key.seal(b"", response)?);
        Ok(message)
    }
}

/// The header of a request: the key id and the algorithms (RFC 9458, section 4.1).
#[derive(Clone, Copy, Debug)]
struct RequestHeader {
    key_id: u8,
    suite: SuiteId,
}

impl RequestHeader {
    const LEN: usize = 7;

    fn to_bytes(self) -> [u8; Self::LEN] {
        let [.., k0, k1, d0, d1, a0, a1] = self.suite.to_bytes();
        [self.key_id, k0, k1, d0, d1, a0, a1]
    }

    const fn from_bytes([key_id, k0, k1, d0, d1, a0, a1]: [u8; Self::LEN]) -> Self {
        let [kem, kdf, aead] = [
            u16::from_be_bytes([k0, k1]),
            u16::from_be_bytes([d0, d1]),
            u16::from_be_bytes([a0, a1]),
        ];
        let suite = SuiteId::new(kem, kdf, aead);
        Self { key_id, suite }
    }

    /// Builds HPKE's info (section 4.3, step 2).
    fn info(self, content: &str, framing: Framing) -> Vec<u8> {
        let label = framing.label(content, "request");
        [label.as_bytes(), &[0], &self.to_bytes()].concat()
    }
}

/// The framing of a message: in one piece, or in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Whole,
    Chunked,
}

impl Framing {
    fn label(self, content: &str, what: &str) -> String {
        match self {
            Self::Whole => format!("{content} {what}"),
            Self::Chunked => format!("{content} chunked {what}"),
        }
    }
}

/// The HPKE context of a request at the client, and the secret of its response.
type RequestSender = (SenderContext<DynKdf, AnyAead>, ResponseSecret);

/// The HPKE context of a request at the gateway, and the secret of its response.
type RequestRecipient = (RecipientContext<DynKdf, AnyAead>, ResponseSecret);

/// The bytes that remain to be read, with checked lengths.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let parts = self.0.split_at_checked(len);
        let (taken, rest) = parts.ok_or(Error::Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        Ok(taken.try_into().expect("the length is N"))
    }

    /// Reads bytes after their length in 16 bits.
    fn prefixed(&mut self) -> Result<&'a [u8], Error> {
        let len = u16::from_be_bytes(self.array()?);
        self.take(len.into())
    }
}
