//! What a build without the feature `cose` does with keys as COSE_Key.

use formats::{Error, PrivateKey, PublicKey};
use zeroize::Zeroizing;

const UNSUPPORTED: Error =
    Error::Usage("this build does not support COSE_Key; build pqseal with its default features");

/// Reads nothing.
///
/// # Errors
/// Always.
pub fn read_private(_file: &[u8]) -> Result<PrivateKey, Error> {
    Err(UNSUPPORTED)
}

/// Reads nothing.
///
/// # Errors
/// Always.
pub fn read_public(_file: &[u8]) -> Result<PublicKey, Error> {
    Err(UNSUPPORTED)
}

/// Writes nothing.
///
/// # Errors
/// Always.
pub fn write_private(_key: &PrivateKey) -> Result<Zeroizing<Vec<u8>>, Error> {
    Err(UNSUPPORTED)
}

/// Writes nothing.
///
/// # Errors
/// Always.
pub fn write_public(_key: &PublicKey) -> Result<Vec<u8>, Error> {
    Err(UNSUPPORTED)
}
