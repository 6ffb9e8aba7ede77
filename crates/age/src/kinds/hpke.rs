//! The recipients that use HPKE (C2SP age.md): `mlkem768x25519`, `p256tag` and `mlkem768p256tag`.
//! All use HKDF-SHA256, ChaCha20Poly1305 and base mode, without aad. A table holds the
//! differences.
//!
//! The two with `tag` are for keys in hardware. Four bytes identify the recipient of a stanza, so
//! that the hardware is not used needlessly.

use base64ct::{Base64Unpadded, Encoding};
use getrandom::SysRng;
use p256::elliptic_curve::sec1::ToSec1Point;
use pqseal_hpke::{
    AnyPrivateKey, AnyPublicKey, ChaCha20Poly1305, DynKem, Erased, HkdfSha256, Mode,
    P256HkdfSha256, Suite,
};
use pqseal_kem_pq::{MlKem768P256, MlKem768X25519};
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{Identity, POST_QUANTUM, Recipient, first_of};
use crate::{Error, FileKey, HeaderError, KeyError, Stanza, crypto, key_text};

/// A kind of recipient that uses HPKE.
pub struct HpkeKind {
    /// The kind of the stanza.
    pub name: &'static str,
    /// Set if it withstands a quantum computer.
    pub post_quantum: bool,
    kem: &'static DynKem,
    info: &'static str,
    recipient: &'static str,
    identity: Option<&'static str>,
    tag: Option<TagInput>,
}

/// The input of the tag of a stanza, besides the encapsulated key.
#[derive(Clone, Copy)]
enum TagInput {
    /// A P-256 key in the compressed format, which the text of the recipient also uses.
    Compressed,
    /// The key from this byte on: the P-256 part of a hybrid, uncompressed.
    From(usize),
}

/// MLKEM768-X25519 (X-Wing), the kind that `age-keygen -pq` generates. Recipients have 1,216
/// bytes; identities are a seed of 32 bytes.
pub static MLKEM768X25519: HpkeKind = HpkeKind {
    name: "mlkem768x25519",
    post_quantum: true,
    kem: &Erased(MlKem768X25519),
    info: "age-encryption.org/mlkem768x25519",
    recipient: "age1pq",
    identity: Some("age-secret-key-pq-"),
    tag: None,
};

/// DHKEM(P-256, HKDF-SHA256), for keys in hardware. Recipients are compressed points of 33 bytes.
pub static P256TAG: HpkeKind = HpkeKind {
    name: "p256tag",
    post_quantum: false,
    kem: &Erased(P256HkdfSha256),
    info: "age-encryption.org/p256tag",
    recipient: "age1tag",
    identity: None,
    tag: Some(TagInput::Compressed),
};

/// MLKEM768-P256, for keys in hardware. Recipients have 1,249 bytes.
pub static MLKEM768P256TAG: HpkeKind = HpkeKind {
    name: "mlkem768p256tag",
    post_quantum: true,
    kem: &Erased(MlKem768P256),
    info: "age-encryption.org/mlkem768p256tag",
    recipient: "age1tagpq",
    identity: None,
    tag: Some(TagInput::From(1184)),
};

/// All kinds of recipients that use HPKE.
pub static HPKE_KINDS: &[&HpkeKind] = &[&MLKEM768X25519, &P256TAG, &MLKEM768P256TAG];

/// The suite of all these recipients, up to the KEM.
type FileSuite = Suite<DynKem, HkdfSha256, ChaCha20Poly1305>;

pub(super) fn suite(kem: &'static DynKem) -> FileSuite {
    Suite::new(kem, &HkdfSha256, &ChaCha20Poly1305)
}

/// Unwraps the file key in a body. Returns `None` if it is under another key.
pub(super) fn unwrap(
    kem: &'static DynKem,
    enc: &[u8],
    key: &AnyPrivateKey,
    info: &[u8],
    body: &[u8; 32],
) -> Result<Option<FileKey>, Error> {
    match suite(kem).open(enc, key, info, Mode::Base, b"", body) {
        Ok(bytes) => {
            let bytes = Zeroizing::new(bytes);
            let bytes = bytes.as_slice().try_into();
            Ok(Some(FileKey::new(
                bytes.expect("a body of 32 bytes has 16"),
            )))
        }
        Err(pqseal_hpke::Error::Open | pqseal_hpke::Error::Decap) => Ok(None),
        Err(error @ (pqseal_hpke::Error::KeyUnavailable | pqseal_hpke::Error::Miscomputed)) => {
            Err(error.into())
        }
        Err(_) => Err(HeaderError::Share.into()),
    }
}

