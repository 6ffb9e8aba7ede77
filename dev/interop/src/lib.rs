//! Other implementations of HPKE as a Rust type, which starts a peer program of this folder and
//! speaks its line protocol (README.md).
//!
//! Any violation of the protocol panics, since this crate is only for tests. A refusal of a peer
//! is an `Err` with its message.

#![forbid(unsafe_code)]

mod process;
mod protocol;

pub use protocol::{Export, Opening, PeerSuite, Received, Sealing, Sent, Setup};

pub use process::Process;
use serde_json::json;

/// A running peer.
pub struct Peer {
    process: Process,
    /// The library and its version.
    pub name: String,
    /// The suites that the peer announces.
    pub suites: Vec<PeerSuite>,
}

impl Peer {
    /// Starts Go's standard library.
    pub fn go() -> Self {
        Self::start(&[".build/go-peer"])
    }

    /// Starts pyca/cryptography, on OpenSSL.
    pub fn python() -> Self {
        Self::start(&[".build/venv/bin/python", "python/peer.py"])
    }

    /// Starts npm `hpke`, on WebCrypto and noble.
    pub fn node() -> Self {
        Self::start(&["node", "node/peer.mjs"])
    }

    fn start(command: &[&str]) -> Self {
        let mut process = Process::start(command);
        let announced: protocol::Announced = process
            .ask(&json!({ "op": "suites" }))
            .expect("a peer names its suites");
        Self {
            process,
            name: format!("{} {}", announced.name, announced.version),
            suites: announced.suites,
        }
    }

    /// Returns the public key of DeriveKeyPair. (The private key may be returned in another
    /// encoding, clamped.)
    ///
    /// # Errors
    /// The peer's message.
    pub fn derive(&mut self, kem: u16, ikm: &[u8]) -> Result<Vec<u8>, String> {
        let request = json!({ "op": "derive", "kem": kem, "ikm": protocol::hex(ikm) });
        self.process
            .ask(&request)
            .map(|derived: protocol::PublicKey| derived.pk)
    }

    /// Returns the public key of a private one.
    ///
    /// # Errors
    /// The peer's message.
    pub fn public(&mut self, kem: u16, sk: &[u8]) -> Result<Vec<u8>, String> {
        let request = json!({ "op": "public", "kem": kem, "sk": protocol::hex(sk) });
        self.process
            .ask(&request)
            .map(|key: protocol::PublicKey| key.pk)
    }

    /// Seals the messages of one context, then exports.
    ///
    /// # Errors
    /// The peer's message.
    pub fn seal(&mut self, request: &Sealing<'_>) -> Result<Sent, String> {
        self.process.ask(&request.to_json())
    }

    /// Opens the messages of one context, then exports.
    ///
    /// # Errors
    /// The peer's message.
    pub fn open(&mut self, request: &Opening<'_>) -> Result<Received, String> {
        self.process.ask(&request.to_json())
    }
}
