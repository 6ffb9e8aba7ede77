//! Versions 1 and 2: drafts of HPKE before the RFC, opened for archives and never sealed.
//!
//! Both differ from RFC 9180 in the version label of every KDF call. Version 1
//! (draft-irtf-cfrg-hpke-05) also mixes the psk in the other order and calls the nonce `nonce`.

use std::sync::{Arc, Mutex, PoisonError};

use pqseal_hpke::{
    Aead, AnyPrivateKey, ChaCha20Poly1305, Error as HpkeError, HkdfSha256, Kdf, Labels, Nonce,
    Secret, SharedSecret, Short, TwoStage,
    aead::Sealing,
    dhkem::{Group, X25519, extract_and_expand},
    kdf::{ScheduleInputs, ScheduleParts},
};

use crate::{Error, Frame, Version, version::SUITE};

/// The label of version 1, including the space.
const DRAFT_05: &[u8] = b"HPKE-05 ";
/// The labels of version 2: two releases of one library, compatible by their version numbers, used
/// different ones.
const DRAFT_06_07: [&[u8]; 2] = [b"HPKE-06", b"HPKE-07"];
const MODE_BASE: u8 = 0;

/// The private key, and the form of it that the drafts need. That form costs a multiplication, so
/// it is computed for the first blob of a draft, which most keys never get.
#[derive(Debug)]
pub(super) struct DraftKey {
    key: AnyPrivateKey,
    /// In memory of its own, since a moved value leaves its bytes behind. `None` is a null pointer,
    /// so it keeps no bytes of the stack, which held keys. A `OnceLock` would keep some.
    pair: Mutex<Option<Arc<Pair>>>,
}

#[derive(Debug)]
struct Pair {
    scalar: <X25519 as Group>::Scalar,
    public: [u8; 32],
}

impl DraftKey {
    pub(super) fn new(key: &AnyPrivateKey) -> Self {
        Self {
            key: key.clone(),
            pair: Mutex::new(None),
        }
    }

    /// Opens version 1, or version 2 by trying both labels: only the right one passes the tag check.
    pub(super) fn open(&self, frame: &Frame<'_>) -> Result<Vec<u8>, Error> {
        if frame.version == Version::V1 {
            let shared_secret = self.decap(frame.enc, DRAFT_05)?;
            return Ok(open(frame, draft_05_key(&shared_secret)?)?);
        }
        let [first, second] = DRAFT_06_07;
        self.open_draft_06(frame, first)
            .or_else(|_| self.open_draft_06(frame, second))
    }

    fn open_draft_06(&self, frame: &Frame<'_>, label: &[u8]) -> Result<Vec<u8>, Error> {
        let shared_secret = self.decap(frame.enc, label)?;
        Ok(open(frame, draft_06_key(&shared_secret, label)?)?)
    }

    fn decap(&self, enc: &[u8], version: &[u8]) -> Result<SharedSecret, HpkeError> {
        let pair = self.pair()?;
        let dh = X25519::dh(&pair.scalar, &X25519::point(enc)?)?;
        let info = SUITE.kem().info();
        extract_and_expand(
            &HkdfSha256,
            info.id,
            version,
            [dh.as_ref(), b""],
            [enc, &pair.public, b""],
            info.n_secret,
        )
    }

    fn pair(&self) -> Result<Arc<Pair>, HpkeError> {
        let mut pair = self.pair.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pair) = &*pair {
            return Ok(Arc::clone(pair));
        }
        let made = Arc::new(Pair::new(&self.key)?);
        *pair = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Pair {
    fn new(key: &AnyPrivateKey) -> Result<Self, HpkeError> {
        let scalar = X25519::scalar(SUITE.kem().serialize_private_key(key)?.as_ref())?;
        Ok(Self {
            public: X25519::point_bytes(&X25519::public(&scalar)),
            scalar,
        })
    }
}

/// A key and a nonce for one message.
struct MessageKey {
    key: Secret<Short>,
    nonce: Secret<Short>,
}

fn draft_05_key(shared_secret: &SharedSecret) -> Result<MessageKey, HpkeError> {
    let suite_id = SUITE.id().to_bytes();
    let labels = Labels {
        version: DRAFT_05,
        suite_id: &suite_id,
    };
    let context = HkdfSha256.key_schedule_context(&labels, MODE_BASE, b"", b"")?;
    let psk_hash = HkdfSha256.labeled_extract(&labels, b"", "psk_hash", [b"", b""]);
    let secret = HkdfSha256.labeled_prk(
        &labels,
        psk_hash.as_ref(),
        "secret",
        [shared_secret.as_ref(), b""],
    )?;
    let aead = ChaCha20Poly1305.info();
    let mut message = MessageKey {
        key: Secret::zeros(aead.n_k),
        nonce: Secret::zeros(aead.n_n),
    };
    HkdfSha256.labeled_expand(
        &labels,
        &secret,
        "key",
        [&context, b"", b""],
        message.key.as_mut(),
    )?;
    HkdfSha256.labeled_expand(
        &labels,
        &secret,
        "nonce",
        [&context, b"", b""],
        message.nonce.as_mut(),
    )?;
    Ok(message)
}

fn draft_06_key(shared_secret: &SharedSecret, version: &[u8]) -> Result<MessageKey, HpkeError> {
    let suite_id = SUITE.id().to_bytes();
    let labels = Labels {
        version,
        suite_id: &suite_id,
    };
    let key_schedule_context = HkdfSha256.key_schedule_context(&labels, MODE_BASE, b"", b"")?;
    let inputs = ScheduleInputs {
        key_schedule_context: &key_schedule_context,
        psk: b"",
        shared_secret: shared_secret.as_ref(),
        aead: ChaCha20Poly1305.info(),
    };
    let secrets = HkdfSha256.combine_secrets(&labels, &inputs, ScheduleParts::Message)?;
    Ok(MessageKey {
        key: secrets.key,
        nonce: secrets.base_nonce,
    })
}

fn open(frame: &Frame<'_>, message: MessageKey) -> Result<Vec<u8>, HpkeError> {
    let nonce: Nonce = message
        .nonce
        .as_ref()
        .try_into()
        .map_err(|_| HpkeError::Open)?;
    let key = ChaCha20Poly1305.key(message.key.as_ref())?;
    pqseal_hpke::ChaCha20Poly1305::open(&key, &nonce, b"", frame.ct)
}
