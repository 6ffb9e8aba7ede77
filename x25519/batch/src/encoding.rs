//! Points as bytes (RFC 7748, section 5) and as lanes of limbs.

use zeroize::Zeroizing;

use crate::field::{BITS, LIMBS, Table};

const LIMB: u64 = (1 << BITS) - 1;

/// The place of limb `i` in the number, in bits.
const fn place(i: usize) -> usize {
    BITS as usize * i
}

/// At most `N` points, one a lane; lanes without a point are zero. Bit 255 is ignored, and a number
/// from p on is taken modulo p, both as RFC 7748 says. Limbs are integers of no more than their
/// bits.
pub(crate) fn decode<const N: usize>(points: &[[u8; 32]]) -> Table<N> {
    let mut element = Table::ZERO;
    for (lane, point) in points.iter().enumerate().take(N) {
        let mut bytes = [0; 40];
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

/// The lanes of limbs below 2^52, integers, each reduced modulo p, as far as there are outputs.
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

/// 1 in each lane that is zero modulo p, 0 in the others.
pub(crate) fn zeros<const N: usize>(element: &Table<N>) -> [u64; N] {
    core::array::from_fn(|lane| {
        let any = reduced(element, lane)
            .iter()
            .fold(0, |any, limb| any | limb);
        any.wrapping_sub(1) >> 63
    })
}

/// One lane of limbs below 2^52, from 0 to p - 1.
fn reduced<const N: usize>(element: &Table<N>, lane: usize) -> Zeroizing<[u64; LIMBS]> {
    let mut limbs = Zeroizing::new(element.0.map(|limb| limb[lane]));
    // After the first round no limb is larger than it should be but limb 0, by 38 at most, which
    // the second settles.
    for _ in 0..2 {
        limbs[0] += 19 * carry(&mut limbs);
    }
    // The number is below 2^255. It is p or more if adding 19 passes 2^255.
    let mut passes = 19;
    for limb in limbs.iter() {
        passes = (limb + passes) >> BITS;
    }
    limbs[0] += 19 * passes;
    carry(&mut limbs);
    limbs
}

/// Gives each limb its bits, and returns what is beyond bit 255.
fn carry(limbs: &mut [u64; LIMBS]) -> u64 {
    let mut carried = 0;
    for limb in limbs.iter_mut() {
        *limb += carried;
        carried = *limb >> BITS;
        *limb &= (1 << BITS) - 1;
    }
    carried
}
