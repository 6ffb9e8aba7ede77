//! The key ring of the programs.

use std::{error::Error, fs};

use pqseal_matched_data::KeyRing;

/// Reads the private keys of a file, with their labels.
///
/// # Errors
/// If the file cannot be read, or holds no key.
pub fn ring(path: &str) -> Result<KeyRing, Box<dyn Error>> {
    let mut ring = KeyRing::new();
    for found in pqseal_keys::read_private_keys(fs::read(path)?, None)? {
        ring.add_labelled(&found.key, found.label.as_deref())?;
    }
    Ok(ring)
}
