//! SHA3-384 of two messages side by side (FIPS 202): Keccak-f\[1600\] of both states in the two halves
//! of a vector.
//!
//! Written once over [`Lane`], a word of one state or of two. The crate `sha3` has one state at a
//! time: it is used where nothing can be paired, or where a back end gains nothing.
#![cfg_attr(
    not(any(test, target_arch = "x86_64")),
    expect(dead_code, reason = "only vectors of x86-64 gain by it")
)]

#[cfg(test)]
mod tests;

use core::{array::from_fn, hint::black_box};

use hpke::Secret;
use zeroize::Zeroizing;

use super::params::N_SS;

/// The bytes of a block: 1,600 bits less twice the 384 of the digest.
const RATE: usize = 104;

/// Lane (x, y) is word 5 y + x.
pub(crate) type State = [u64; 25];

/// Keccak-f\[1600\] of one back end.
pub(crate) struct Keccak {
    /// Of one state.
    pub(crate) one: fn(&mut State),
    /// Of two states.
    pub(crate) two: fn([&mut State; 2]),
}

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

/// A word of one state, or a word of each of several.
pub(crate) trait Lane: Copy {
    fn splat(word: u64) -> Self;
    fn xor(self, other: Self) -> Self;
    /// To the left, by less than 64.
    fn rotate(self, bits: u32) -> Self;
    /// `self ^ (!b & c)`.
    fn chi(self, b: Self, c: Self) -> Self;

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }
}

/// A word of each of two states.
pub(crate) trait LanePair: Lane {
    fn join(words: [u64; 2]) -> Self;
    fn split(self) -> [u64; 2];
}

/// A word: the definition.
impl Lane for u64 {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        self.rotate_left(bits)
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self ^ (!b & c)
    }
}

/// See [`Keccak::one`].
#[inline(always)]
pub(crate) fn one(state: &mut State) {
    let mut rows = from_fn(|y| from_fn(|x| state[5 * y + x]));
    permute(&mut rows);
    state.copy_from_slice(rows.as_flattened());
    wipe(&mut rows);
}

/// See [`Keccak::two`].
#[inline(always)]
pub(crate) fn two<V: LanePair>([a, b]: [&mut State; 2]) {
    let lane = |i: usize| V::join([a[i], b[i]]);
    let mut rows: Rows<V> = from_fn(|y| from_fn(|x| lane(5 * y + x)));
    permute(&mut rows);
    for ((a, b), lane) in a.iter_mut().zip(b).zip(rows.as_flattened()) {
        [*a, *b] = lane.split();
    }
    wipe(&mut rows);
}

/// Rows of lanes: lane (x, y) is `rows[y][x]`.
type Rows<V> = [[V; 5]; 5];

#[inline(always)]
fn permute<V: Lane>(rows: &mut Rows<V>) {
    for constant in ROUND_CONSTANTS {
        *rows = round(rows);
        rows[0][0] = rows[0][0].xor(V::splat(constant));
    }
}

/// The permutation can be inverted: a state gives away what was absorbed last.
#[inline(always)]
fn wipe<V: Lane>(rows: &mut Rows<V>) {
    *rows = [[V::splat(0); 5]; 5];
    black_box(rows);
}

/// A round without its last step, iota. No loop: with indices that are constants, the compiler treats
/// each lane as a variable.
#[rustfmt::skip]
#[inline(always)]
fn round<V: Lane>(a: &Rows<V>) -> Rows<V> {
    // Theta adds the columns x - 1 and, rotated, x + 1.
    let sum = |x: usize| a[0][x].xor3(a[1][x], a[2][x]).xor3(a[3][x], a[4][x]);
    let sums = [sum(0), sum(1), sum(2), sum(3), sum(4)];
    let both = |x: usize| sums[(x + 4) % 5].xor(sums[(x + 1) % 5].rotate(1));
    let theta = [both(0), both(1), both(2), both(3), both(4)];
    // Rho rotates lane (x, y), and pi moves it to (y, 2 x + 3 y).
    let rho = |x: usize, y: usize, bits: u32| a[y][x].xor(theta[x]).rotate(bits);
    [
        chi(rho(0, 0, 0), rho(1, 1, 44), rho(2, 2, 43), rho(3, 3, 21), rho(4, 4, 14)),
        chi(rho(3, 0, 28), rho(4, 1, 20), rho(0, 2, 3), rho(1, 3, 45), rho(2, 4, 61)),
        chi(rho(1, 0, 1), rho(2, 1, 6), rho(3, 2, 25), rho(4, 3, 8), rho(0, 4, 18)),
        chi(rho(4, 0, 27), rho(0, 1, 36), rho(1, 2, 10), rho(2, 3, 15), rho(3, 4, 56)),
        chi(rho(2, 0, 62), rho(3, 1, 55), rho(4, 2, 39), rho(0, 3, 41), rho(1, 4, 2)),
    ]
}

/// Chi of a row.
#[inline(always)]
fn chi<V: Lane>(a: V, b: V, c: V, d: V, e: V) -> [V; 5] {
    [
        a.chi(b, c),
        b.chi(c, d),
        c.chi(d, e),
        d.chi(e, a),
        e.chi(a, b),
    ]
}

/// Iota: bit 2^j - 1 of the constant of round i is bit 7 i + j of a shift register (algorithm 5).
const ROUND_CONSTANTS: [u64; 24] = {
    let (mut constants, mut register, mut i) = ([0; 24], 1_u32, 0);
    while i < 7 * 24 {
        constants[i / 7] |= ((register & 1) as u64) << ((1 << (i % 7)) - 1);
        register <<= 1;
        // x^8 + x^6 + x^5 + x^4 + 1.
        register ^= (register >> 8) * 0x171;
        i += 1;
    }
    constants
};
