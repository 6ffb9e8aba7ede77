//! Plaintext that was opened, before it is copied to the caller's buffer.

/// A plaintext that is wiped on drop.
pub(crate) struct Plaintext(Vec<u8>);

impl Plaintext {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Plaintext {
    fn drop(&mut self) {
        pqseal_hpke::wipe(&mut self.0);
    }
}