impl HpkeKind {
    /// Returns the kind for the keys of a KEM.
    pub fn of_kem(id: u16) -> Option<&'static Self> {
        HPKE_KINDS
            .iter()
            .copied()
            .find(|kind| kind.kem.info().id == id)
    }

    /// Reports whether a Bech32 prefix is that of its recipients.
    pub(crate) fn is_recipient(&self, prefix: &str) -> bool {
        self.recipient == prefix
    }

    fn suite(&self) -> FileSuite {
        suite(self.kem)
    }

    /// Returns the tag of a stanza for a key, four bytes.
    fn tag(&self, key: &AnyPublicKey, enc: &[u8]) -> Option<[u8; 4]> {
        let hash = match self.tag? {
            TagInput::Compressed => Sha256::digest(compressed(key.as_ref())),
            TagInput::From(start) => Sha256::digest(&key.as_ref()[start..]),
        };
        let tag = crypto::extract(self.info.as_bytes(), &[enc, &hash[..4]]);
        tag.as_ref().first_chunk().copied()
    }
}

/// A public key of an [`HpkeKind`].
#[derive(Clone)]
pub struct HpkeRecipient {
    kind: &'static HpkeKind,
    key: AnyPublicKey,
}

impl HpkeRecipient {
    /// Creates a recipient from a public key whose KEM belongs to a kind.
    ///
    /// # Errors
    /// [`KeyError::Kem`].
    pub fn from_key(key: AnyPublicKey) -> Result<Self, KeyError> {
        let kind = HpkeKind::of_kem(key.kem().id).ok_or(KeyError::Kem)?;
        Ok(Self { kind, key })
    }

    /// Reads the text of a recipient of this kind.
    ///
    /// # Errors
    /// The reason why it is not valid.
    pub fn read(kind: &'static HpkeKind, text: &str) -> Result<Self, KeyError> {
        let mut bytes = key_text::read(kind.recipient, text)?.to_vec();
        if let Some(TagInput::Compressed) = kind.tag {
            bytes = uncompressed(&bytes)?;
        }
        let key = kind.kem.deserialize_public_key(&bytes);
        let key = key.map_err(|_| KeyError::Bytes)?;
        Ok(Self { kind, key })
    }

    /// Returns the kind.
    pub fn kind(&self) -> &'static HpkeKind {
        self.kind
    }
}

/// A private key of an [`HpkeKind`].
pub struct HpkeIdentity {
    kind: &'static HpkeKind,
    key: AnyPrivateKey,
    recipient: HpkeRecipient,
}

impl HpkeIdentity {
    /// Generates an identity.
    ///
    /// # Errors
    /// An error if the random number generator fails.
    pub fn generate(kind: &'static HpkeKind) -> Result<Self, Error> {
        let (key, _) = kind.suite().generate_key_pair(&mut SysRng)?;
        Ok(Self::from_key(key)?)
    }

    /// Creates an identity from a private key whose KEM belongs to a kind.
    ///
    /// # Errors
    /// [`KeyError::Kem`].
    pub fn from_key(key: AnyPrivateKey) -> Result<Self, KeyError> {
        let kind = HpkeKind::of_kem(key.kem().id).ok_or(KeyError::Kem)?;
        let public = kind.kem.public_key(&key).map_err(|_| KeyError::Bytes)?;
        let recipient = HpkeRecipient { kind, key: public };
        Ok(Self {
            kind,
            key,
            recipient,
        })
    }

