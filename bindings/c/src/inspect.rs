//! What is visible of matched data without a key.

use pqseal_matched_data::{Blob, Error};

use crate::{
    pqseal_status,
    raw::{Place, guard, slice},
};

/// The properties of matched data that are visible without a key. Sizes are in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pqseal_blob {
    /// The version of the format, 1 to 4.
    pub version: u8,
    /// The id of the key that it was sealed to, in version 4; zeros in others.
    pub key_id: [u8; 8],
    /// The id of the KEM.
    pub kem: u16,
    /// The id of the KDF.
    pub kdf: u16,
    /// The id of the AEAD.
    pub aead: u16,
    /// The size of the blob.
    pub blob_len: usize,
    /// The size of the plaintext.
    pub plaintext_len: usize,
    /// The number of bytes after its end, which pqseal_matched_data_open refuses.
    pub trailing_len: usize,
}

/// Describes matched data of any version, as base64 or bytes, without a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_matched_data_inspect(
    blob: *const u8,
    blob_len: usize,
    found: *mut pqseal_blob,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (blob, place) = unsafe { (slice(blob, blob_len)?, Place::new(found)?) };
        let bytes = Blob::decode_text_or_bytes(blob)?;
        let found = Blob::describe(&bytes)?;
        let plaintext_len = found.plaintext_len;
        let key_id = found.key_id.as_ref();
        let key_id = key_id.and_then(|id| id.as_ref().first_chunk());
        place.set(pqseal_blob {
            version: found.version,
            key_id: key_id.copied().unwrap_or_default(),
            kem: found.suite.kem,
            kdf: found.suite.kdf,
            aead: found.suite.aead,
            blob_len: found.blob_len,
            plaintext_len: plaintext_len.ok_or_else(|| found.problem.unwrap_or(Error::Empty))?,
            trailing_len: found.trailing_len,
        });
        Ok(())
    })
}
