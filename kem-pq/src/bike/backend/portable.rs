//! Plain Rust: the definition of every kernel except `keccak`, which is defined in its own module.

#[cfg(all(test, not(target_arch = "wasm32")))]
mod proofs;

use core::ops::{BitAnd, BitOr, Shl};

use super::Kernels;
use crate::bike::{
    counters,
    multiply::{self, BLOCK, Carryless, Word, accumulate, add},
    permute, words,
};

pub(crate) static PORTABLE: Kernels = Kernels {
    multiply: |p, out, a, b, scratch| multiply::multiply(Integers, p, out, a, b, scratch),
    square,
    k_square: permute::k_square,
    set_bits: words::set_bits::<u64, 8>,
    counters: counters::counters::<u64>,
    at_least: counters::at_least::<u64>,
    // One state at a time, as in the crate `sha3`.
    keccak: None,
};

/// Carry-less products from integer multiplications: with three zeros between the bits of an
/// operand, no carry reaches the next bit.
///
/// That gives the low half of a product. The high half is the low half of the reversed operands'
/// product, reversed; since all of Karatsuba is sums, it is run once on the words and once on the
/// reversed words, and the result is reversed once.
#[derive(Clone, Copy)]
struct Integers;

/// Operands of this many words are multiplied without further scratch space.
const LEAF: usize = 4;

/// The operations on words besides sums.
trait Reversible: Word {
    /// Reverses the bits.
    fn reversed(self) -> Self;
    /// Returns the low 64 bits of the product of two polynomials.
    fn low_product(self, other: Self) -> Self;
    /// Returns the high half of a product, given the low half of the product of the reversed words.
    /// A product of two words has 127 bits, so its high half has one bit less than the reversed low
    /// half.
    fn high_half(self) -> Self;
}

impl Reversible for u64 {
    #[inline(always)]
    fn reversed(self) -> Self {
        self.reverse_bits()
    }
    #[inline(always)]
    fn low_product(self, other: Self) -> Self {
        low_product(self, other)
    }
    #[inline(always)]
    fn high_half(self) -> Self {
        self.reverse_bits() >> 1
    }
}

impl<W: Reversible> Carryless<W> for Integers {
    fn block(self, out: &mut [W], a: &[W], b: &[W], scratch: &mut [W]) {
        let (reversed_a, rest) = scratch.split_at_mut(BLOCK);
        let (reversed_b, rest) = rest.split_at_mut(BLOCK);
        let (high, rest) = rest.split_at_mut(2 * BLOCK);
        reversed_a
            .iter_mut()
            .zip(a)
            .for_each(|(reversed, a)| *reversed = a.reversed());
        reversed_b
            .iter_mut()
            .zip(b)
            .for_each(|(reversed, b)| *reversed = b.reversed());
        low_products(high, reversed_a, reversed_b, rest);
        low_products(out, a, b, rest);
        for (out, high) in out[1..].iter_mut().zip(high.iter()) {
            *out ^= high.high_half();
        }
    }

    fn add_row(self, out: &mut [W], x: W, a: &[W]) {
        let reversed = x.reversed();
        for (i, a) in a.iter().enumerate() {
            out[i] ^= x.low_product(*a);
            out[i + 1] ^= reversed.low_product(a.reversed()).high_half();
        }
    }
}

/// Runs Karatsuba over the low halves of products of words: `out[k]` is the sum of all `low(a[i]
/// b[k - i])`; the last word is zero.
fn low_products<W: Reversible>(out: &mut [W], a: &[W], b: &[W], scratch: &mut [W]) {
    let n = a.len() / 2;
    if a.len() == LEAF {
        return leaf(out, a, b);
    }
    let ((a0, a1), (b0, b1)) = (a.split_at(n), b.split_at(n));
    let (sums, rest) = scratch.split_at_mut(2 * n);
    let (middle, rest) = rest.split_at_mut(2 * n);
    let (sum_a, sum_b) = sums.split_at_mut(n);
    add(sum_a, a0, a1);
    add(sum_b, b0, b1);
    low_products(middle, sum_a, sum_b, rest);
    low_products(&mut out[..2 * n], a0, b0, rest);
    low_products(&mut out[2 * n..], a1, b1, rest);
    accumulate(middle, &out[..2 * n]);
    accumulate(middle, &out[2 * n..]);
    accumulate(&mut out[n..], middle);
}

/// Computes `low_products` of [`LEAF`] words: nine products.
#[inline(always)]
fn leaf<W: Reversible>(out: &mut [W], a: &[W], b: &[W]) {
    let pair = |a0: W, a1: W, b0: W, b1: W| {
        let (low, high) = (a0.low_product(b0), a1.low_product(b1));
        [low, (a0 ^ a1).low_product(b0 ^ b1) ^ low ^ high, high]
    };
    let low = pair(a[0], a[1], b[0], b[1]);
    let high = pair(a[2], a[3], b[2], b[3]);
    let middle = pair(a[0] ^ a[2], a[1] ^ a[3], b[0] ^ b[2], b[1] ^ b[3]);
    let cross = |i: usize| middle[i] ^ low[i] ^ high[i];
    let product = [
        low[0],
        low[1],
        low[2] ^ cross(0),
        cross(1),
        cross(2) ^ high[0],
        high[1],
        high[2],
        W::ZERO,
    ];
    out.copy_from_slice(&product);
}

/// Returns the low 64 bits of the product of two polynomials.
#[inline(always)]
const fn low_product(x: u64, y: u64) -> u64 {
    const M: u64 = 0x1111_1111_1111_1111;
    let (x0, x1, x2, x3) = (x & M, x & (M << 1), x & (M << 2), x & (M << 3));
    let (y0, y1, y2, y3) = (y & M, y & (M << 1), y & (M << 2), y & (M << 3));
    // At most 16 ones meet in a place, so sums have 5 bits. Only the 16th carry would reach the
    // next bit that is kept, and it is past bit 63.
    let z0 = x0.wrapping_mul(y0) ^ x1.wrapping_mul(y3) ^ x2.wrapping_mul(y2) ^ x3.wrapping_mul(y1);
    let z1 = x0.wrapping_mul(y1) ^ x1.wrapping_mul(y0) ^ x2.wrapping_mul(y3) ^ x3.wrapping_mul(y2);
    let z2 = x0.wrapping_mul(y2) ^ x1.wrapping_mul(y1) ^ x2.wrapping_mul(y0) ^ x3.wrapping_mul(y3);
    let z3 = x0.wrapping_mul(y3) ^ x1.wrapping_mul(y2) ^ x2.wrapping_mul(y1) ^ x3.wrapping_mul(y0);
    (z0 & M) | (z1 & (M << 1)) | (z2 & (M << 2)) | (z3 & (M << 3))
}

/// Computes `out = a^2`: a zero after each bit.
pub(super) fn square(out: &mut [u64], a: &[u64]) {
    for (out, a) in out.chunks_exact_mut(2).zip(a) {
        out[0] = spread(*a & 0xffff_ffff);
        out[1] = spread(*a >> 32);
    }
}

/// Spreads 32 bits, with a zero after each.
fn spread<W>(mut x: W) -> W
where
    W: Copy + BitAnd<u64, Output = W> + BitOr<Output = W> + Shl<u32, Output = W>,
{
    x = (x | (x << 16)) & 0x0000_ffff_0000_ffff;
    x = (x | (x << 8)) & 0x00ff_00ff_00ff_00ff;
    x = (x | (x << 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | (x << 2)) & 0x3333_3333_3333_3333;
    (x | (x << 1)) & 0x5555_5555_5555_5555
}