    /// Reads the text of an identity, of a kind that has one: `AGE-SECRET-KEY-PQ-1...`.
    ///
    /// # Errors
    /// The reason why it is not valid.
    pub fn read(kind: &'static HpkeKind, text: &str) -> Result<Self, KeyError> {
        let prefix = kind.identity.ok_or(KeyError::Unknown)?;
        let key = kind
            .kem
            .deserialize_private_key(&key_text::read_secret(prefix, text)?);
        Self::from_key(key.map_err(KeyError::from)?)
    }

    /// Returns the text, or `None` for a kind whose keys are in hardware.
    pub fn to_text(&self) -> Option<Zeroizing<String>> {
        let bytes = self.kind.kem.serialize_private_key(&self.key).ok()?;
        let prefix = self.kind.identity?;
        Some(key_text::write_secret(prefix, bytes.as_ref()))
    }

    /// Returns the recipient.
    pub fn recipient(&self) -> HpkeRecipient {
        self.recipient.clone()
    }

    fn open(&self, stanza: &Stanza) -> Result<Option<FileKey>, Error> {
        let enc = match (&stanza.args[..], self.kind.tag) {
            ([enc], None) => stanza.share(enc)?,
            ([tag, enc], Some(_)) => {
                let (tag, enc) = (stanza.share(tag)?, stanza.share(enc)?);
                let ours = self.kind.tag(&self.recipient.key, &enc);
                match ours.is_some_and(|ours| bool::from(ours[..].ct_eq(&tag))) {
                    true => enc,
                    false => return Ok(None),
                }
            }
            _ => return Err(HeaderError::Arguments.into()),
        };
        if enc.len() != self.kind.kem.info().n_enc {
            return Err(HeaderError::Arguments.into());
        }
        let (kind, body) = (self.kind, crypto::wrapped(&stanza.body)?);
        unwrap(kind.kem, &enc, &self.key, kind.info.as_bytes(), body)
    }
}

impl Recipient for HpkeRecipient {
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
        let info = self.kind.info.as_bytes();
        let suite = self.kind.suite();
        let key = file_key.as_bytes();
        let (enc, body) = suite.seal(&self.key, info, Mode::Base, b"", key, &mut SysRng)?;
        let tag = self.kind.tag(&self.key, &enc);
        let args = tag.iter().map(|tag| &tag[..]).chain([&enc[..]]);
        let args = args.map(Base64Unpadded::encode_string).collect();
        Ok(vec![Stanza::new(self.kind.name, args, body)])
    }

    fn labels(&self) -> &[&'static str] {
        match self.kind.post_quantum {
            true => POST_QUANTUM,
            false => &[],
        }
    }

    fn public_key(&self) -> Option<AnyPublicKey> {
        Some(self.key.clone())
    }
}

impl Identity for HpkeIdentity {
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error> {
        first_of(self.kind.name, stanzas, |stanza| self.open(stanza))
    }

    fn private_key(&self) -> Option<AnyPrivateKey> {
        Some(self.key.clone())
    }

    fn recipient_text(&self) -> Option<String> {
        Some(self.recipient.to_string())
    }
}

impl fmt::Display for HpkeRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.kind.tag {
            Some(TagInput::Compressed) => {
                key_text::write(self.kind.recipient, &compressed(self.key.as_ref()))
            }
            _ => key_text::write(self.kind.recipient, self.key.as_ref()),
        };
        f.write_str(&text)
    }
}

impl fmt::Debug for HpkeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for HpkeRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HpkeRecipient({})", self.kind.name)
    }
}

impl fmt::Debug for HpkeIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HpkeIdentity({})", self.kind.name)
    }
}

/// Compresses a point (SEC 1, section 2.3.3): 02 or 03 by the parity of y, then x. The input has
/// 65 bytes: 04, x, y.
fn compressed(point: &[u8]) -> Vec<u8> {
    let parity = 2 + (point[point.len() - 1] & 1);
    [&[parity], &point[1..33]].concat()
}

/// Returns the 65 bytes of a compressed point of 33 bytes.
fn uncompressed(point: &[u8]) -> Result<Vec<u8>, KeyError> {
    if point.len() != 33 {
        return Err(KeyError::Bytes);
    }
    let point = p256::PublicKey::from_sec1_bytes(point).map_err(|_| KeyError::Bytes)?;
    Ok(point.to_sec1_point(false).as_bytes().to_vec())
}
