//! Points as bytes (RFC 7748, section 5) and as lanes of limbs.

use core::ops::{Add, BitAnd, Mul, Shr};

use zeroize::Zeroizing;

use crate::field::{BITS, LIMBS, Table};

const LIMB: u64 = (1 << BITS) - 1;

/// Returns the position of limb `i` in the number, in bits.
const fn place(i: usize) -> usize {
    BITS as usize * i
}

/// Decodes at most `N` points, one per lane; lanes without a point are zero. Bit 255 is ignored,
/// and a number from p on is reduced modulo p, both as in RFC 7748. Limbs are integers of their
/// nominal size.
pub(crate) fn decode<const N: usize>(points: &[[u8; 32]]) -> Table<N> {
    let mut element = Table::ZERO;
    for (lane, point) in points.iter().enumerate().take(N) {
        let mut bytes = Zeroizing::new([0; 40]);
        bytes[..32].copy_from_slice(point);
        for i in 0..LIMBS {
            let (byte, bit) = (place(i) / 8, place(i) % 8);
            let window = bytes[byte..]
                .first_chunk()
                .map_or(0, |window| u64::from_le_bytes(*window));
            element.0[i][lane] = window >> bit & LIMB;
        }
    }
    element
}

/// Encodes lanes of integer limbs below 2^52, each reduced modulo p, up to the number of outputs.
pub(crate) fn encode<const N: usize>(element: &Table<N>, out: &mut [[u8; 32]]) {
    for (lane, out) in out.iter_mut().enumerate().take(N) {
        let limbs = reduced(element, lane);
        let mut words = Zeroizing::new([0_u64; 4]);
        for i in 0..LIMBS {
            let (word, bit) = (place(i) / 64, place(i) % 64);
            words[word] |= limbs[i] << bit;
            if word < 3 && bit > 0 {
                words[word + 1] |= limbs[i] >> (64 - bit);
            }
        }
        for (out, word) in out.chunks_exact_mut(8).zip(words.iter()) {
            out.copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Returns 1 in each lane that is zero modulo p, 0 in the others.
pub(crate) fn zeros<const N: usize>(element: &Table<N>) -> [u64; N] {
    core::array::from_fn(|lane| {
        let any = reduced(element, lane)
            .iter()
            .fold(0, |any, limb| any | limb);
        any.wrapping_sub(1) >> 63
    })
}

/// Reduces one lane of limbs below 2^52 to a number from 0 to p - 1.
fn reduced<const N: usize>(element: &Table<N>, lane: usize) -> Zeroizing<[u64; LIMBS]> {
    let mut limbs = Zeroizing::new(element.0.map(|limb| limb[lane]));
    reduce(&mut limbs);
    limbs
}

/// An unsigned word of 64 bits: `u64`, or a symbol in proofs.
pub(crate) trait Word:
    Copy
    + From<u64>
    + Add<Output = Self>
    + Mul<Output = Self>
    + Shr<u32, Output = Self>
    + BitAnd<Output = Self>
{
}

impl Word for u64 {}

/// Reduces limbs below 2^52 to the same number modulo p, from 0 to p - 1, in limbs of their nominal
/// size.
pub(crate) fn reduce<W: Word>(limbs: &mut [W; LIMBS]) {
    let nineteen = W::from(19);
    // The carry beyond bit 255 is at most 2, which leaves a number below 2^255 + 38.
    let carried = carry(limbs);
    limbs[0] = limbs[0] + nineteen * carried;
    // The number is p or more if adding 19 reaches 2^255. Then the result is that sum without bit
    // 255.
    let passes = limbs
        .iter()
        .fold(nineteen, |carried, limb| (*limb + carried) >> BITS);
    limbs[0] = limbs[0] + nineteen * passes;
    carry(limbs);
}

/// Carries each limb to its nominal size, and returns the bits beyond bit 255.
fn carry<W: Word>(limbs: &mut [W; LIMBS]) -> W {
    limbs.iter_mut().fold(W::from(0), |carried, limb| {
        let sum = *limb + carried;
        *limb = sum & W::from(LIMB);
        sum >> BITS
    })
}
