//! Points as bytes (RFC 7748, section 5) and as lanes of limbs.

use zeroize::Zeroizing;

use crate::field::{Table, bits, place};

/// At most `N` points, one a lane; lanes without a point are zero. Bit 255 is ignored, and a number from p on is taken modulo p, both as
/// RFC 7748 says. Limbs have no more than their bits.
pub(crate) fn decode<const N: usize, const M: usize>(points: &[[u8; 32]]) -> Table<N, M> {
    let mut element = Table::ZERO;
    for (lane, point) in points.iter().enumerate().take(N) {
        let mut bytes = [0; 40];
        bytes[..32].copy_from_slice(point);
        for i in 0..M {
            let (byte, bit) = (place(M, i) / 8, place(M, i) % 8);
            let window = bytes[byte..].first_chunk().map_or(0, |window| u64::from_le_bytes(*window));
            element.0[i][lane] = window >> bit & ((1 << bits(M, i)) - 1);
        }
    }
    element
}

/// The lanes of carried limbs, each reduced modulo p, as far as there are outputs.
pub(crate) fn encode<const N: usize, const M: usize>(element: &Table<N, M>, out: &mut [[u8; 32]]) {
    for (lane, out) in out.iter_mut().enumerate().take(N) {
        let limbs = reduced(element, lane);
        let mut words = Zeroizing::new([0_u64; 4]);
        for i in 0..M {
            let (word, bit) = (place(M, i) / 64, place(M, i) % 64);
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
pub(crate) fn zeros<const N: usize, const M: usize>(element: &Table<N, M>) -> [u64; N] {
    core::array::from_fn(|lane| {
        let any = reduced(element, lane).iter().fold(0, |any, limb| any | limb);
        any.wrapping_sub(1) >> 63
    })
}

/// One lane of carried limbs, from 0 to p - 1.
fn reduced<const N: usize, const M: usize>(element: &Table<N, M>, lane: usize) -> Zeroizing<[u64; M]> {
    let mut limbs = Zeroizing::new(element.0.map(|limb| limb[lane]));
    // After the first round no limb is larger than it should be but limb 0, by 19 at most, which the second settles.
    for _ in 0..2 {
        limbs[0] += 19 * carry(&mut limbs);
    }
    // The number is below 2^255. It is p or more if adding 19 passes 2^255.
    let mut passes = 19;
    for (i, limb) in limbs.iter().enumerate() {
        passes = (limb + passes) >> bits(M, i);
    }
    limbs[0] += 19 * passes;
    carry(&mut limbs);
    limbs
}

/// Gives each limb its bits, and returns what is beyond bit 255.
fn carry<const M: usize>(limbs: &mut [u64; M]) -> u64 {
    let mut carried = 0;
    for (i, limb) in limbs.iter_mut().enumerate() {
        *limb += carried;
        carried = *limb >> bits(M, i);
        *limb &= (1 << bits(M, i)) - 1;
    }
    carried
}
