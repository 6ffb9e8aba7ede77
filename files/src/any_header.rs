//! The header of an age file or of a pqseal object, whichever a file begins with.

use std::io::BufRead;

use hpke::Policy;

use crate::{
    Error, FileKey, Header, Identity, Recipient, cobblestone::Cipher, header::RESERVE, object,
};

/// The header of one of the two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyHeader {
    /// The age format.
    Age(Header),
    /// A container of pqseal's own.
    Object(object::Header),
}

/// What encrypts the chunks of one of the two formats.
#[derive(Debug)]
pub enum ContentKey {
    /// The age format.
    Age(FileKey),
    /// A container of pqseal's own.
    Object {
        /// Its secret.
        secret: object::Secret,
        /// The cipher of its chunks.
        cipher: Cipher,
    },
}

/// How long a new header is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// As short as it can be.
    Least,
    /// A multiple of 4096 bytes, so that other recipients fit in its place.
    Reserve,
    /// So many bytes.
    Exactly(usize),
}

impl AnyHeader {
    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// As [`Header::read`] and [`object::Header::read`].
    pub fn read(input: &mut impl BufRead) -> Result<Self, Error> {
        match input.fill_buf()?.first() == object::MAGIC.first() {
            true => Ok(Self::Object(object::Header::read(input)?)),
            false => Ok(Self::Age(Header::read(input)?)),
        }
    }

    /// The header as it is in the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Age(header) => header.to_bytes(),
            Self::Object(header) => header.as_bytes().to_vec(),
        }
    }

    /// Whether its length is a multiple of 4096 bytes, as with [`Room::Reserve`].
    pub fn has_room(&self) -> bool {
        self.to_bytes().len().is_multiple_of(RESERVE)
    }

    /// Whether no recipient is classical only; `None` if one is of a kind that is unknown here.
    pub fn post_quantum(&self) -> Option<bool> {
        match self {
            Self::Age(header) => header.post_quantum(),
            Self::Object(header) => header.post_quantum(),
        }
    }

    /// The key of the content, by the first identity that matches. `policy` is for objects: it says
    /// which suites may be used.
    ///
    /// # Errors
    /// As [`Header::open`] and [`object::Header::open`].
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
    /// A new one, of an object if there is a cipher.
    ///
    /// # Errors
    /// If the random number generator fails.
    pub fn generate(object: Option<Cipher>) -> Result<Self, Error> {
        Ok(match object {
            None => Self::Age(FileKey::generate()?),
            Some(cipher) => Self::Object {
                secret: object::Secret::generate()?,
                cipher,
            },
        })
    }

    /// The bytes of a header for these recipients of the content; `None` if they do not fit in the
    /// room. `options` are those of an object, whose cipher is that of the key.
    ///
    /// # Errors
    /// As [`Header::new`] and [`object::Header::new`].
    pub fn header(
        &self,
        recipients: &[&dyn Recipient],
        room: Room,
        options: &object::Options,
    ) -> Result<Option<Vec<u8>>, Error> {
        match self {
            Self::Age(key) => age(recipients, key, room),
            Self::Object { secret, cipher } => {
                let options = object::Options {
                    cipher: *cipher,
                    ..options.clone()
                };
                object(recipients, secret, room, &options)
            }
        }
    }
}

fn age(recipients: &[&dyn Recipient], key: &FileKey, room: Room) -> Result<Option<Vec<u8>>, Error> {
    let header = match room {
        Room::Least => Some(Header::new(recipients, key)?),
        Room::Reserve => Some(Header::with_reserve(recipients, key)?),
        Room::Exactly(length) => Header::with_length(recipients, key, length)?,
    };
    Ok(header.map(|header| header.to_bytes()))
}

fn object(
    recipients: &[&dyn Recipient],
    secret: &object::Secret,
    room: Room,
    options: &object::Options,
) -> Result<Option<Vec<u8>>, Error> {
    let header = match room {
        Room::Least => Some(object::Header::new(recipients, secret, options)?),
        Room::Reserve => Some(object::Header::with_reserve(recipients, secret, options)?),
        Room::Exactly(length) => object::Header::with_length(recipients, secret, options, length)?,
    };
    Ok(header.map(|header| header.as_bytes().to_vec()))
}
