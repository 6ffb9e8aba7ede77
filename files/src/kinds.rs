//! Recipients and identities: one trait for each, and a module per kind.

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

use ::hpke::{AnyPrivateKey, AnyPublicKey};

use crate::{Error, FileKey, Stanza};

/// For whom a file is encrypted.
pub trait Recipient: Send + Sync {
    /// The file key, wrapped: usually one stanza.
    ///
    /// # Errors
    /// Of the random number generator, or for a public key of low order.
    fn wrap(&self, file_key: &FileKey) -> Result<Vec<Stanza>, Error>;

    /// The recipients of one file must have equal labels. Post-quantum ones have the label
    /// `postquantum`, so that they are not mixed with others.
    fn labels(&self) -> &[&'static str] {
        &[]
    }

    /// The stanzas, and the labels where these are only known then.
    ///
    /// # Errors
    /// As [`Recipient::wrap`].
    fn wrap_with_labels(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, Vec<String>), Error> {
        let labels = self.labels().iter().map(ToString::to_string).collect();
        Ok((self.wrap(file_key)?, labels))
    }

    /// Whether it must be the only recipient of its file.
    fn is_passphrase(&self) -> bool {
        false
    }

    /// Its public key, if it is one of the registry's KEMs: what an [`object`](crate::object) is
    /// sealed to.
    fn public_key(&self) -> Option<AnyPublicKey> {
        None
    }

    /// Whether wrapping may ask the user for something, so that it should not be tried in vain.
    fn asks(&self) -> bool {
        false
    }
}

/// Who opens a file.
pub trait Identity: Send + Sync {
    /// The file key of the first stanza that is for this identity, or `None`. Stanzas of other
    /// kinds are skipped.
    ///
    /// # Errors
    /// [`Error::Header`] for a malformed stanza of its kind, [`Error::WrongPassphrase`],
    /// [`Error::ExcessiveWork`].
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, Error>;

    /// Its private key, as [`Recipient::public_key`].
    fn private_key(&self) -> Option<AnyPrivateKey> {
        None
    }

    /// The text of its recipient, if it has one.
    fn recipient_text(&self) -> Option<String> {
        None
    }
}

/// The label of post-quantum recipients.
const POST_QUANTUM: &[&str] = &["postquantum"];

/// Whether the recipient of a stanza withstands a quantum computer; `None` for a kind that is
/// unknown here.
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

/// Whether all recipients are post-quantum. One classical recipient makes it false, because a quantum
/// computer needs to break only that one. `None` if none is classical and one is unknown.
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
