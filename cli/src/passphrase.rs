//! Key files under a passphrase: age files, as `age -p` and `pqseal keygen --encrypt` write them,
//! and PKCS#8, as `openssl pkcs8` writes it. Without the feature `passphrase`, such a file is
//! recognised and refused.

#[cfg(feature = "passphrase")]
mod age_file;

#[cfg(feature = "passphrase")]
pub use age_file::{Passphrase, decrypt, is_under_passphrase, wrong};

#[cfg(not(feature = "passphrase"))]
use crate::{error::Error, input::Source};
#[cfg(not(feature = "passphrase"))]
use zeroize::Zeroizing;

/// The first bytes of an age file, binary and in ASCII armor.
const MARKS: [&[u8]; 2] = [
    b"age-encryption.org/v1",
    b"-----BEGIN AGE ENCRYPTED FILE-----",
];

/// Reports whether a file is an age file, with a passphrase or not.
pub fn is_encrypted(file: &[u8]) -> bool {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let file = file.trim_ascii_start();
    MARKS.iter().any(|mark| file.starts_with(mark))
}

/// No options: in a build without the feature there is no passphrase to ask for.
#[cfg(not(feature = "passphrase"))]
#[derive(clap::Args, Default)]
pub struct Passphrase {}

#[cfg(not(feature = "passphrase"))]
impl Passphrase {
    /// Returns `None`, because no passphrase is read from a file.
    pub fn source(&self) -> Option<&Source> {
        None
    }

    /// Returns `bytes` unchanged.
    ///
    /// # Errors
    /// If they are an age file.
    pub fn open(
        &self,
        bytes: Zeroizing<Vec<u8>>,
        name: &Source,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        match is_encrypted(&bytes) {
            true => Err(unsupported(&format!("cannot use the key in {name}"))),
            false => Ok(bytes),
        }
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn seal_pkcs8(&self, _der: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        Err(unsupported("no key was written"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn seal(&self, _key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        Err(unsupported("no key was made"))
    }
}

#[cfg(not(feature = "passphrase"))]
fn unsupported(what: &str) -> Error {
    Error::incomplete(
        "bad_key",
        format!(
            "{what}: this build does not support key files under a passphrase; build pqseal with its default features"
        ),
    )
}
