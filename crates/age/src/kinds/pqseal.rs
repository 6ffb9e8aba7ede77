//! `pqseal`: recipients with a KEM that age does not support, such as MLKEM1024-P384. `age` and
//! `rage` reach them through the plugin `age-plugin-pqseal`. docs/files.md has the same table.
//!
//! | part | bytes |
//! |---|---|
//! | recipient | Bech32, prefix `age1pqseal`: KEM id (2, big-endian), public key (Npk) |
//! | identity | Bech32, prefix `AGE-PLUGIN-PQSEAL-`: KEM id (2, big-endian), private key (Nsk) |
//! | stanza | `-> pqseal KEM ENC`: the KEM id as 4 hexadecimal digits, the encapsulated key (Nenc) in base64 |
//! | body | the file key (16) sealed with HPKE in base mode, HKDF-SHA256, ChaCha20Poly1305, info `age-plugin-pqseal v1`, no aad: 32 |

use base64ct::{Base64Unpadded, Encoding};
use getrandom::SysRng;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem, KemInfo, Mode};
use pqseal_keys::kem_by_id;
use std::fmt;
use zeroize::Zeroizing;

use super::{Identity, POST_QUANTUM, Recipient, first_of, hpke as kinds};
use crate::{Error, FileKey, HeaderError, KeyError, Stanza, crypto, key_text};

/// The kind of the stanza.
pub(crate) const KIND: &str = "pqseal";
const INFO: &[u8] = b"age-plugin-pqseal v1";
const RECIPIENT: &str = "age1pqseal";
const IDENTITY: &str = "age-plugin-pqseal-";

/// A public key of any KEM: `age1pqseal1...`.
#[derive(Clone)]
pub struct PqsealRecipient(AnyPublicKey);

/// A private key of any KEM: `AGE-PLUGIN-PQSEAL-1...`.
pub struct PqsealIdentity {
    key: AnyPrivateKey,
    recipient: PqsealRecipient,
}

impl PqsealRecipient {
    /// Creates a recipient from its key.
    pub fn from_key(key: AnyPublicKey) -> Self {
        Self(key)
    }

    /// Reads the text of a recipient. No policy is applied: see [`PqsealRecipient::kem`].
    ///
    /// # Errors
    /// The reason why it is not valid.
    pub fn read(text: &str) -> Result<Self, KeyError> {
        let bytes = key_text::read(RECIPIENT, text)?;
        let (kem, key) = with_kem(&bytes)?;
        let key = kem.deserialize_public_key(key);
        Ok(Self(key.map_err(|_| KeyError::Bytes)?))
    }

    /// Returns the KEM.
    pub fn kem(&self) -> &KemInfo {
        self.0.kem()
    }
}

impl PqsealIdentity {
    /// Creates an identity from its key.
    ///
    /// # Errors
    /// [`KeyError::Bytes`] if it has no public key.
    pub fn from_key(key: AnyPrivateKey) -> Result<Self, KeyError> {
        let public = key.public_key().map_err(|_| KeyError::Bytes)?;
        let recipient = PqsealRecipient(public);
        Ok(Self { key, recipient })
    }

    /// Reads the text of an identity.
    ///
    /// # Errors
    /// The reason why it is not valid.
    pub fn read(text: &str) -> Result<Self, KeyError> {
        let bytes = key_text::read_secret(IDENTITY, text)?;
        let (kem, key) = with_kem(&bytes)?;
        let key = kem.deserialize_private_key(key);
        Self::from_key(key.map_err(KeyError::from)?)
    }

    /// Returns the text.
    ///
    /// # Errors
    /// [`KeyError::Bytes`] for a key that cannot be exported.
    pub fn to_text(&self) -> Result<Zeroizing<String>, KeyError> {
        let key = self.key.to_bytes().map_err(|_| KeyError::Bytes)?;
        let id = self.key.kem().id.to_be_bytes();
        let bytes = Zeroizing::new([&id, key.as_ref()].concat());
        Ok(key_text::write_secret(IDENTITY, &bytes))
    }

    /// Returns the recipient.
    pub fn recipient(&self) -> PqsealRecipient {
        self.recipient.clone()
    }

