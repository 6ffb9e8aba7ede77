//! The requests and answers of README.md as types.

use data_encoding::HEXLOWER;
use pqseal_hpke::SuiteId;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Value, json};

/// A suite of a peer.
#[derive(Clone, Debug, Deserialize)]
pub struct PeerSuite {
    kem: u16,
    kdf: u16,
    aead: u16,
    /// The numbers of its modes.
    pub modes: Vec<u8>,
    /// `true` if it exports.
    pub export: bool,
    /// `true` if a context takes exactly one message.
    #[serde(default)]
    pub single_shot: bool,
}

impl PeerSuite {
    /// Returns the three ids.
    pub const fn id(&self) -> SuiteId {
        SuiteId::new(self.kem, self.kdf, self.aead)
    }
}

/// The parameters that both sides of a context share.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The suite.
    pub suite: SuiteId,
    /// 0 base, 1 psk.
    pub mode: u8,
    /// The application's `info`.
    pub info: &'a [u8],
    /// The pre-shared key and its id, in mode 1.
    pub psk: (&'a [u8], &'a [u8]),
    /// The exports after the messages.
    pub exports: &'a [Export<'a>],
}

/// One export.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The exporter context.
    pub context: &'a [u8],
    /// The number of bytes.
    pub length: usize,
}

/// The request to seal.
#[derive(Clone, Debug)]
pub struct Sealing<'a> {
    /// The parameters that both sides share.
    pub setup: Setup<'a>,
    /// The recipient's public key.
    pub pk: &'a [u8],
    /// Each message's aad and plaintext.
    pub messages: Vec<(&'a [u8], &'a [u8])>,
}

/// The request to open.
#[derive(Clone, Debug)]
pub struct Opening<'a> {
    /// The parameters that both sides share.
    pub setup: Setup<'a>,
    /// The recipient's private key.
    pub sk: &'a [u8],
    /// The encapsulated key.
    pub enc: &'a [u8],
    /// Each message's aad and ciphertext.
    pub messages: Vec<(&'a [u8], &'a [u8])>,
}

/// The answer to [`Sealing`].
#[derive(Debug, PartialEq, Deserialize)]
pub struct Sent {
    /// The encapsulated key.
    #[serde(deserialize_with = "bytes")]
    pub enc: Vec<u8>,
    /// The ciphertexts.
    #[serde(deserialize_with = "many")]
    pub cts: Vec<Vec<u8>>,
    /// The exports.
    #[serde(deserialize_with = "many")]
    pub exports: Vec<Vec<u8>>,
}

/// The answer to [`Opening`].
#[derive(Debug, PartialEq, Deserialize)]
pub struct Received {
    /// The plaintexts.
    #[serde(deserialize_with = "many")]
    pub pts: Vec<Vec<u8>>,
    /// The exports.
    #[serde(deserialize_with = "many")]
    pub exports: Vec<Vec<u8>>,
}

/// The answer to `suites`.
#[derive(Deserialize)]
pub(crate) struct Announced {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) suites: Vec<PeerSuite>,
}

/// The answer to `public`, and to `derive` without the private key.
#[derive(Deserialize)]
pub(crate) struct PublicKey {
    #[serde(deserialize_with = "bytes")]
    pub(crate) pk: Vec<u8>,
}

impl Sealing<'_> {
    pub(crate) fn to_json(&self) -> Value {
        let mut request = self.setup.to_json("seal", "pt", &self.messages);
        request["pk"] = hex(self.pk).into();
        request
    }
}

impl Opening<'_> {
    pub(crate) fn to_json(&self) -> Value {
        let mut request = self.setup.to_json("open", "ct", &self.messages);
        request["sk"] = hex(self.sk).into();
        request["enc"] = hex(self.enc).into();
        request
    }
}

impl Setup<'_> {
    fn to_json(self, op: &str, text: &str, messages: &[(&[u8], &[u8])]) -> Value {
        let SuiteId { kem, kdf, aead } = self.suite;
        let message =
            |(aad, message): &(&[u8], &[u8])| json!({ "aad": hex(aad), text: hex(message) });
        let export = |export: &Export<'_>| json!({ "context": hex(export.context), "length": export.length });
        let mut request = json!({
            "op": op, "kem": kem, "kdf": kdf, "aead": aead, "mode": self.mode, "info": hex(self.info),
            "messages": messages.iter().map(message).collect::<Vec<_>>(),
            "exports": self.exports.iter().map(export).collect::<Vec<_>>(),
        });
        if self.mode == 1 {
            request["psk"] = hex(self.psk.0).into();
            request["psk_id"] = hex(self.psk.1).into();
        }
        request
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    HEXLOWER
        .decode(String::deserialize(from)?.as_bytes())
        .map_err(D::Error::custom)
}

fn many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<u8>>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    texts
        .iter()
        .map(|text| HEXLOWER.decode(text.as_bytes()).map_err(D::Error::custom))
        .collect()
}
