//! WSHAKE256-PRF (algorithm 3): a list of distinct indices from a stream, by a Fisher-Yates walk
//! whose memory accesses do not depend on the indices.

use core::hint::black_box;

use shake::{ExtendableOutput, Shake256, Shake256Reader, Update, XofReader};

use super::{backend::Kernels, keccak::Squeezed, params::N_SS, words::Wiped};

/// Secret indices.
pub(crate) type Indices = Wiped<u32>;

/// SHAKE256 of a seed, as the stream of words that the sampler reads.
pub(crate) enum Stream {
    /// By the crate `shake`.
    Library(Shake256Reader),
    /// By the back end's Keccak.
    Own(Squeezed),
}

impl Stream {
    pub(crate) fn new(seed: &[u8]) -> Self {
        Self::Library(Shake256::default().chain(seed).finalize_xof())
    }

    /// Hashes with the back end's Keccak, if it has one.
    pub(crate) fn on(kernels: &Kernels, seed: &[u8; N_SS]) -> Self {
        let keccak = kernels.keccak.and_then(ml_kem_768::Backend::keccak);
        keccak.map_or_else(
            || Self::new(seed),
            |keccak| Self::Own(Squeezed::new(keccak, seed)),
        )
    }

    fn read(&mut self, out: &mut [u8]) {
        match self {
            Self::Library(reader) => reader.read(out),
            Self::Own(squeezed) => squeezed.read(out),
        }
    }

    /// Draws `weight` distinct indices below `len`. It always takes `weight` words of the stream,
    /// so the time reveals nothing.
    ///
    /// Each index is 32 bits scaled, without rejection. Its bias is below 2^-15 of its probability,
    /// which the specification accounts for.
    pub(crate) fn indices(&mut self, weight: usize, len: u32) -> Indices {
        let mut words = Wiped::zeros(4 * weight);
        self.read(&mut words);
        let mut indices = Wiped::zeros(weight);
        for (i, word) in (0..weight).rev().zip(words.chunks_exact(4)) {
            let least = u32::try_from(i).expect("a weight is below 2^32");
            let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let scaled = (u64::from(word) * u64::from(len - least)) >> 32;
            let (first, later) = indices.split_at_mut(i + 1);
            first[i] = fresh(least, least + low_half(scaled), later);
        }
        indices
    }
}

/// Returns `l`, or `i` if `l` is in the list already. `i` is not, since all entries are above it.
fn fresh(i: u32, l: u32, later: &[u32]) -> u32 {
    // The top bit is set where two numbers below 2^31 are equal. With 32 bits a vector holds more
    // numbers.
    let seen = later
        .iter()
        .fold(0, |seen, j| seen | (j ^ l).wrapping_sub(1));
    // As in `masks::mask`.
    let seen = black_box(seen >> 31).wrapping_neg();
    (i & seen) | (l & !seen)
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the low half is what is meant"
)]
const fn low_half(word: u64) -> u32 {
    word as u32
}
