//! GF(2)\[x\]/(x^r - 1): its elements and the workspace that its operations share.
//!
//! Bit i of an element is the coefficient of x^i; the bits from r on, up to whole vectors, are
//! zero.

use alloc::{boxed::Box, vec, vec::Vec};
use core::{
    hint::black_box,
    ops::{Deref, DerefMut},
};

use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use super::{Params, backend::Kernels, multiply, permute};

/// Words on the heap, wiped on drop. They begin at a cache line, since the loads of a vector that
/// straddles two cost double.
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
        // Where alignment cannot be told (Miri), the first word will do.
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

/// An element of the ring.
pub(crate) struct Poly {
    pub(crate) words: Words,
    pub(crate) p: &'static Params,
}

impl Poly {
    pub(crate) fn zero(p: &'static Params) -> Self {
        Self {
            words: Words::zeros(p.words()),
            p,
        }
    }

    /// The element with these exponents, each less `start`. What then is not in [0, r) has no part
    /// in it.
    pub(crate) fn from_indices(
        p: &'static Params,
        kernels: &Kernels,
        indices: &[u32],
        start: u32,
    ) -> Self {
        let mut out = Self::zero(p);
        (kernels.set_bits)(&mut out.words, indices, start);
        out.clear_top();
        out
    }

    /// The element of r bits in bytes, little-endian. `None` for another length, or if a spare bit
    /// above r is set: public data, so an early exit tells nothing.
    pub(crate) fn from_bytes(p: &'static Params, bytes: &[u8]) -> Option<Self> {
        let mut out = Self::from_spare_bytes(p, bytes)?;
        let spare = out.words[p.limbs() - 1] >> p.top_bits();
        out.clear_top();
        (spare == 0).then_some(out)
    }

    /// The same with spare bits left in place above r.
    fn from_spare_bytes(p: &'static Params, bytes: &[u8]) -> Option<Self> {
        if bytes.len() != p.n_pk() {
            return None;
        }
        let mut out = Self::zero(p);
        for (word, chunk) in out.words.iter_mut().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_le_bytes(whole);
        }
        Some(out)
    }

    /// The element that the C implementations read from bytes with spare bits: x^r is 1, so a spare
    /// bit counts for its exponent less r.
    pub(crate) fn from_bytes_folded(p: &'static Params, bytes: &[u8]) -> Option<Self> {
        let mut out = Self::from_spare_bytes(p, bytes)?;
        out.words[0] ^= out.words[p.limbs() - 1] >> p.top_bits();
        out.clear_top();
        Some(out)
    }

    /// r bits, padded to whole bytes.
    pub(crate) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(vec![0; self.p.n_pk()]);
        for (chunk, word) in bytes.chunks_mut(8).zip(self.words.iter()) {
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
        bytes
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.words
            .iter_mut()
            .zip(other.words.iter())
            .for_each(|(a, b)| *a ^= b);
    }

    pub(crate) fn copy(&self) -> Self {
        let mut out = Self::zero(self.p);
        out.words.copy_from_slice(&self.words);
        out
    }

    /// |f|, the number of ones.
    pub(crate) fn weight(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Zeros from bit r on.
    pub(crate) fn clear_top(&mut self) {
        clear_top(self.p, &mut self.words);
    }
}

impl ConstantTimeEq for Poly {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.words.ct_eq(&other.words)
    }
}

/// Zeros from bit r on.
pub(crate) fn clear_top(p: &Params, words: &mut [u64]) {
    words[p.limbs() - 1] &= (1 << p.top_bits()) - 1;
    words[p.limbs()..].fill(0);
}

/// Sets the bits of these indices, each less `start`. Every vector of 512 bits is visited for every
/// index, since those are secret.
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

/// All ones for 1, zero for 0.
///
/// The compiler must not know that there are two masks only: it makes branches of them, and whole
/// loops for each (seen by memcheck). So a mask that decides over more than a word passes a
/// `black_box`.
pub(crate) fn mask(bit: u64) -> u64 {
    black_box(bit.wrapping_neg())
}

/// All ones if `a == b`, else zero, for numbers below 2^63.
pub(crate) const fn equal_mask(a: u64, b: u64) -> u64 {
    ((a ^ b).wrapping_sub(1) as i64 >> 63) as u64
}

/// The ring at one level, on one back end, with the scratch space of its operations.
pub(crate) struct Ring {
    pub(crate) p: &'static Params,
    pub(crate) kernels: &'static Kernels,
    product: Words,
    scratch: Words,
}

impl Ring {
    pub(crate) fn new(p: &'static Params, kernels: &'static Kernels) -> Self {
        let scratch = multiply::scratch_len(p).max(permute::scratch_len(p));
        Self {
            p,
            kernels,
            product: Words::zeros(2 * p.words()),
            scratch: Words::zeros(scratch),
        }
    }

    /// `a * b`.
    pub(crate) fn multiply(&mut self, a: &Poly, b: &Poly) -> Poly {
        let mut out = Poly::zero(self.p);
        (self.kernels.multiply)(
            self.p,
            &mut self.product,
            &a.words,
            &b.words,
            &mut self.scratch,
        );
        reduce(self.p, &mut out.words, &self.product);
        out
    }

    /// `a^2`.
    pub(crate) fn square(&mut self, a: &mut Poly) {
        (self.kernels.square)(&mut self.product, &a.words);
        reduce(self.p, &mut a.words, &self.product);
    }

    /// `a^(2^k)` where `step` is for k.
    pub(crate) fn k_square(&mut self, a: &Poly, step: &permute::KSquare) -> Poly {
        let mut out = a.copy();
        if step.is_few_squarings() {
            (0..step.k).for_each(|_| self.square(&mut out));
        } else {
            (self.kernels.k_square)(self.p, step, &mut out.words, &mut self.scratch);
        }
        out
    }
}

/// A product of up to 2r - 1 bits modulo x^r - 1: what is above r joins what is below.
fn reduce(p: &Params, out: &mut [u64], product: &[u64]) {
    let (limbs, shift) = (p.limbs(), p.top_bits());
    let (low, high) = (&product[..limbs], &product[limbs - 1..2 * limbs]);
    for ((out, low), high) in out.iter_mut().zip(low).zip(high.windows(2)) {
        *out = low ^ (high[0] >> shift) ^ (high[1] << (64 - shift));
    }
    clear_top(p, out);
}
