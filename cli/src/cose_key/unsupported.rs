//! The errors for COSE_Key in a build without the feature `cose`.

use pqseal_formats::{Error, PrivateKey, PublicKey};
use zeroize::Zeroizing;

const UNSUPPORTED: Error =
    Error::Usage("this build does not support COSE_Key; build pqseal with its default features");

/// Returns an error.
///
/// # Errors
/// Always.
pub fn read_private(_file: &[u8]) -> Result<PrivateKey, Error> {
    Err(UNSUPPORTED)
}

/// Returns an error.
///
/// # Errors
/// Always.
pub fn read_public(_file: &[u8]) -> Result<PublicKey, Error> {
    Err(UNSUPPORTED)
}

/// Returns an error.
///
/// # Errors
/// Always.
pub fn write_private(_key: &PrivateKey) -> Result<Zeroizing<Vec<u8>>, Error> {
    Err(UNSUPPORTED)
}

/// Returns an error.
///
/// # Errors
/// Always.
pub fn write_public(_key: &PublicKey) -> Result<Vec<u8>, Error> {
    Err(UNSUPPORTED)
}
