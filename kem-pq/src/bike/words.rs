//! Words of bits: their memory, and masks of them that reveal nothing of a secret.

use alloc::{boxed::Box, vec, vec::Vec};
use core::{
    hint::black_box,
    ops::{Deref, DerefMut},
};

use zeroize::DefaultIsZeroes;

use super::{Params, lanes::Lanes};

/// Numbers on the heap, wiped on drop: with vectors, where `zeroize` would write one after the
/// other.
#[derive(Clone)]
pub(crate) struct Wiped<T: DefaultIsZeroes>(Box<[T]>);

impl<T: DefaultIsZeroes> Wiped<T> {
    pub(crate) fn zeros(len: usize) -> Self {
        Self(vec![T::default(); len].into_boxed_slice())
    }
}

impl<T: DefaultIsZeroes> From<Vec<T>> for Wiped<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self(numbers.into_boxed_slice())
    }
}

impl<T: DefaultIsZeroes> Drop for Wiped<T> {
    fn drop(&mut self) {
        self.0.fill(T::default());
        // The compiler must not leave out what nobody reads.
        black_box(&mut *self.0);
    }
}

impl<T: DefaultIsZeroes> Deref for Wiped<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: DefaultIsZeroes> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

/// Words on the heap, wiped on drop. They begin at a cache line, since loading a vector that
/// straddles two lines costs double.
pub(crate) struct Words {
    words: Wiped<u64>,
    start: usize,
    len: usize,
}

/// The words of a cache line.
const LINE: usize = 8;

impl Words {
    pub(crate) fn zeros(len: usize) -> Self {
        let words = Wiped::<u64>::zeros(len + LINE - 1);
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

/// Sets the bits of these distinct indices, each less `start`. Every N vectors are visited for
/// every index, since indices are secret.
#[inline(always)]
pub(crate) fn set_bits<L: Lanes, const N: usize>(out: &mut [u64], indices: &[u32], start: u32) {
    /// The places of words in N vectors, at most.
    static NUMBERS: [u64; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let width = N * L::WORDS;
    const { assert!(N * L::WORDS <= NUMBERS.len()) };
    let mut vectors = Words::zeros(width * indices.len());
    let mut places = Words::zeros(indices.len());
    for ((vector, place), index) in vectors
        .chunks_exact_mut(width)
        .zip(places.iter_mut())
        .zip(indices)
    {
        let index = index.wrapping_sub(start);
        let word = u64::from(index >> 6);
        *place = word / width as u64;
        let (word, bit) = (L::splat(word % width as u64), L::splat(1 << (index & 63)));
        let vectors = vector.chunks_exact_mut(L::WORDS);
        for (out, numbers) in vectors.zip(NUMBERS.chunks_exact(L::WORDS)) {
            bit.and(word.equal(L::load(numbers))).store(out);
        }
    }
    // Two places at a time, so that what is loaded of an index serves both.
    for (out, at) in out.chunks_mut(2 * width).zip(0..) {
        let here = [opaque::<L>(2 * at), opaque::<L>(2 * at + 1)];
        let mut sums = [[L::splat(0); N]; 2];
        for (vector, place) in vectors.chunks_exact(width).zip(places.iter()) {
            let place = L::splat(*place);
            let masks = [place.equal(here[0]), place.equal(here[1])];
            for i in 0..N {
                let bits = L::load(&vector[i * L::WORDS..]);
                sums[0][i] = sums[0][i].xor(bits.and(masks[0]));
                sums[1][i] = sums[1][i].xor(bits.and(masks[1]));
            }
        }
        let sums = sums.as_flattened();
        for (out, sum) in out.chunks_exact_mut(L::WORDS).zip(sums) {
            sum.store(out);
        }
    }
}

/// Returns a number in each word. The compiler must not know that all are the same: it would
/// compare one word, and might branch on the result.
#[inline(always)]
fn opaque<L: Lanes>(word: u64) -> L {
    black_box(L::splat(word))
}
