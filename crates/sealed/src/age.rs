//! Files in the age format (C2SP age.md), armored.

use std::{
    collections::BTreeSet,
    io::{self, Read},
};

use pqseal_age::{
    ArmorReader, Decryptor, Error as AgeError, Extent, Header, Payload,
    keys::{AnyIdentity, identity_of},
};
use pqseal_hpke::AnyPrivateKey;

use crate::Error;

/// The beginning of an armored file.
const BEGIN: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
/// The maximum number of recipients, each of which is tried with each key: the number comes from the
/// input.
const MAX_RECIPIENTS: usize = 100;
/// The maximum size of a header, in bytes: that of 100 recipients with 2,500 bytes each.
const MAX_HEADER: u64 = 250_000;

/// Reports whether the text is an armored file.
pub(crate) fn is_armored(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(BEGIN)
}

/// The identities of keys, each with the index of its key.
#[derive(Default)]
pub(crate) struct AgeOpener {
    identities: Vec<(usize, AnyIdentity)>,
    /// Set if age cannot use a key: an X25519 key that is held elsewhere, such as in hardware.
    has_external: bool,
}

impl AgeOpener {
    /// Adds the key at this index, if age can use it.
    pub(crate) fn add(&mut self, place: usize, key: &AnyPrivateKey) {
        match identity_of(key.clone()) {
            Ok(identity) => self.identities.push((place, identity)),
            Err(_) => self.has_external = true,
        }
    }

    /// Opens a file. Returns the index of the key, and the plaintext.
    pub(crate) fn open(&self, text: &[u8]) -> Result<(usize, Vec<u8>), Error> {
        let mut input = ArmorReader::new(text);
        let header = header(&mut input)?;
        let (place, file_key) = self.file_key(&header)?;
        let mut opened = Decryptor::with_key(&file_key, input)?;
        let mut plaintext = Vec::with_capacity(text.len() / 4 * 3);
        opened.read_to_end(&mut plaintext).map_err(AgeError::from)?;
        Ok((place, plaintext))
    }

    fn file_key(&self, header: &Header) -> Result<(usize, pqseal_age::FileKey), Error> {
        for (place, identity) in &self.identities {
            match header.open(&[&**identity]) {
                Err(AgeError::NoMatch) => {}
                opened => return Ok((*place, opened?)),
            }
        }
        Err(match header.stanzas() {
            [only] if only.kind == "scrypt" => Error::Passphrase,
            _ if self.identities.is_empty() => Error::NoAgeKey,
            _ if self.has_external => Error::NoAgeKeyOpens,
            _ => Error::NoKeyOpens,
        })
    }

    /// Returns the indices of the keys.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.identities.iter().map(|(place, _)| *place)
    }
}

/// Returns the kinds of the recipients, and the size of the plaintext in bytes.
pub(crate) fn describe(text: &[u8]) -> Result<(String, usize), Error> {
    let mut input = ArmorReader::new(text);
    let header = header(&mut input)?;
    let after = io::copy(&mut input, &mut io::sink()).map_err(AgeError::from)?;
    let chunks = after.saturating_sub(Payload::NONCE as u64);
    let extent = Extent::of::<Payload>(chunks).map_err(AgeError::from)?;
    let kinds: BTreeSet<_> = header
        .stanzas()
        .iter()
        .map(|each| each.kind.as_str())
        .collect();
    let kinds: Vec<_> = kinds.into_iter().collect();
    let len = usize::try_from(extent.plaintext).expect("it is shorter than the text");
    Ok((kinds.join(", "), len))
}

fn header(input: &mut ArmorReader<&[u8]>) -> Result<Header, Error> {
    let mut start = input.take(MAX_HEADER);
    let header = match Header::read(&mut start) {
        Err(_) if start.limit() == 0 => return Err(Error::LongHeader),
        header => header?,
    };
    match header.stanzas().len() {
        ..=MAX_RECIPIENTS => Ok(header),
        count => Err(Error::ManyRecipients(count)),
    }
}

impl From<AgeError> for Error {
    fn from(error: AgeError) -> Self {
        if let AgeError::Hpke(error) = error {
            return Self::Hpke(error);
        }
        Self::Age {
            // In logs, `truncated` is the word of a firewall in the place of a value.
            code: match error.code() {
                "truncated" => "bad_length",
                code => code,
            },
            reason: error.to_string(),
        }
    }
}
