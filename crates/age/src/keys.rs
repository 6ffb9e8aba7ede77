//! Recipients and identities as text: those of age, and keys in pqseal's formats whose KEM age
//! supports.

use std::{fmt, sync::Arc};

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, Component, KemInfo, Policy};
use pqseal_keys::{Content, Entry, KeyFormat, KeyText, kem_by_id};
use zeroize::Zeroizing;

use crate::{
    Error, HPKE_KINDS, HpkeIdentity, HpkeKind, HpkeRecipient, Identity, KeyError, MLKEM768X25519,
    PqsealIdentity, PqsealRecipient, Recipient, X25519Identity, X25519Recipient,
    plugin::{PluginIdentity, PluginRecipient, Ui},
};

/// A recipient of any known kind.
pub type AnyRecipient = Box<dyn Recipient>;
/// An identity of any known kind.
pub type AnyIdentity = Box<dyn Identity>;

/// An error of a key file, with its line.
#[derive(Debug)]
pub struct LineError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem with the line.
    pub error: Error,
}

/// A reader of recipients and identities, with a policy for their KEMs and optional support for
/// plugins.
#[derive(Clone)]
pub struct Reader {
    policy: Policy,
    plugins: Option<Arc<dyn Ui>>,
}

impl Default for Reader {
    /// Creates a reader for standard and draft KEMs, without plugins.
    fn default() -> Self {
        Self {
            policy: Policy::draft(),
            plugins: None,
        }
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Reader({}, plugins: {})",
            self.policy,
            self.plugins.is_some()
        )
    }
}

impl Reader {
    /// Sets the policy for the KEMs of recipients.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Enables plugins, which reach the user through `ui`.
    #[must_use]
    pub fn with_plugins(self, ui: Arc<dyn Ui>) -> Self {
        let plugins = Some(ui);
        Self { plugins, ..self }
    }

    /// Reads a recipient: `age1...`, or a public key in one of pqseal's formats, optionally below
    /// comments. Text without the marks of either is not read as base64.
    ///
    /// # Errors
    /// [`Error::Key`].
    pub fn recipient(&self, text: &str) -> Result<AnyRecipient, Error> {
        let text = KeyText::new(text.as_bytes()).map_err(KeyError::from)?;
        self.recipient_in(text.single())
    }

    fn recipient_in(&self, content: Content<'_>) -> Result<AnyRecipient, Error> {
        match content {
            Content::Line(text) if !text.starts_with("pqseal-") => self.recipient_line(text),
            Content::Line(text) if text.starts_with("pqseal-private-key:") => {
                Err(KeyError::Private.into())
            }
            Content::Pem { label, .. } if label.ends_with("PRIVATE KEY") => {
                Err(KeyError::Private.into())
            }
            ours => {
                let key = ours.public(None).map_err(KeyError::from)?;
                self.allow(key.kem())?;
                Ok(recipient_of(key)?)
            }
        }
    }

    fn recipient_line(&self, text: &str) -> Result<AnyRecipient, Error> {
        if text.starts_with("AGE-SECRET-KEY-") || text.starts_with("AGE-PLUGIN-") {
            return Err(KeyError::Private.into());
        }
        // The separator is the last 1, so a longer prefix is another kind.
        match text.rsplit_once('1').map(|(prefix, _)| prefix) {
            Some("age") => Ok(Box::new(text.parse::<X25519Recipient>()?)),
            Some("age1pqseal") => {
                let recipient = PqsealRecipient::read(text)?;
                self.allow(recipient.kem())?;
                Ok(Box::new(recipient))
            }
            Some(prefix) if prefix.starts_with("age1") => {
                match HPKE_KINDS.iter().find(|kind| kind.is_recipient(prefix)) {
                    Some(kind) => Ok(Box::new(HpkeRecipient::read(kind, text)?)),
                    None => Ok(Box::new(PluginRecipient::read(text, self.ui()?)?)),
                }
            }
            _ if is_ssh_public(text) => ssh_recipient(text),
            _ => Err(KeyError::Unknown.into()),
        }
    }

