//! COSE_Key by `formats`, with every algorithm.

use pqseal_formats::{ALGORITHMS, Error, PrivateKey, PublicKey, cose};

pub use pqseal_formats::cose::{write_private, write_public};

/// Reads the private key in a COSE_Key.
///
/// # Errors
/// As [`cose::private_key`].
pub fn read_private(file: &[u8]) -> Result<PrivateKey, Error> {
    cose::private_key(file, ALGORITHMS)
}

/// Reads the public key in a COSE_Key.
///
/// # Errors
/// As [`cose::public_key`].
pub fn read_public(file: &[u8]) -> Result<PublicKey, Error> {
    cose::public_key(file, ALGORITHMS)
}
