//! Recipients and identities: one trait for each, and a module per kind.

mod hpke;
pub(crate) mod pqseal;
mod scrypt;
mod x25519;

pub use self::hpke::{
    HPKE_KINDS, HpkeIdentity, HpkeKind, HpkeRecipient, MLKEM768P256TAG, MLKEM768X25519, P256TAG,
};
pub use pqseal::{PqsealIdentity, PqsealRecipient, pqseal_stanza_is_post_quantum};
pub use scrypt::{DEFAULT_MAX_WORK, DEFAULT_WORK, PassphraseIdentity, PassphraseRecipient};
pub use x25519::{X25519Identity, X25519Recipient};

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

    /// The text of its recipient, if it has one.
    fn recipient_text(&self) -> Option<String> {
        None
    }
}

/// The label of post-quantum recipients.
const POST_QUANTUM: &[&str] = &["postquantum"];

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
