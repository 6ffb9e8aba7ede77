//! Replay of recorded randomness.

use pqseal_hpke::rand_core::{Infallible, TryCryptoRng, TryRng};

/// A generator that gives these bytes, once. Encapsulation takes randomness as an argument, which
/// `Suite` draws from here.
pub(crate) struct Replay<'a>(pub(crate) &'a [u8]);

impl TryRng for Replay<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("hpke draws bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("hpke draws bytes")
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        let (drawn, rest) = self.0.split_at(out.len());
        out.copy_from_slice(drawn);
        self.0 = rest;
        Ok(())
    }
}

impl TryCryptoRng for Replay<'_> {}
