//! Products of polynomials over GF(2): Karatsuba over blocks of 64 words, which a back end
//! multiplies, and the few words left over.
//!
//! r is just above a multiple of 4,096 bits at every level: 3, 6 and 10 blocks, and 1, 2 and 1
//! words.

use core::ops::{BitXor, BitXorAssign};

use super::Params;

/// The words of a block.
pub(crate) const BLOCK: usize = 64;

/// A word of 64 bits, or its counterpart in a proof.
pub(crate) trait Word: Copy + BitXor<Output = Self> + BitXorAssign {
    const ZERO: Self;
}

impl Word for u64 {
    const ZERO: Self = 0;
}

/// The multiplications that a back end provides.
pub(crate) trait Carryless<W: Word = u64>: Copy {
    /// Computes `out = a * b`, of [`BLOCK`] words each. The scratch space is [`BLOCK_SCRATCH`].
    fn block(self, out: &mut [W], a: &[W], b: &[W], scratch: &mut [W]);
    /// Computes `out += x * a`, where `out` has one word more.
    fn add_row(self, out: &mut [W], x: W, a: &[W]);
}

/// The scratch space of a back end for a block, in words. On WebAssembly it holds all products of
/// Karatsuba's levels at once.
pub(crate) const BLOCK_SCRATCH: usize = if cfg!(target_arch = "wasm32") {
    6 * (3usize.pow(BLOCK.ilog2()) + 1)
} else {
    12 * BLOCK
};

/// Returns the words of scratch space for the sums and middle products of every level of Karatsuba,
/// 4 halves for each, and then for the back end.
pub(crate) const fn scratch_len(p: &Params) -> usize {
    8 * p.words() + BLOCK_SCRATCH
}

/// Computes `out = a * b`, not reduced.
#[inline(always)]
pub(crate) fn multiply<W: Word, C: Carryless<W>>(
    c: C,
    p: &Params,
    out: &mut [W],
    a: &[W],
    b: &[W],
    scratch: &mut [W],
) {
    let (blocks, limbs) = (p.limbs() / BLOCK, p.limbs());
    let whole = blocks * BLOCK;
    let three = Thirds(Block(c));
    let five = Halves(3 * BLOCK, three, Halves(BLOCK, Block(c), Block(c)));
    let (product, rest) = out.split_at_mut(2 * whole);
    rest.fill(W::ZERO);
    match blocks {
        #[cfg(test)]
        1 => Block(c).multiply(product, &a[..whole], &b[..whole], scratch),
        3 => three.multiply(product, &a[..whole], &b[..whole], scratch),
        6 => Halves(3 * BLOCK, three, three).multiply(product, &a[..whole], &b[..whole], scratch),
        10 => Halves(5 * BLOCK, five, five).multiply(product, &a[..whole], &b[..whole], scratch),
        _ => unreachable!("no parameter set has this length"),
    }
    for i in whole..limbs {
        c.add_row(&mut out[i..i + limbs + 1], a[i], &b[..limbs]);
        c.add_row(&mut out[i..i + whole + 1], b[i], &a[..whole]);
    }
}

/// A way to multiply. The ways are types, not closures, so that their methods are compiled for the
/// instructions of the kernel that they are part of. For WebAssembly, whose code is sent to a
/// browser, each type has one function instead.
pub(crate) trait Product<W: Word = u64>: Copy {
    /// Computes `out = a * b`.
    fn multiply(self, out: &mut [W], a: &[W], b: &[W], scratch: &mut [W]);
}

/// Multiplication of a block by the back end.
#[derive(Clone, Copy)]
struct Block<C>(C);

/// Karatsuba: `(a0 + a1 X)(b0 + b1 X)` with `X = x^(64 n)`, by three products. The upper halves may
/// be shorter than n words.
#[derive(Clone, Copy)]
pub(crate) struct Halves<L, H>(pub(crate) usize, pub(crate) L, pub(crate) H);

/// Three blocks by six products: with `pij = (ai + aj)(bi + bj)`, the coefficients are `p0`, `p01 +
/// p0 + p1`, `p02 + p0 + p1 + p2`, `p12 + p1 + p2`, `p2`.
#[derive(Clone, Copy)]
struct Thirds<P>(P);

impl<W: Word, C: Carryless<W>> Product<W> for Block<C> {
    #[inline(always)]
    fn multiply(self, out: &mut [W], a: &[W], b: &[W], scratch: &mut [W]) {
        self.0.block(out, a, b, scratch);
    }
}

impl<W: Word, L: Product<W>, H: Product<W>> Product<W> for Halves<L, H> {
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn multiply(self, out: &mut [W], a: &[W], b: &[W], scratch: &mut [W]) {
        let Self(n, low, high) = self;
        let ((a0, a1), (b0, b1)) = (a.split_at(n), b.split_at(n));
        let (sum_a, rest) = scratch.split_at_mut(n);
        let (sum_b, rest) = rest.split_at_mut(n);
        let (middle, rest) = rest.split_at_mut(2 * n);
        add(sum_a, a0, a1);
        add(sum_b, b0, b1);
        low.multiply(middle, sum_a, sum_b, rest);
        low.multiply(&mut out[..2 * n], a0, b0, rest);
        high.multiply(&mut out[2 * n..], a1, b1, rest);
        accumulate(middle, &out[..2 * n]);
        accumulate(middle, &out[2 * n..]);
        accumulate(&mut out[n..], middle);
    }
}

impl<W: Word, P: Product<W>> Product<W> for Thirds<P> {
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn multiply(self, out: &mut [W], a: &[W], b: &[W], scratch: &mut [W]) {
        let (sum_a, rest) = scratch.split_at_mut(BLOCK);
        let (sum_b, rest) = rest.split_at_mut(BLOCK);
        let (part, rest) = rest.split_at_mut(2 * BLOCK);
        out.fill(W::ZERO);
        for (i, places) in [[0, 1, 2], [1, 2, 3], [2, 3, 4]].into_iter().enumerate() {
            self.0.multiply(part, third(a, i), third(b, i), rest);
            for place in places {
                accumulate(&mut out[place * BLOCK..], part);
            }
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            add(sum_a, third(a, i), third(a, j));
            add(sum_b, third(b, i), third(b, j));
            self.0.multiply(part, sum_a, sum_b, rest);
            accumulate(&mut out[(i + j) * BLOCK..], part);
        }
    }
}

#[inline(always)]
fn third<W>(words: &[W], i: usize) -> &[W] {
    &words[i * BLOCK..(i + 1) * BLOCK]
}

/// Computes `sum = a + b`, where b may be shorter.
#[inline(always)]
pub(crate) fn add<W: Word>(sum: &mut [W], a: &[W], b: &[W]) {
    sum.copy_from_slice(a);
    accumulate(sum, b);
}

/// Computes `sum += a`, where a may be shorter.
#[inline(always)]
pub(crate) fn accumulate<W: Word>(sum: &mut [W], a: &[W]) {
    sum.iter_mut().zip(a).for_each(|(sum, a)| *sum ^= *a);
}
