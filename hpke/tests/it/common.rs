//! Helpers of the tests.

use std::{error, fmt};

use pqseal_hpke::rand_core::{TryCryptoRng, TryRng};

/// A generator that hands out the given bytes and then fails: with the randomness of a vector it
/// makes a known answer of a whole setup, with too few bytes it is the generator that breaks.
#[derive(Debug)]
pub(crate) struct Replay<'a>(pub(crate) &'a [u8]);

/// No bytes are left.
#[derive(Debug)]
pub(crate) struct Exhausted;

impl TryRng for Replay<'_> {
    type Error = Exhausted;

    fn try_next_u32(&mut self) -> Result<u32, Exhausted> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Exhausted> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Exhausted> {
        let (bytes, rest) = self.0.split_at_checked(out.len()).ok_or(Exhausted)?;
        out.copy_from_slice(bytes);
        self.0 = rest;
        Ok(())
    }
}

impl TryCryptoRng for Replay<'_> {}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no bytes are left")
    }
}

impl error::Error for Exhausted {}
