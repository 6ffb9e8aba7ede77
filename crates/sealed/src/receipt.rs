//! The envelopes of agent receipts: HPKE in base mode, one message, with empty info and aad.
//!
//! The suite is DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. The plaintext is a JSON
//! object (RFC 8785). The `kid` of a recipient is not authenticated, and often wrong, so it is only
//! a hint: if its key does not open the envelope, every X25519 key is tried.

use std::borrow::Cow;

use pqseal_hpke::{
    Aes256Gcm, AnyAead, AnyPrivateKey, Erased, HkdfSha256, Mode, Recipient, Suite, X25519HkdfSha256,
};
use pqseal_keys::base64;
use pqseal_records::json::{self, Node, same_key};
use serde::{Deserialize, de::IgnoredAny};
use sha2::{Digest, Sha256};

use crate::Error;

/// The name of the suite in an envelope.
pub(crate) const ALGORITHM: &str = "hpke-x25519-hkdf-sha256-aes-256-gcm";

const SUITE: Suite = Suite::new(
    &Erased(X25519HkdfSha256),
    &HkdfSha256,
    &AnyAead::Aes256Gcm(Aes256Gcm),
);

/// The size of the encapsulated key, in bytes.
const ENC: usize = 32;
/// The size of the tag, in bytes.
pub(crate) const TAG: usize = 16;

/// An envelope, decoded.
#[derive(Debug)]
pub(crate) struct Envelope {
    pub(crate) kid: String,
    enc: Vec<u8>,
    pub(crate) ct: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvelopeMembers<'a> {
    #[serde(rename = "v")]
    _v: IgnoredAny,
    #[serde(rename = "alg")]
    _alg: IgnoredAny,
    #[serde(borrow)]
    recipients: Vec<EnvelopeRecipient<'a>>,
    #[serde(borrow)]
    ct: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvelopeRecipient<'a> {
    #[serde(borrow)]
    kid: Cow<'a, str>,
    #[serde(borrow)]
    enc: Cow<'a, str>,
}

impl Envelope {
    /// Parses an envelope, of any version; `None` if the text is in the clear. Version 0.2 of
    /// receipts had a map of clear strings instead, which has no list of recipients.
    pub(crate) fn parse(text: &[u8]) -> Result<Option<Self>, Error> {
        if json::validate(text).is_err() {
            return Ok(None);
        }
        let root = Node::root(text);
        let recipients = root.member("recipients");
        if !recipients.is_some_and(|list| list.value.is_array()) || root.member("ct").is_none() {
            return Ok(None);
        }
        // Another version may have other members, and the version decides about the suite.
        if root
            .member("v")
            .is_some_and(|v| !same_key(v.value.raw(), "1"))
        {
            return Err(Error::EnvelopeVersion);
        }
        if root
            .member("alg")
            .is_some_and(|alg| !same_key(alg.value.raw(), ALGORITHM))
        {
            return Err(Error::EnvelopeSuite);
        }
        let members: EnvelopeMembers<'_> =
            serde_json::from_slice(text).map_err(|_| Error::Envelope)?;
        let [recipient] = &members.recipients[..] else {
            return Err(Error::Recipients(members.recipients.len()));
        };
        let enc = decode("enc", &recipient.enc)?;
        let ct = decode("ct", &members.ct)?;
        if ct.len() < TAG {
            return Err(Error::Short(ct.len()));
        }
        if enc.len() != ENC {
            return Err(Error::Enc(enc.len()));
        }
        let kid = recipient.kid.clone().into_owned();
        Ok(Some(Self { kid, enc, ct }))
    }
}

/// Decodes base64url without padding, and without the white space that key files may have.
fn decode(name: &'static str, text: &str) -> Result<Vec<u8>, Error> {
    let decoded = match text.find(char::is_whitespace) {
        Some(offset) => Err(base64::Error {
            offset,
            problem: base64::Problem::Character,
        }),
        None => base64::decode_url(text.as_bytes()),
    };
    let decoded = decoded.map_err(|error| Error::Base64(name, error))?;
    Ok(decoded.to_vec())
}

/// The X25519 keys of a ring.
#[derive(Default)]
pub(crate) struct ReceiptOpener(Vec<ReceiptKey>);

struct ReceiptKey {
    place: usize,
    kid: String,
    recipient: Recipient,
}

impl ReceiptOpener {
    /// Adds the key at this index of a ring, if it is an X25519 key.
    pub(crate) fn add(
        &mut self,
        place: usize,
        key: &AnyPrivateKey,
    ) -> Result<(), pqseal_hpke::Error> {
        if key.kem().id != SUITE.id().kem {
            return Ok(());
        }
        // The `kid` that the daemon of agent receipts gives a public key.
        let hash = Sha256::digest(key.public_key()?.as_ref());
        let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        self.0.push(ReceiptKey {
            place,
            kid: format!("sha256:{digits}"),
            recipient: Recipient::new(SUITE, key.clone(), b"", Mode::Base)?,
        });
        Ok(())
    }

    /// Opens an envelope. Returns the index of the key, and the plaintext.
    pub(crate) fn open(&self, envelope: &Envelope) -> Result<(usize, Vec<u8>), Error> {
        let (named, others): (Vec<_>, Vec<_>) =
            (self.0.iter()).partition(|key| key.kid == envelope.kid);
        let mut error = Error::NoX25519Key;
        for key in named.into_iter().chain(others) {
            match key.recipient.open(&envelope.enc, b"", &envelope.ct) {
                // The format requires a JSON object.
                Ok(plaintext) => {
                    let is_object =
                        json::validate(&plaintext).is_ok() && Node::root(&plaintext).is_object();
                    return match is_object {
                        true => Ok((key.place, plaintext)),
                        false => Err(Error::Plaintext),
                    };
                }
                Err(
                    fatal @ (pqseal_hpke::Error::KeyUnavailable | pqseal_hpke::Error::Miscomputed),
                ) => return Err(Error::Hpke(fatal)),
                Err(_) => error = Error::NoKeyOpens,
            }
        }
        Err(error)
    }

    /// Returns the indices of the keys.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|key| key.place)
    }
}