    fn ui(&self) -> Result<Arc<dyn Ui>, KeyError> {
        self.plugins.clone().ok_or(KeyError::Plugin)
    }

    fn allow(&self, kem: &KemInfo) -> Result<(), KeyError> {
        let checked = self.policy.check(Component::Kem, kem.id, kem.status);
        checked.map_err(|_| KeyError::Experimental)
    }

    /// Reads the recipients of a file: text with one per line, as a PEM block or as JWK. `#` starts
    /// a comment.
    ///
    /// # Errors
    /// [`Error::Key`], with [`KeyError::Empty`] if there is none.
    pub fn recipients(&self, file: impl AsRef<[u8]>) -> Result<Vec<AnyRecipient>, LineError> {
        each(file.as_ref(), |entry| {
            Ok(vec![self.recipient_in(entry.content)?])
        })
    }

    /// Reads the recipients of a file that may have lines of `authorized_keys`. Like `age`, it
    /// leaves out SSH keys that cannot encrypt, which are returned as the second list.
    ///
    /// # Errors
    /// The errors of [`Reader::recipients`].
    pub fn recipients_and_skipped(
        &self,
        file: impl AsRef<[u8]>,
    ) -> Result<(Vec<AnyRecipient>, Vec<LineError>), LineError> {
        let mut skipped = Vec::new();
        let found = each(file.as_ref(), |entry| {
            match self.recipient_in(entry.content) {
                Err(Error::Key(KeyError::Ssh(why))) if why.cannot_encrypt() => {
                    let (line, error) = (entry.line, why.into());
                    skipped.push(LineError { line, error });
                    Ok(Vec::new())
                }
                found => Ok(vec![found?]),
            }
        });
        match found {
            Err(_) if !skipped.is_empty() => Err(skipped.swap_remove(0)),
            found => Ok((found?, skipped)),
        }
    }

