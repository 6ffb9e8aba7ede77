//! The frame of versions 1 to 3: `version u8 || enc (32) || length u64 little-endian || ciphertext
//! (length bytes) || tag (16)`.

use pqseal_hpke::SuiteId;

use crate::{Error, Version, version::SUITE};

/// Nenc of X25519, in bytes.
const N_ENC: usize = 32;
/// The version, the encapsulated key and the length field, in bytes.
const HEADER: usize = 1 + N_ENC + 8;
/// Nt, in bytes.
const N_T: usize = 16;

/// The treatment of bytes after the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trailing {
    /// Bytes after the tag are an error: a blob has one encoding.
    Refuse,
    /// Bytes after the tag are ignored, as matched-data-cli always did.
    Ignore,
}

/// The parts of a blob. Parsing allocates nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The format.
    pub version: Version,
    /// The encapsulated key, 32 bytes.
    pub enc: &'a [u8],
    /// Ciphertext and tag: 16 bytes longer than the plaintext.
    pub ct: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Parses a blob.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::UnsupportedVersion`], [`Error::TooShort`],
    /// [`Error::TrailingBytes`].
    pub fn parse(blob: &'a [u8], trailing: Trailing) -> Result<Self, Error> {
        let version = match *blob.first().ok_or(Error::Empty)? {
            1 => Version::V1,
            2 => Version::V2,
            3 => Version::V3,
            other => return Err(Error::UnsupportedVersion(other)),
        };
        let header: &[u8; HEADER] = blob.first_chunk().ok_or(Error::TooShort {
            needed: (HEADER + N_T) as u64,
            found: blob.len(),
        })?;
        let (enc, length) = header[1..].split_at(N_ENC);
        let length = u64::from_le_bytes(
            length
                .try_into()
                .expect("the header ends with 8 bytes of length"),
        );
        let rest = &blob[HEADER..];
        let ct_length = usize::try_from(length)
            .ok()
            .and_then(|length| length.checked_add(N_T));
        let ct = ct_length
            .and_then(|length| rest.get(..length))
            .ok_or(Error::TooShort {
                needed: length.saturating_add((HEADER + N_T) as u64),
                found: blob.len(),
            })?;
        match rest.len() - ct.len() {
            extra if extra > 0 && trailing == Trailing::Refuse => Err(Error::TrailingBytes(extra)),
            _ => Ok(Self { version, enc, ct }),
        }
    }

    /// Returns the size of the plaintext, in bytes; 0 if `ct` is too short to hold a tag, which a
    /// parsed frame never is.
    pub const fn plaintext_len(&self) -> usize {
        self.ct.len().saturating_sub(N_T)
    }

    /// Returns the size of the blob, in bytes, without trailing bytes.
    pub const fn blob_len(&self) -> usize {
        HEADER + self.ct.len()
    }

    /// Returns the suite of versions 1 to 3: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
    /// ChaCha20Poly1305.
    pub fn suite(&self) -> SuiteId {
        SUITE.id()
    }

    /// Writes the blob with these parts.
    pub fn write(&self) -> Vec<u8> {
        let length = (self.plaintext_len() as u64).to_le_bytes();
        [&[self.version as u8][..], self.enc, &length, self.ct].concat()
    }
}
