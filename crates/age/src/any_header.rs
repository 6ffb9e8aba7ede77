//! The header of a file in either format: an age file or a pqseal object.

use std::io::BufRead;

use pqseal_hpke::Policy;

use crate::{
    Error, FileKey, Header, Identity, Recipient, cobblestone::Cipher, header::RESERVE, object,
};

/// The header of one of the two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyHeader {
    /// The age format.
    Age(Header),
    /// The pqseal container.
    Object(object::Header),
}

/// The key that encrypts the chunks, in either format.
#[derive(Debug)]
pub enum ContentKey {
    /// The age format.
    Age(FileKey),
    /// The pqseal container.
    Object {
        /// The secret of the object.
        secret: object::Secret,
        /// The cipher of the chunks.
        cipher: Cipher,
    },
}

/// The length of a new header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// The minimum length.
    Least,
    /// A multiple of 4096 bytes, so that the header can later be replaced by one with other
    /// recipients.
    Reserve,
    /// This number of bytes.
    Exactly(usize),
}

impl AnyHeader {
    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// The errors of [`Header::read`] and [`object::Header::read`].
    pub fn read(input: &mut impl BufRead) -> Result<Self, Error> {
        match input.fill_buf()?.first() == object::MAGIC.first() {
            true => Ok(Self::Object(object::Header::read(input)?)),
            false => Ok(Self::Age(Header::read(input)?)),
        }
    }

    /// Returns the header as it is in the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Age(header) => header.to_bytes(),
            Self::Object(header) => header.as_bytes().to_vec(),
        }
    }

    /// Reports whether the length is a multiple of 4096 bytes, as with [`Room::Reserve`].
    pub fn has_room(&self) -> bool {
        self.to_bytes().len().is_multiple_of(RESERVE)
    }

    /// Reports whether no recipient is purely classical. `None` if the kind of one is unknown.
    pub fn post_quantum(&self) -> Option<bool> {
        match self {
            Self::Age(header) => header.post_quantum(),
            Self::Object(header) => header.post_quantum(),
        }
    }

    /// Returns the key of the content, from the first identity that matches. `policy` restricts the
    /// suites of objects.
    ///
    /// # Errors
    /// The errors of [`Header::open`] and [`object::Header::open`].
    pub fn open(&self, identities: &[&dyn Identity], policy: &Policy) -> Result<ContentKey, Error> {
        Ok(match self {
            Self::Age(header) => ContentKey::Age(header.open(identities)?),
            Self::Object(header) => ContentKey::Object {
                secret: header.open(identities, policy)?,
                cipher: header.cipher(),
            },
        })
    }
}

impl ContentKey {
    /// Generates a key: of an object if there is a cipher, or else of an age file.
    ///
    /// # Errors
    /// An error if the random number generator fails.
    pub fn generate(object: Option<Cipher>) -> Result<Self, Error> {
        Ok(match object {
            None => Self::Age(FileKey::generate()?),
            Some(cipher) => Self::Object {
                secret: object::Secret::generate()?,
                cipher,
            },
        })
    }

    /// Returns the header of the content for these recipients, or `None` if they do not fit in the
    /// room. `options` are for objects; their cipher is replaced by that of the key.
    ///
    /// # Errors
    /// The errors of [`Header::new`] and [`object::Header::new`].
    pub fn header(
        &self,
        recipients: &[&dyn Recipient],
        room: Room,
        options: &object::Options,
    ) -> Result<Option<Vec<u8>>, Error> {
        match self {
            Self::Age(key) => {
                let header = match room {
                    Room::Least => Some(Header::new(recipients, key)?),
                    Room::Reserve => Some(Header::with_reserve(recipients, key)?),
                    Room::Exactly(length) => Header::with_length(recipients, key, length)?,
                };
                Ok(header.map(|header| header.to_bytes()))
            }
            Self::Object { secret, cipher } => {
                let options = object::Options {
                    cipher: *cipher,
                    ..options.clone()
                };
                let header = match room {
                    Room::Least => Some(object::Header::new(recipients, secret, &options)?),
                    Room::Reserve => {
                        Some(object::Header::with_reserve(recipients, secret, &options)?)
                    }
                    Room::Exactly(length) => {
                        object::Header::with_length(recipients, secret, &options, length)?
                    }
                };
                Ok(header.map(|header| header.as_bytes().to_vec()))
            }
        }
    }
}