    /// Reads the identities of a file, in the format of `age-keygen`, or as one or more private
    /// keys in pqseal's formats. Other text and other blocks may surround PEM blocks; `skipped` is
    /// called with each.
    ///
    /// # Errors
    /// [`Error::Key`], with [`KeyError::Empty`] if there is none.
    pub fn identities(
        &self,
        file: impl AsRef<[u8]>,
        mut skipped: impl FnMut(&Entry<'_>),
    ) -> Result<Vec<AnyIdentity>, LineError> {
        let file = file.as_ref();
        let has_blocks =
            KeyText::new(file).is_ok_and(|text| text.entries().any(|entry| entry.content.is_pem()));
        each(file, |entry| match self.identities_in(entry.content) {
            Err(_) if has_blocks && !entry.content.should_be_private() => {
                skipped(entry);
                Ok(Vec::new())
            }
            found => {
                let (found, all) = found?;
                if !all {
                    skipped(entry);
                }
                Ok(found)
            }
        })
    }

    /// Reads an identity: `AGE-SECRET-KEY-...`, `AGE-PLUGIN-...`, or a private key in one of
    /// pqseal's formats, optionally below comments.
    ///
    /// # Errors
    /// [`Error::Key`].
    pub fn identity(&self, text: &str) -> Result<AnyIdentity, Error> {
        let text = KeyText::new(text.as_bytes()).map_err(KeyError::from)?;
        let (found, _) = self.identities_in(text.single())?;
        Ok(found.into_iter().next().ok_or(KeyError::Empty)?)
    }

    /// Reads the identities in an entry: several if it is a JWK Set. Reports whether these are all
    /// that it holds.
    fn identities_in(&self, content: Content<'_>) -> Result<(Vec<AnyIdentity>, bool), Error> {
        match content {
            Content::Line(text) if !text.starts_with("pqseal-") => {
                Ok((vec![self.identity_line(text)?], true))
            }
            Content::Pem { label, text } if SSH_PRIVATE.contains(&label) => {
                Ok((vec![ssh_identity(text)?], true))
            }
            ours => match (ours.private_keys(None), ours) {
                // PKCS#8 of another algorithm, such as Ed25519.
                (
                    Err(pqseal_keys::KeyError::UnknownKem),
                    Content::Pem {
                        label: "PRIVATE KEY",
                        text,
                    },
                ) => Ok((vec![ssh_identity(text)?], true)),
                (found, _) => {
                    let (keys, all) = found.map_err(KeyError::from)?;
                    let identities = keys.into_iter().map(identity_of);
                    Ok((identities.collect::<Result<_, _>>()?, all))
                }
            },
        }
    }

    fn identity_line(&self, text: &str) -> Result<AnyIdentity, Error> {
        Ok(match text {
            _ if text.starts_with("AGE-SECRET-KEY-PQ-1") => {
                Box::new(HpkeIdentity::read(&MLKEM768X25519, text)?)
            }
            _ if text.starts_with("AGE-SECRET-KEY-1") => Box::new(text.parse::<X25519Identity>()?),
            _ if text.starts_with("AGE-PLUGIN-PQSEAL-1") => Box::new(PqsealIdentity::read(text)?),
            _ if text.starts_with("AGE-PLUGIN-") => {
                Box::new(PluginIdentity::read(text, self.ui()?)?)
            }
            _ if text.starts_with("age1") || is_ssh_public(text) => {
                return Err(KeyError::Public.into());
            }
            _ => return Err(KeyError::Unknown.into()),
        })
    }
}

/// Reads a recipient with the default [`Reader`].
///
/// # Errors
/// The errors of [`Reader::recipient`].
pub fn read_recipient(text: &str) -> Result<AnyRecipient, Error> {
    Reader::default().recipient(text)
}

/// Reads the recipients of a file with the default [`Reader`].
///
/// # Errors
/// The errors of [`Reader::recipients`].
pub fn read_recipients(file: impl AsRef<[u8]>) -> Result<Vec<AnyRecipient>, LineError> {
    Reader::default().recipients(file)
}

/// Reads the identities of a file with the default [`Reader`].
///
/// # Errors
/// The errors of [`Reader::identities`].
pub fn read_identities(file: impl AsRef<[u8]>) -> Result<Vec<AnyIdentity>, LineError> {
    Reader::default().identities(file, |_| ())
}

/// Reads an identity with the default [`Reader`].
///
/// # Errors
/// The errors of [`Reader::identity`].
pub fn read_identity(text: &str) -> Result<AnyIdentity, Error> {
    Reader::default().identity(text)
}

/// DHKEM(X25519, HKDF-SHA256), whose keys are those of age's `X25519`.
const X25519: u16 = 0x0020;

/// Returns the recipient of a public key: one of age's if its KEM has one, or else a
/// [`PqsealRecipient`]. No policy is applied.
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn recipient_of(key: AnyPublicKey) -> Result<AnyRecipient, KeyError> {
    Ok(match key.kem().id {
        X25519 => Box::new(X25519Recipient::from_bytes(key.as_ref())?),
        id if HpkeKind::of_kem(id).is_some() => Box::new(HpkeRecipient::from_key(key)?),
        _ => Box::new(PqsealRecipient::from_key(key)),
    })
}

/// Returns the identity of a private key, in the same way as [`recipient_of`].
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn identity_of(key: AnyPrivateKey) -> Result<AnyIdentity, KeyError> {
    Ok(match key.kem().id {
        X25519 => {
            let kem = kem_by_id(X25519).ok_or(KeyError::Kem)?;
            let bytes = kem.serialize_private_key(&key);
            let bytes = bytes.map_err(|_| KeyError::Bytes)?;
            Box::new(X25519Identity::from_bytes(bytes.as_ref())?)
        }
        id if HpkeKind::of_kem(id).is_some() => Box::new(HpkeIdentity::from_key(key)?),
        _ => Box::new(PqsealIdentity::from_key(key)?),
    })
}

/// Returns the text of a public key as a recipient, which
/// [`Reader::recipient`] reads.
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn recipient_text(key: &AnyPublicKey) -> Result<String, KeyError> {
    Ok(match key.kem().id {
        X25519 => X25519Recipient::from_bytes(key.as_ref())?.to_string(),
        id if HpkeKind::of_kem(id).is_some() => HpkeRecipient::from_key(key.clone())?.to_string(),
        _ => PqsealRecipient::from_key(key.clone()).to_string(),
    })
}

/// Returns the text of a private key as an identity, which
/// [`Reader::identity`] reads. It is in age's format if the KEM has one,
/// and a line in pqseal's format if age keeps such keys only in hardware.
///
/// # Errors
/// [`KeyError::Bytes`].
pub fn identity_text(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    match key.kem().id {
        X25519 => {
            let bytes = key.to_bytes().map_err(|_| KeyError::Bytes)?;
            Ok(X25519Identity::from_bytes(bytes.as_ref())?.to_text())
        }
        id if HpkeKind::of_kem(id).is_some() => {
            match HpkeIdentity::from_key(key.clone())?.to_text() {
                Some(text) => Ok(text),
                None => {
                    pqseal_keys::write_private(key, KeyFormat::Line).map_err(|_| KeyError::Bytes)
                }
            }
        }
        _ => PqsealIdentity::from_key(key.clone())?.to_text(),
    }
}

/// Applies `read` to each entry of a file.
fn each<T>(
    file: &[u8],
    mut read: impl FnMut(&Entry<'_>) -> Result<Vec<T>, Error>,
) -> Result<Vec<T>, LineError> {
    let text = KeyText::new(file).map_err(|error| LineError {
        line: 1,
        error: KeyError::from(error).into(),
    })?;
    let mut found = Vec::new();
    for entry in text.entries() {
        let line = entry.line;
        found.extend(read(&entry).map_err(|error| LineError { line, error })?);
    }
    match found.is_empty() {
        true => Err(LineError {
            line: 1,
            error: KeyError::Empty.into(),
        }),
        false => Ok(found),
    }
}

/// Reports whether the text is a line of `authorized_keys` without options.
fn is_ssh_public(text: &str) -> bool {
    ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// The labels of private keys in formats that only SSH uses.
const SSH_PRIVATE: [&str; 3] = ["OPENSSH PRIVATE KEY", "RSA PRIVATE KEY", "DSA PRIVATE KEY"];

#[cfg(feature = "ssh")]
fn ssh_recipient(text: &str) -> Result<AnyRecipient, Error> {
    Ok(Box::new(text.parse::<crate::SshRecipient>()?))
}

#[cfg(feature = "ssh")]
fn ssh_identity(text: &str) -> Result<AnyIdentity, Error> {
    Ok(Box::new(crate::SshIdentity::read(text, None)?))
}

#[cfg(not(feature = "ssh"))]
fn ssh_recipient(_text: &str) -> Result<AnyRecipient, Error> {
    Err(crate::SshError::Unsupported.into())
}

#[cfg(not(feature = "ssh"))]
fn ssh_identity(_text: &str) -> Result<AnyIdentity, Error> {
    Err(crate::SshError::Unsupported.into())
}

/// Returns the output of `age-keygen`: the identity and, as a comment, its recipient. `created` is
/// a time in RFC 3339.
pub fn identity_file(identity: &str, recipient: &str, created: &str) -> Zeroizing<String> {
    Zeroizing::new(format!(
        "# created: {created}\n# public key: {recipient}\n{identity}\n"
    ))
}

/// Keeps the reason that the owner of the key can do something about.
impl From<pqseal_keys::KeyError> for KeyError {
    fn from(error: pqseal_keys::KeyError) -> Self {
        match error {
            pqseal_keys::KeyError::Hpke(error) => error.into(),
            pqseal_keys::KeyError::Text(what) => Self::Text(what),
            pqseal_keys::KeyError::PublicOnly => Self::Public,
            _ => Self::Bytes,
        }
    }
}
