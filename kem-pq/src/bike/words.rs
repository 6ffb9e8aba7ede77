//! Words of bits: their memory, and masks of them that reveal nothing of a secret.

use alloc::{boxed::Box, vec};
use core::{
    hint::black_box,
    ops::{Deref, DerefMut},
};

use zeroize::Zeroizing;

use super::Params;

/// Words on the heap, wiped on drop. They begin at a cache line, since loading a vector that
/// straddles two lines costs double.
pub(crate) struct Words {
    words: Zeroizing<Box<[u64]>>,
    start: usize,
    len: usize,
}

/// The words of a cache line.
const LINE: usize = 8;

impl Words {
    pub(crate) fn zeros(len: usize) -> Self {
        let words = Zeroizing::new(vec![0; len + LINE - 1].into_boxed_slice());
        // Under Miri, which may not know the alignment, the first word will do.
        let start = words.as_ptr().align_offset(8 * LINE).min(LINE - 1);
        Self { words, start, len }
    }
}

impl Deref for Words {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &self.words[self.start..self.start + self.len]
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.start..self.start + self.len]
    }
}

/// Clears the bits from r on.
pub(crate) fn clear_top(p: &Params, words: &mut [u64]) {
    words[p.limbs() - 1] &= (1 << p.top_bits()) - 1;
    words[p.limbs()..].fill(0);
}

/// Sets the bits of these indices, each less `start`. Every vector of 512 bits is visited for every
/// index, since indices are secret.
#[inline(always)]
pub(crate) fn set_bits(out: &mut [u64], indices: &[u32], start: u32) {
    let mut vectors = Words::zeros(LINE * indices.len());
    let mut places = Words::zeros(indices.len());
    for ((vector, place), index) in vectors
        .chunks_exact_mut(LINE)
        .zip(places.iter_mut())
        .zip(indices)
    {
        let index = index.wrapping_sub(start);
        *place = u64::from(index >> 9);
        for (word, at) in vector.iter_mut().zip(0..) {
            *word = (1 << (index & 63)) & equal_mask(at, u64::from(index >> 6 & 7));
        }
    }
    for (out, at) in out.chunks_exact_mut(LINE).zip(0..) {
        let mut sum = [0; LINE];
        for (vector, place) in vectors.chunks_exact(LINE).zip(places.iter()) {
            let mask = black_box(equal_mask(at, *place));
            sum.iter_mut()
                .zip(vector)
                .for_each(|(sum, word)| *sum |= word & mask);
        }
        out.copy_from_slice(&sum);
    }
}

/// Returns all ones for 1, zero for 0.
///
/// The compiler must not know that there are only two masks: it would branch on them, or make a
/// separate loop for each (seen by memcheck). So a mask that applies to more than a word passes a
/// `black_box`.
pub(crate) fn mask(bit: u64) -> u64 {
    black_box(bit.wrapping_neg())
}

/// Returns all ones if `a == b`, else zero, for numbers below 2^63.
pub(crate) const fn equal_mask(a: u64, b: u64) -> u64 {
    ((a ^ b).wrapping_sub(1) as i64 >> 63) as u64
}
