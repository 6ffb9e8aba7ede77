//! Private keys that open sealed values, but no matched data.

use std::sync::Arc;

use pqseal_age::{Error as AgeError, KeyError as AgeKeyError};
use pqseal_hpke::{AnyPrivateKey, DynKem};
use pqseal_keys::{
    Content, Entry, Fingerprint, KeyError, KeyText, LabelledKey, LineError, RsaPrivateKey,
};
use pqseal_matched_data::KeyName;
use zeroize::Zeroizing;

use crate::Kind;

/// A private key for sealed values of one kind, which is not used for matched data.
#[derive(Clone, Debug)]
pub struct OtherKey {
    pub(crate) private: OtherPrivateKey,
    name: KeyName,
}

/// The private half.
#[derive(Clone, Debug)]
pub(crate) enum OtherPrivateKey {
    /// For AI Gateway.
    Rsa(RsaPrivateKey),
    /// An identity of age, for its files.
    Age(AnyPrivateKey),
}

impl OtherKey {
    /// Reads all keys of a file: those for every kind, as [`KeyText::private_keys`], and those for
    /// one kind, which are RSA keys and age identities (`AGE-SECRET-KEY-...`); at least one.
    ///
    /// ```
    /// use pqseal_keys::KeyText;
    /// use pqseal_sealed::OtherKey;
    ///
    /// let file = b"# created: 2026-11-29T10:00:00Z
    /// AGE-SECRET-KEY-184JMZMVQH3E6U0PSL869004Y3U2NYV7R30EU99CSEDNPH02YUVFSZW44VU
    /// U7YkRU1hdwooQ++xwnKQDLUuzDSPYMmZFloWSBUXSYg=";
    /// let (keys, others) = OtherKey::read_all(&KeyText::new(file)?, None, |_| ())?;
    /// assert_eq!((keys.len(), others.len()), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`KeyText::private_keys`].
    pub fn read_all<'a>(
        text: &KeyText<'a>,
        kem: Option<&'static DynKem>,
        skipped: impl FnMut(&Entry<'a>),
    ) -> Result<(Vec<LabelledKey>, Vec<Self>), LineError> {
        text.private_keys_and(kem, Self::detect, skipped)
    }

    /// Reads an entry of a key file; `None` if it is not a key for one kind.
    ///
    /// # Errors
    /// If it is one, and cannot be read.
    pub fn detect(entry: &Entry<'_>) -> Result<Option<Self>, KeyError> {
        if let Content::Line(text) = entry.content
            && (text.starts_with("AGE-SECRET-KEY-") || text.starts_with("AGE-PLUGIN-"))
        {
            let identity = pqseal_age::keys::read_identity(text).map_err(|error| match error {
                AgeError::Key(AgeKeyError::Bech32) => {
                    KeyError::Text("it is an age identity with a wrong checksum; was it cut?")
                }
                _ => KeyError::Text("it is an age identity of a kind that is not supported"),
            })?;
            let key = identity.private_key();
            let key = key.ok_or(KeyError::Text("it is an age identity that has no key"))?;
            let id = Fingerprint::of(&pqseal_keys::public_key(&key)?).key_id();
            // `age-keygen` writes the recipient above it, which may have 2,000 characters.
            let label = entry
                .label()
                .filter(|label| !label.starts_with("public key:"));
            let name = KeyName {
                id,
                label: label.map(Arc::new),
            };
            return Ok(Some(Self {
                private: OtherPrivateKey::Age(key),
                name,
            }));
        }
        let key = RsaPrivateKey::detect(entry.content).transpose()?;
        Ok(key.map(|key| Self {
            name: KeyName {
                id: key.id(),
                label: entry.label().map(Arc::new),
            },
            private: OtherPrivateKey::Rsa(key),
        }))
    }

    /// Returns the name. The id of an age identity is that which its private key has as a key of
    /// matched data.
    pub const fn name(&self) -> &KeyName {
        &self.name
    }

    /// Returns the kind of the values that it opens.
    pub const fn kind(&self) -> Kind {
        match self.private {
            OtherPrivateKey::Rsa(_) => Kind::AiGateway,
            OtherPrivateKey::Age(_) => Kind::Age,
        }
    }

    /// Returns the private key: of RSA as PKCS#8 in DER, which WebCrypto imports, an age identity as
    /// text.
    ///
    /// # Errors
    /// [`KeyError`] for a key that age has no text for.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        Ok(Zeroizing::new(match &self.private {
            OtherPrivateKey::Rsa(key) => key.pkcs8().to_vec(),
            OtherPrivateKey::Age(key) => {
                let text = pqseal_age::keys::identity_text(key);
                let text = text.map_err(|_| KeyError::Text("it is a key without a text in age"))?;
                text.as_bytes().to_vec()
            }
        }))
    }

    /// Describes the kind of the key, such as `RSA with 2048 bits`.
    pub fn description(&self) -> String {
        match &self.private {
            OtherPrivateKey::Rsa(key) => format!("RSA with {} bits", key.modulus_len() * 8),
            OtherPrivateKey::Age(key) => format!("{}, an age identity", key.kem().short_name),
        }
    }
}
