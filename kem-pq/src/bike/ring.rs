//! GF(2)\[x\]/(x^r - 1): its elements and the workspace that its operations share.
//!
//! Bit i of an element is the coefficient of x^i; the bits from r on, up to whole vectors, are
//! zero.

use subtle::{Choice, ConstantTimeEq};

use super::{
    Params,
    backend::Kernels,
    chain::KSquare,
    multiply, permute,
    words::{Wiped, Words, clear_top},
};

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

    /// Returns the element with these exponents, each less `start`. Exponents that then are not in
    /// [0, r) are ignored.
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

    /// Reads the element from r bits in bytes, little-endian. `None` for another length, or if a
    /// spare bit above r is set. The data are public, so an early exit reveals nothing.
    pub(crate) fn from_bytes(p: &'static Params, bytes: &[u8]) -> Option<Self> {
        let mut out = Self::from_spare_bytes(p, bytes)?;
        let spare = out.words[p.limbs() - 1] >> p.top_bits();
        out.clear_top();
        (spare == 0).then_some(out)
    }

    /// Reads r bits and leaves spare bits in place above r.
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

    /// Reads an element with spare bits like the C implementations: x^r is 1, so a spare bit counts
    /// for its exponent less r.
    pub(crate) fn from_bytes_folded(p: &'static Params, bytes: &[u8]) -> Option<Self> {
        let mut out = Self::from_spare_bytes(p, bytes)?;
        out.words[0] ^= out.words[p.limbs() - 1] >> p.top_bits();
        out.clear_top();
        Some(out)
    }

    /// Returns r bits, padded to whole bytes.
    pub(crate) fn to_bytes(&self) -> Wiped<u8> {
        let mut bytes = Wiped::zeros(self.p.n_pk());
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

    /// Returns |f|, the number of ones.
    pub(crate) fn weight(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Clears the bits from r on.
    pub(crate) fn clear_top(&mut self) {
        clear_top(self.p, &mut self.words);
    }
}

impl ConstantTimeEq for Poly {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.words.ct_eq(&other.words)
    }
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

    /// Computes `a * b`.
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

    /// Computes `a^2`.
    pub(crate) fn square(&mut self, a: &mut Poly) {
        (self.kernels.square)(&mut self.product, &a.words);
        reduce(self.p, &mut a.words, &self.product);
    }

    /// Computes `a^(2^k)`, where `step` belongs to k.
    pub(crate) fn k_square(&mut self, a: &Poly, step: &KSquare) -> Poly {
        let mut out = a.copy();
        if step.is_few_squarings() {
            (0..step.k).for_each(|_| self.square(&mut out));
        } else {
            (self.kernels.k_square)(self.p, step, &mut out.words, &mut self.scratch);
        }
        out
    }
}

/// Reduces a product of up to 2r - 1 bits modulo x^r - 1, by adding the bits above r to those
/// below.
fn reduce(p: &Params, out: &mut [u64], product: &[u64]) {
    let (limbs, shift) = (p.limbs(), p.top_bits());
    let (low, high) = (&product[..limbs], &product[limbs - 1..2 * limbs]);
    for ((out, low), high) in out.iter_mut().zip(low).zip(high.windows(2)) {
        *out = low ^ (high[0] >> shift) ^ (high[1] << (64 - shift));
    }
    clear_top(p, out);
}