    /// Opens one stanza. Returns `None` if it is of another kind, KEM or key.
    pub(crate) fn open(&self, stanza: &Stanza) -> Result<Option<FileKey>, Error> {
        match parse(stanza)? {
            Some(parsed) if parsed.kem.info().id == self.key.kem().id => {
                kinds::unwrap(parsed.kem, &parsed.enc, &self.key, INFO, parsed.body)
            }
            _ => Ok(None),
        }
    }
}

/// A stanza of this kind.
struct PqsealStanza<'s> {
    kem: &'static DynKem,
    enc: Vec<u8>,
    body: &'s [u8; 32],
}

/// Parses a stanza. Returns `None` for another kind, or an unknown KEM.
fn parse(stanza: &Stanza) -> Result<Option<PqsealStanza<'_>>, HeaderError> {
    if stanza.kind != KIND {
        return Ok(None);
    }
    let [kem, enc] = &stanza.args[..] else {
        return Err(HeaderError::Arguments);
    };
    if kem.len() != 4 || !kem.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(HeaderError::Arguments);
    }
    let id = u16::from_str_radix(kem, 16).map_err(|_| HeaderError::Arguments)?;
    let Some(kem) = kem_by_id(id) else {
        return Ok(None);
    };
    let enc = stanza.share(enc)?;
    if enc.len() != kem.info().n_enc {
        return Err(HeaderError::Arguments);
    }
    let body = crypto::wrapped(&stanza.body)?;
    Ok(Some(PqsealStanza { kem, enc, body }))
}

/// Checks that a stanza is of another kind, or is well-formed.
pub(crate) fn check(stanza: &Stanza) -> Result<(), HeaderError> {
    parse(stanza).map(drop)
}

/// Reports whether the KEM of a `pqseal` stanza withstands a quantum computer. `None` if it is
/// unknown.
pub(super) fn stanza_is_post_quantum(stanza: &Stanza) -> Option<bool> {
    let parsed = parse(stanza).ok()??;
    Some(is_post_quantum(parsed.kem.info()))
}

/// Reports whether the KEM is post-quantum. In the registry only purely classical KEMs have
/// authenticated modes, which require Diffie-Hellman.
pub(crate) fn is_post_quantum(kem: &KemInfo) -> bool {
    !kem.auth
}

/// Returns the KEM that the first two bytes name, and the rest.
fn with_kem(bytes: &[u8]) -> Result<(&'static DynKem, &[u8]), KeyError> {
    let (id, key) = bytes.split_first_chunk().ok_or(KeyError::Bytes)?;
    let kem = kem_by_id(u16::from_be_bytes(*id)).ok_or(KeyError::Kem)?;
    Ok((kem, key))
}

impl Recipient for PqsealRecipient {
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
        let id = self.0.kem().id;
        let kem = kem_by_id(id).ok_or(KeyError::Kem)?;
        let suite = kinds::suite(kem);
        let key = file_key.as_bytes();
        let (enc, body) = suite.seal(&self.0, INFO, Mode::Base, b"", key, &mut SysRng)?;
        let args = vec![format!("{id:04x}"), Base64Unpadded::encode_string(&enc)];
        Ok(vec![Stanza::new(KIND, args, body)])
    }

    fn labels(&self) -> &[&'static str] {
        match is_post_quantum(self.kem()) {
            true => POST_QUANTUM,
            false => &[],
        }
    }

    fn public_key(&self) -> Option<AnyPublicKey> {
        Some(self.0.clone())
    }
}

impl Identity for PqsealIdentity {
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error> {
        first_of(KIND, stanzas, |stanza| self.open(stanza))
    }

    fn private_key(&self) -> Option<AnyPrivateKey> {
        Some(self.key.clone())
    }

    fn recipient_text(&self) -> Option<String> {
        Some(self.recipient.to_string())
    }
}

impl fmt::Display for PqsealRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&self.0.kem().id.to_be_bytes(), self.0.as_ref()].concat();
        f.write_str(&key_text::write(RECIPIENT, &bytes))
    }
}

impl fmt::Debug for PqsealRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PqsealRecipient({})", self.0.kem().short_name)
    }
}

impl fmt::Debug for PqsealIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PqsealIdentity({})", self.key.kem().short_name)
    }
}
