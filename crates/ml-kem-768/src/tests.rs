//! Tests below the interface: the portable vector is the definition of the others, and ML-KEM on it
//! must agree with libcrux.

pub(crate) mod model;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vectors;
mod whole;

use shake::{ExtendableOutput, Shake128, Shake128Reader, Update, XofReader};

/// Pseudorandom numbers, the same in each run.
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

    pub(crate) fn word(&mut self) -> i16 {
        i16::from_le_bytes(self.bytes())
    }
}
