//! The recipients and identities: one trait for each, and a module per kind.

mod hpke;
pub(crate) mod pqseal;
mod scrypt;
#[cfg(feature = "ssh")]
pub(crate) mod ssh;
mod x25519;

pub use self::hpke::{
    HPKE_KINDS, HpkeIdentity, HpkeKind, HpkeRecipient, MLKEM768P256TAG, MLKEM768X25519, P256TAG,
};
pub(crate) use pqseal::is_post_quantum;
pub use pqseal::{PqsealIdentity, PqsealRecipient};
pub use scrypt::{DEFAULT_MAX_WORK, DEFAULT_WORK, PassphraseIdentity, PassphraseRecipient};
#[cfg(feature = "ssh")]
pub use ssh::{SshIdentity, SshRecipient};
pub use x25519::{X25519Identity, X25519Recipient};

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};

use crate::{Error, FileKey, Stanza};

/// A recipient, for which a file is encrypted.
pub trait Recipient: Send + Sync {
    /// Wraps the file key, usually in one stanza.
    ///
    /// # Errors
    /// An error of the random number generator, or for a public key of low order.
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error>;

    /// Returns the labels, which must be equal for all recipients of a file. Post-quantum
    /// recipients have the label `postquantum`, so that they cannot be combined with others.
    fn labels(&self) -> &[&'static str] {
        &[]
    }

    /// Returns the stanzas, and the labels, which may be known only then.
    ///
    /// # Errors
    /// The errors of [`Recipient::wrap`].
    fn wrap_with_labels(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, Vec<String>), Error> {
        let labels = self.labels().iter().map(ToString::to_string).collect();
        Ok((self.wrap(file_key)?, labels))
    }

    /// Reports whether this must be the only recipient of its file.
    fn is_passphrase(&self) -> bool {
        false
    }

    /// Returns the public key to which an [`object`](crate::object) is sealed, if its KEM is in the
    /// registry.
    fn public_key(&self) -> Option<AnyPublicKey> {
        None
    }

    /// Reports whether wrapping may ask the user for something, so that it should not be tried
    /// needlessly.
    fn asks(&self) -> bool {
        false
    }
}

/// An identity, which opens files.
pub trait Identity: Send + Sync {
    /// Unwraps the file key of the first stanza for this identity. Returns `None` if there is none.
    /// Stanzas of other kinds are skipped.
    ///
    /// # Errors
    /// [`Error::Header`] for a malformed stanza of its kind, [`Error::WrongPassphrase`],
    /// [`Error::ExcessiveWork`].
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error>;

    /// Returns the private key, as in [`Recipient::public_key`].
    fn private_key(&self) -> Option<AnyPrivateKey> {
        None
    }

    /// Returns the text of the recipient, if it has one.
    fn recipient_text(&self) -> Option<String> {
        None
    }
}

/// The label of post-quantum recipients.
const POST_QUANTUM: &[&str] = &["postquantum"];

/// Reports whether the recipient of a stanza withstands a quantum computer. `None` for an unknown
/// kind.
pub(crate) fn stanza_is_post_quantum(stanza: &Stanza) -> Option<bool> {
    match stanza.kind.as_str() {
        "scrypt" => Some(true),
        pqseal::KIND => pqseal::stanza_is_post_quantum(stanza),
        "X25519" | "ssh-ed25519" | "ssh-rsa" | "piv-p256" => Some(false),
        kind => HPKE_KINDS
            .iter()
            .find(|known| known.name == kind)
            .map(|known| known.post_quantum),
    }
}

/// Reports whether all recipients are post-quantum. One classical recipient makes this false,
/// because a quantum computer needs to break only that one. `None` if none is classical and one is
/// unknown.
pub(crate) fn all_post_quantum(
    mut found: impl Iterator<Item = Option<bool>> + Clone,
) -> Option<bool> {
    match found.clone().any(|found| found == Some(false)) {
        true => Some(false),
        false => found.all(|found| found == Some(true)).then_some(true),
    }
}

/// Tries `open` on each stanza of a kind.
fn first_of(
    kind: &str,
    stanzas: &[Stanza],
    open: impl Fn(&Stanza) -> Result<Option<FileKey>, Error>,
) -> Result<Option<FileKey>, Error> {
    for stanza in stanzas.iter().filter(|stanza| stanza.kind == kind) {
        if let Some(file_key) = open(stanza)? {
            return Ok(Some(file_key));
        }
    }
    Ok(None)
}
