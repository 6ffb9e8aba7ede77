//! The header (C2SP age.md, "Header"): a version line, stanzas and a MAC.

mod read;
mod reserve;
mod strength;

use base64ct::{Base64Unpadded, Encoding};
use hmac::Mac;
use pqseal_hpke::twice::opened;
use std::io::{BufRead, Write};

pub(crate) use read::stanza as read_stanza;
pub(crate) use reserve::MULTIPLE as RESERVE;

use crate::{Error, FileKey, HeaderError, Identity, Recipient, Stanza};

/// The maximum length of a header, in bytes: 16 MiB, about 10,000 post-quantum recipients.
pub const MAX_HEADER: usize = 1 << 24;

pub(crate) const INTRO: &str = "age-encryption.org/v1";
const FOOTER: &str = "---";

/// A header, which consists of at least one stanza, and the MAC that binds them to the file key.
///
/// ```
/// use pqseal_age::{FileKey, Header, X25519Identity};
///
/// let identity = X25519Identity::generate()?;
/// let recipient = identity.recipient();
/// let header = Header::new(&[&recipient], &FileKey::generate()?)?;
/// let bytes = header.to_bytes();
///
/// let read = Header::read(&mut &bytes[..])?;
/// assert_eq!(read.stanzas()[0].kind, "X25519");
///
/// // Another recipient for the same payload: the file key stays.
/// let other = X25519Identity::generate()?;
/// let changed = Header::new(&[&other.recipient()], &read.open(&[&identity])?)?;
/// assert_eq!(changed.open(&[&other])?.as_bytes(), read.open(&[&identity])?.as_bytes());
/// # Ok::<(), pqseal_age::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    stanzas: Vec<Stanza>,
    mac: [u8; 32],
}

impl Header {
    /// Creates the header of a file with this key for these recipients.
    ///
    /// # Errors
    /// [`Error::NoRecipients`], [`Error::MixedRecipients`], [`Error::PassphraseNotAlone`],
    /// [`HeaderError::TooLong`] beyond [`MAX_HEADER`], and the errors of the recipients.
    pub fn new(recipients: &[&dyn Recipient], file_key: &FileKey) -> Result<Self, Error> {
        Self::of(wrap_for(recipients, file_key)?, file_key).limited()
    }

    /// Creates a header like [`Header::new`], padded by a stanza of an unknown kind to a multiple
    /// of 4096 bytes, so that it can later be replaced by one with other recipients
    /// ([`Header::with_length`]).
    ///
    /// # Errors
    /// The errors of [`Header::new`]. A passphrase must be the only stanza, so it cannot be padded.
    pub fn with_reserve(recipients: &[&dyn Recipient], file_key: &FileKey) -> Result<Self, Error> {
        let stanzas = wrap_for(recipients, file_key)?;
        if stanzas.iter().any(Stanza::is_scrypt) {
            return Err(Error::PassphraseNotAlone);
        }
        reserve::to_multiple(stanzas, file_key).limited()
    }

    /// Creates a header like [`Header::new`] with exactly `length` bytes. Returns `None` if it does
    /// not fit.
    ///
    /// # Errors
    /// The errors of [`Header::new`].
    pub fn with_length(
        recipients: &[&dyn Recipient],
        file_key: &FileKey,
        length: usize,
    ) -> Result<Option<Self>, Error> {
        let stanzas = wrap_for(recipients, file_key)?;
        let header = reserve::to_length(stanzas, file_key, length);
        header.map(Self::limited).transpose()
    }

    /// Refuses a header that is longer than readers accept.
    fn limited(self) -> Result<Self, Error> {
        match self.to_bytes().len() {
            ..=MAX_HEADER => Ok(self),
            _ => Err(HeaderError::TooLong.into()),
        }
    }

