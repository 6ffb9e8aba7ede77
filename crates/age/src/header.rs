//! The header (C2SP age.md, "Header"): a version line, stanzas and a MAC.

mod read;

use base64ct::{Base64Unpadded, Encoding};
use hmac::Mac;
use pqseal_hpke::twice::opened;
use std::io::Write;

pub(crate) use read::stanza as read_stanza;

use crate::{Error, FileKey, HeaderError, Identity, Recipient, Stanza, kinds, stanza};

/// The maximum length of a header, in bytes: 16 MiB, about 10,000 post-quantum recipients.
pub const MAX_HEADER: usize = 1 << 24;

const INTRO: &str = "age-encryption.org/v1";
const FOOTER: &str = "---";

/// The kind of the stanza that pads a header to make room for other recipients. Programs skip it as
/// unknown. Its one argument is as long as necessary.
const RESERVE_KIND: &str = "pqseal-reserve";
/// The block size of file systems. The length of a padded header is a multiple of it.
pub(crate) const RESERVE: usize = 4096;
/// The length of the shortest padding: `-> pqseal-reserve 0`, and an empty body.
const LEAST_RESERVE: usize = 3 + RESERVE_KIND.len() + 1 + 1 + 1 + 1;

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
        let least = Self::of(stanzas.clone(), file_key).to_bytes().len() + LEAST_RESERVE;
        let header = Self::padded(stanzas, file_key, least.next_multiple_of(RESERVE));
        header.expect("there is room for the shortest").limited()
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
        let header = Self::padded(stanzas, file_key, length);
        header.map(Self::limited).transpose()
    }

    /// Creates a header with padding to this length. Returns `None` if there is no room for it.
    fn padded(mut stanzas: Vec<Stanza>, file_key: &FileKey, length: usize) -> Option<Self> {
        let plain = Self::of(stanzas.clone(), file_key);
        let room = length.checked_sub(plain.to_bytes().len())?;
        if room == 0 {
            return Some(plain);
        }
        let fill = room.checked_sub(LEAST_RESERVE)? + 1;
        stanzas.push(Stanza::new(
            RESERVE_KIND,
            vec!["0".repeat(fill)],
            Vec::new(),
        ));
        Some(Self::of(stanzas, file_key))
    }

    /// Refuses a header that is longer than readers accept.
    fn limited(self) -> Result<Self, Error> {
        match self.to_bytes().len() {
            ..=MAX_HEADER => Ok(self),
            _ => Err(HeaderError::TooLong.into()),
        }
    }

    /// Creates a header from these stanzas.
    fn of(stanzas: Vec<Stanza>, file_key: &FileKey) -> Self {
        let mut header = Self {
            stanzas,
            mac: [0; 32],
        };
        let mac = file_key.header_mac(&header.authenticated()).finalize();
        header.mac = mac.into_bytes().into();
        header
    }

    /// Returns the stanzas, including unknown ones.
    pub fn stanzas(&self) -> &[Stanza] {
        &self.stanzas
    }

    /// Reports whether the file is encrypted under a passphrase.
    pub fn is_passphrase(&self) -> bool {
        matches!(&self.stanzas[..], [stanza] if stanza.is_scrypt())
    }

    /// Reports whether no recipient is classical, since a quantum computer needs to break only one.
    /// `None` if a kind of recipient is unknown. Padding and grease stanzas do not count.
    pub fn post_quantum(&self) -> Option<bool> {
        let stanzas = self.stanzas.iter().filter(|stanza| {
            let kind = stanza.kind.as_str();
            kind != RESERVE_KIND && kind != "grease" && !kind.ends_with("-grease")
        });
        kinds::all_post_quantum(stanzas.map(kinds::stanza_is_post_quantum))
    }

    /// Returns the file key, from the first identity that matches a stanza.
    ///
    /// # Errors
    /// [`Error::NoMatch`], [`Error::Plugin`], [`Error::WrongPassphrase`], [`Error::Mac`],
    /// [`Error::Header`], [`Error::ExcessiveWork`].
    pub fn open(&self, identities: &[&dyn Identity]) -> Result<FileKey, Error> {
        // A wrong passphrase is not tried again, since that takes a second.
        opened(&mut || self.open_once(identities), |error| {
            matches!(error, Error::NoMatch | Error::Mac)
        })
    }

    fn open_once(&self, identities: &[&dyn Identity]) -> Result<FileKey, Error> {
        if self.stanzas.len() > 1 && self.stanzas.iter().any(Stanza::is_scrypt) {
            return Err(HeaderError::ScryptNotAlone.into());
        }
        let mut missed = Error::NoMatch;
        for identity in identities {
            match identity.unwrap(&self.stanzas) {
                Ok(Some(file_key)) => {
                    let mac = file_key.header_mac(&self.authenticated());
                    mac.verify_slice(&self.mac).map_err(|_| Error::Mac)?;
                    return Ok(file_key);
                }
                Ok(None) => {}
                // Another identity may match.
                Err(error @ (Error::WrongPassphrase | Error::Plugin(_))) => missed = error,
                Err(error) => return Err(error),
            }
        }
        Err(missed)
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
            let args = stanza.args.iter().map(String::as_str);
            stanza::write(&mut bytes, &stanza.kind, args, &stanza.body);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_but_too_short_ones_is_met() {
        let file_key = FileKey::new([7; 16]);
        let stanza = Stanza::new("x", vec!["y".into()], vec![1; 32]);
        let plain = Header::of(vec![stanza.clone()], &file_key).to_bytes().len();
        for length in plain - 1..plain + 100 {
            let header = Header::padded(vec![stanza.clone()], &file_key, length);
            let possible = length == plain || length >= plain + LEAST_RESERVE;
            assert_eq!(header.is_some(), possible, "{length}");
            if let Some(header) = header {
                assert_eq!(header.to_bytes().len(), length);
                assert_eq!(Header::read(&mut &header.to_bytes()[..]).unwrap(), header);
            }
        }
        let recipient = crate::X25519Identity::generate().unwrap().recipient();
        let header = Header::with_reserve(&[&recipient], &file_key).unwrap();
        assert_eq!(header.to_bytes().len(), RESERVE);
    }
}
