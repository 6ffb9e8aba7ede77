//! What was opened, until it is in the caller's buffer.

use zeroize::optimization_barrier;

/// A plaintext that is wiped on drop.
///
/// `Zeroizing<Vec<u8>>` would wipe byte by byte, which takes half as long as opening the message.
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
        // With what is allocated behind it.
        let capacity = self.0.capacity();
        self.0.clear();
        self.0.resize(capacity, 0);
        optimization_barrier(self.0.as_slice());
    }
}
