//! SHA3-384 of two messages side by side, and SHAKE256 (FIPS 202): `ml-kem-768` runs
//! Keccak-f\[1600\] on both states in the two halves of a vector, or on one.
//!
//! The crates `sha3` and `shake` are used where a back end gains nothing.

#[cfg(test)]
mod tests;

use ml_kem_768::keccak::{Keccak, State, wipe_stack};
use pqseal_hpke::Secret;
use zeroize::Zeroizing;

use super::params::N_SS;

/// The bytes of a block: 1,600 bits minus twice the 384 of the digest.
const RATE: usize = 104;

/// SHA3-384 of a message of which whole blocks have been absorbed.
pub(crate) struct Sponge<'k> {
    keccak: &'k Keccak,
    state: Zeroizing<State>,
}

impl<'k> Sponge<'k> {
    pub(crate) fn new(keccak: &'k Keccak) -> Self {
        let state = Zeroizing::new([0; 25]);
        Self { keccak, state }
    }

    /// Absorbs all whole blocks of two messages, in pairs as long as both have one. Returns what is
    /// left of each, which is less than a block.
    pub(crate) fn absorb_both<'m>(
        [a, b]: [&mut Self; 2],
        messages: [&'m [u8]; 2],
    ) -> [&'m [u8]; 2] {
        let [(of_a, rest_a), (of_b, rest_b)] = messages.map(<[u8]>::as_chunks::<RATE>);
        for (block_a, block_b) in of_a.iter().zip(of_b) {
            a.add(block_a);
            b.add(block_b);
            (a.keccak.two)([&mut a.state, &mut b.state]);
        }
        let pairs = of_a.len().min(of_b.len());
        a.absorb(&of_a[pairs..]);
        b.absorb(&of_b[pairs..]);
        [rest_a, rest_b]
    }

    /// Writes the first 256 bits of the digest, after the last bytes of the message.
    pub(crate) fn finish(&mut self, end: &[u8], digest: &mut Secret<[u8; N_SS]>) {
        let (blocks, rest) = end.as_chunks();
        self.absorb(blocks);
        // SHA3's suffix 01, then the padding 10*1.
        let mut last = Zeroizing::new([0; RATE]);
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 0x06;
        last[RATE - 1] |= 0x80;
        self.absorb(core::slice::from_ref(&*last));
        for (bytes, word) in digest.as_mut().chunks_exact_mut(8).zip(self.state.iter()) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        // The permutation can be inverted, so a state reveals what was absorbed last.
        wipe_stack();
    }

    fn absorb(&mut self, blocks: &[[u8; RATE]]) {
        for block in blocks {
            self.add(block);
            (self.keccak.one)(&mut self.state);
        }
    }

    fn add(&mut self, block: &[u8; RATE]) {
        let (words, _) = block.as_chunks();
        for (lane, word) in self.state.iter_mut().zip(words) {
            *lane ^= u64::from_le_bytes(*word);
        }
    }
}

/// SHAKE256 of 256 bits, which is read word by word.
pub(crate) struct Squeezed {
    keccak: &'static Keccak,
    state: Zeroizing<State>,
    /// The bytes of this block that were read.
    read: usize,
}

impl Squeezed {
    /// The bytes of a block: 1,600 bits minus twice 256.
    const RATE: usize = 136;

    pub(crate) fn new(keccak: &'static Keccak, message: &[u8; N_SS]) -> Self {
        let mut state = Zeroizing::new([0; 25]);
        let (words, _) = message.as_chunks();
        for (lane, word) in state.iter_mut().zip(words) {
            *lane = u64::from_le_bytes(*word);
        }
        // SHAKE's suffix 1111, then the padding 10*1.
        state[N_SS / 8] = 0x1f;
        state[Self::RATE / 8 - 1] = 1 << 63;
        (keccak.one)(&mut state);
        Self {
            keccak,
            state,
            read: 0,
        }
    }

    /// Reads a number of bytes that is a multiple of four.
    pub(crate) fn read(&mut self, out: &mut [u8]) {
        let (words, _) = out.as_chunks_mut::<4>();
        for word in words {
            if self.read == Self::RATE {
                (self.keccak.one)(&mut self.state);
                self.read = 0;
            }
            let lane = self.state[self.read / 8].to_le_bytes();
            word.copy_from_slice(&lane[self.read % 8..][..4]);
            self.read += 4;
        }
    }
}

impl Drop for Squeezed {
    fn drop(&mut self) {
        wipe_stack();
    }
}