    /// Creates a header from these stanzas.
    pub(crate) fn of(stanzas: Vec<Stanza>, file_key: &FileKey) -> Self {
        let mut header = Self {
            stanzas,
            mac: [0; 32],
        };
        let mac = file_key.header_mac(&header.authenticated()).finalize();
        header.mac = mac.into_bytes().into();
        header
    }

    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// [`Error::Header`], [`Error::Io`], and [`Error::Armor`] from an [`ArmorReader`].
    ///
    /// [`ArmorReader`]: crate::ArmorReader
    pub fn read(input: &mut impl BufRead) -> Result<Self, Error> {
        read::header(input)
    }

    /// Returns the stanzas, including unknown ones.
    pub fn stanzas(&self) -> &[Stanza] {
        &self.stanzas
    }

    /// Reports whether the file is encrypted under a passphrase.
    pub fn is_passphrase(&self) -> bool {
        matches!(&self.stanzas[..], [stanza] if stanza.is_scrypt())
    }

    /// Returns the file key, from the first identity that matches a stanza.
    ///
    /// # Errors
    /// [`Error::NoMatch`], [`Error::Plugin`], [`Error::WrongPassphrase`], [`Error::Mac`],
    /// [`Error::Header`], [`Error::ExcessiveWork`].
    pub fn open(&self, identities: &[&dyn Identity]) -> Result<FileKey, Error> {
        // A wrong passphrase is not tried again, since that takes a second.
        let may_be_wrong: fn(&Error) -> bool = |error| matches!(error, Error::NoMatch | Error::Mac);
        opened(&mut || self.open_once(identities), may_be_wrong)
    }

    fn open_once(&self, identities: &[&dyn Identity]) -> Result<FileKey, Error> {
        if self.stanzas.len() > 1 && self.stanzas.iter().any(Stanza::is_scrypt) {
            return Err(HeaderError::ScryptNotAlone.into());
        }
        let mut missed = Error::NoMatch;
        for identity in identities {
            match identity.unwrap(&self.stanzas) {
                Ok(Some(file_key)) => return self.verified(file_key),
                Ok(None) => {}
                // Another identity may match.
                Err(error @ (Error::WrongPassphrase | Error::Plugin(_))) => missed = error,
                Err(error) => return Err(error),
            }
        }
        Err(missed)
    }

    fn verified(&self, file_key: FileKey) -> Result<FileKey, Error> {
        file_key
            .header_mac(&self.authenticated())
            .verify_slice(&self.mac)
            .map_err(|_| Error::Mac)?;
        Ok(file_key)
    }

    /// Returns the header as it is in the file, including its line break.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.authenticated();
        let mac = Base64Unpadded::encode_string(&self.mac);
        writeln!(bytes, " {mac}").expect("a Vec takes all");
        bytes
    }

    /// Returns the bytes that the MAC covers, up to and including `---`. Stanzas have a unique
    /// encoding, so these are the bytes that were read.
    fn authenticated(&self) -> Vec<u8> {
        let mut bytes = format!("{INTRO}\n").into_bytes();
        for stanza in &self.stanzas {
            stanza.write(&mut bytes);
        }
        bytes.extend(FOOTER.as_bytes());
        bytes
    }
}

/// Returns the stanzas of all recipients, if these may be combined, that is, if their labels are
/// equal.
fn wrap_for(recipients: &[&dyn Recipient], file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
    if recipients.is_empty() {
        return Err(Error::NoRecipients);
    }
    if recipients.len() > 1 && recipients.iter().any(|r| r.is_passphrase()) {
        return Err(Error::PassphraseNotAlone);
    }
    let (mut stanzas, mut common) = (Vec::new(), None);
    for recipient in recipients {
        let (made, mut labels) = recipient.wrap_with_labels(file_key)?;
        labels.sort();
        if *common.get_or_insert_with(|| labels.clone()) != labels {
            return Err(Error::MixedRecipients);
        }
        stanzas.extend(made);
    }
    Ok(stanzas)
}
