//! Hashes that replace long values: one of a value, and one of hundreds of ciphertexts.

use sha2::{Digest as _, Sha256};

/// The accumulated digest of a context's encryptions,
/// [`HpkeVector::encryptions_sha256`](crate::HpkeVector).
///
/// SHA-256 over `aad`, `pt`, `nonce` and `ct` of each encryption, in the order of the source, each
/// preceded by its length as u32 big-endian. A test regenerates the inputs, seals all of them and
/// compares one value.
#[derive(Clone, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Creates a digest of no encryptions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next encryption.
    pub fn add(&mut self, aad: &[u8], pt: &[u8], nonce: &[u8], ct: &[u8]) {
        for field in [aad, pt, nonce, ct] {
            let length =
                u32::try_from(field.len()).expect("a field of a test vector is shorter than 4 GiB");
            self.0.update(length.to_be_bytes());
            self.0.update(field);
        }
    }

    /// Returns the digest of everything added.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Computes SHA-256, which the sets contain instead of long values.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_sha256_of_length_prefixed_fields() {
        let mut digest = Digest::new();
        digest.add(b"a", b"", b"nn", b"c");
        assert_eq!(
            digest.finish(),
            *Sha256::digest(b"\0\0\0\x01a\0\0\0\0\0\0\0\x02nn\0\0\0\x01c")
        );
    }
}
