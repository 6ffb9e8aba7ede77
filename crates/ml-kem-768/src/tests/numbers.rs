//! Pseudorandom numbers, the same in each run. The tests of the interface include this file.

use shake::{ExtendableOutput, Shake128, Shake128Reader, Update, XofReader};

/// A stream of numbers, named by its seed.
pub(crate) struct Numbers(Shake128Reader);

impl Numbers {
    pub(crate) fn new(name: &str) -> Self {
        Self(Shake128::default().chain(name.as_bytes()).finalize_xof())
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.read(&mut bytes);
        bytes
    }
}
