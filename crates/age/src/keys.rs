//! Recipients and identities as text: those of age, and keys in pqseal's formats whose KEM age
//! supports.

mod convert;
mod lines;
#[cfg(feature = "encrypted-pkcs8")]
pub mod pkcs8;

use std::{fmt, sync::Arc};

use pqseal_hpke::{Component, KemInfo, Policy};
use zeroize::Zeroizing;

pub use convert::{identity_of, identity_text, recipient_of, recipient_text};
pub use lines::LineError;
use lines::{each_line, each_line_numbered};

use crate::{
    Error, HPKE_KINDS, HpkeIdentity, HpkeRecipient, Identity, KeyError, MLKEM768X25519,
    PqsealIdentity, PqsealRecipient, Recipient, X25519Identity, X25519Recipient,
    plugin::{PluginIdentity, PluginRecipient, Ui},
};

/// A recipient of any known kind.
pub type AnyRecipient = Box<dyn Recipient>;
/// An identity of any known kind.
pub type AnyIdentity = Box<dyn Identity>;

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
        let text = pqseal_keys::after_comments(text).trim();
        if is_private(text) {
            return Err(KeyError::Private.into());
        }
        // The separator is the last 1, so a longer prefix is another kind.
        match text.rsplit_once('1').map(|(prefix, _)| prefix) {
            Some("age") => Ok(Box::new(text.parse::<X25519Recipient>()?)),
            Some(prefix) if prefix.starts_with("age1") => self.hpke_recipient(prefix, text),
            _ if is_ssh_public(text) => ssh_recipient(text),
            _ if is_ours(text) => {
                let key = pqseal_keys::read_public(text, None).map_err(|_| KeyError::Bytes)?;
                self.allow(key.kem())?;
                Ok(recipient_of(key)?)
            }
            _ => Err(KeyError::Unknown.into()),
        }
    }

    fn hpke_recipient(&self, prefix: &str, text: &str) -> Result<AnyRecipient, Error> {
        if let Some(kind) = HPKE_KINDS.iter().find(|kind| kind.is_recipient(prefix)) {
            return Ok(Box::new(HpkeRecipient::read(kind, text)?));
        }
        if prefix == "age1pqseal" {
            let recipient = PqsealRecipient::read(text)?;
            self.allow(recipient.kem())?;
            return Ok(Box::new(recipient));
        }
        Ok(Box::new(PluginRecipient::read(text, self.ui()?)?))
    }

    fn ui(&self) -> Result<Arc<dyn Ui>, KeyError> {
        self.plugins.clone().ok_or(KeyError::Plugin)
    }

    fn allow(&self, kem: &KemInfo) -> Result<(), KeyError> {
        let checked = self.policy.check(Component::Kem, kem.id, kem.status);
        checked.map_err(|_| KeyError::Experimental)
    }

    /// Reads the recipients of a file with one per line, where `#` begins a comment line. A PEM or
    /// JWK file is a single recipient.
    ///
    /// # Errors
    /// [`Error::Key`], with [`KeyError::Empty`] if there is none.
    pub fn recipients(&self, text: &str) -> Result<Vec<AnyRecipient>, LineError> {
        if is_several_lines(text) {
            return Ok(vec![
                self.recipient(text).map_err(|e| LineError::new(1, e))?,
            ]);
        }
        each_line(text, |line| self.recipient(line))
    }

    /// Reads the recipients of a file that may have lines of `authorized_keys`. Like `age`, it
    /// leaves out SSH keys that cannot encrypt, which are returned as the second list.
    ///
    /// # Errors
    /// The errors of [`Reader::recipients`].
    pub fn recipients_and_skipped(
        &self,
        text: &str,
    ) -> Result<(Vec<AnyRecipient>, Vec<LineError>), LineError> {
        if is_several_lines(text) {
            return Ok((self.recipients(text)?, Vec::new()));
        }
        let mut skipped = Vec::new();
        let found = each_line_numbered(text, |line, number| match self.recipient(line) {
            Err(error) if is_skipped(&error) => {
                skipped.push(LineError::new(number, error));
                Ok(None)
            }
            found => found.map(Some),
        })?;
        let found: Vec<_> = found.into_iter().flatten().collect();
        match (found.is_empty(), skipped.is_empty()) {
            (true, false) => Err(skipped.swap_remove(0)),
            _ => Ok((found, skipped)),
        }
    }

    /// Reads the identities of a file, in the format of `age-keygen`, or as one or more private
    /// keys in pqseal's formats.
    ///
    /// # Errors
    /// [`Error::Key`], with [`KeyError::Empty`] if there is none.
    pub fn identities(&self, text: &str) -> Result<Vec<AnyIdentity>, LineError> {
        if is_ssh_private(text) {
            let identity = ssh_identity(text).map_err(|e| LineError::new(1, e))?;
            return Ok(vec![identity]);
        }
        if is_several_lines(text) {
            let found = pqseal_keys::read_private_keys(text, None);
            let found =
                found.map_err(|e| LineError::new(e.line.unwrap_or(1), KeyError::Bytes.into()))?;
            let found = found.into_iter().map(|labelled| identity_of(labelled.key));
            return found
                .map(|identity| identity.map_err(|e| LineError::new(1, e.into())))
                .collect();
        }
        each_line(text, |line| self.identity(line))
    }

    /// Reads an identity: `AGE-SECRET-KEY-...`, `AGE-PLUGIN-...`, or a private key as a line in
    /// pqseal's format, optionally below comments.
    ///
    /// # Errors
    /// [`Error::Key`].
    pub fn identity(&self, text: &str) -> Result<AnyIdentity, Error> {
        let text = pqseal_keys::after_comments(text).trim();
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
            _ if is_ssh_private(text) => return ssh_identity(text),
            _ if is_ours(text) => {
                let key = pqseal_keys::read_private(text, None).map_err(of_library)?;
                return Ok(identity_of(key)?);
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
pub fn read_recipients(text: &str) -> Result<Vec<AnyRecipient>, LineError> {
    Reader::default().recipients(text)
}

/// Reads the identities of a file with the default [`Reader`].
///
/// # Errors
/// The errors of [`Reader::identities`].
pub fn read_identities(text: &str) -> Result<Vec<AnyIdentity>, LineError> {
    Reader::default().identities(text)
}

/// Reads an identity with the default [`Reader`].
///
/// # Errors
/// The errors of [`Reader::identity`].
pub fn read_identity(text: &str) -> Result<AnyIdentity, Error> {
    Reader::default().identity(text)
}

/// Reports whether the text is PEM or JSON.
fn is_several_lines(text: &str) -> bool {
    text.contains("-----BEGIN ") || text.trim_start().starts_with('{')
}

fn is_ours(text: &str) -> bool {
    is_several_lines(text) || text.starts_with("pqseal-")
}

/// Reports whether the text is a line of `authorized_keys` without options.
fn is_ssh_public(text: &str) -> bool {
    ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Reports whether the text is a private key in a format that only SSH uses.
fn is_ssh_private(text: &str) -> bool {
    ["OPENSSH", "RSA", "DSA"]
        .iter()
        .any(|kind| text.contains(&format!("-----BEGIN {kind} PRIVATE KEY-----")))
}

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

fn is_skipped(error: &Error) -> bool {
    matches!(error, Error::Key(KeyError::Ssh(why)) if why.cannot_encrypt())
}

fn is_private(text: &str) -> bool {
    text.starts_with("AGE-SECRET-KEY-")
        || text.starts_with("AGE-PLUGIN-")
        || text.starts_with("pqseal-private-key:")
        || text.contains("PRIVATE KEY-----")
}

/// Returns the output of `age-keygen`: the identity and, as a comment, its recipient. `created` is
/// a time in RFC 3339.
pub fn identity_file(identity: &str, recipient: &str, created: &str) -> Zeroizing<String> {
    Zeroizing::new(format!(
        "# created: {created}\n# public key: {recipient}\n{identity}\n"
    ))
}

/// Converts an error of the library in the text of a private key.
fn of_library(error: pqseal_keys::KeyError) -> KeyError {
    match error {
        pqseal_keys::KeyError::Hpke(error) => error.into(),
        _ => KeyError::Bytes,
    }
}
