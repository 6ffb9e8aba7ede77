//! Deterministic randomness, so that one process knows the secrets of another.

use std::convert::Infallible;

use pqseal_hpke::rand_core::{TryCryptoRng, TryRng};
use zeroize::Zeroizing;

/// SplitMix64, which is sufficient here.
pub(crate) struct Draws(u64);

impl Draws {
    /// Creates a generator. Another number gives other bytes.
    pub(crate) const fn new(number: u64) -> Self {
        Self(number << 32)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Returns `len` bytes of that number.
pub(crate) fn bytes(number: u64, len: usize) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(vec![0; len]);
    let Ok(()) = Draws::new(number).try_fill_bytes(&mut bytes);
    bytes
}

impl TryRng for Draws {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for chunk in out.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Draws {}
