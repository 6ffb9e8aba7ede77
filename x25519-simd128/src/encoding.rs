//! Points as bytes (RFC 7748, section 5) and as limbs.

use crate::field::{LIMBS, Pair, bits};

/// The place of limb `i` in the number, in bits.
const fn position(i: usize) -> usize {
    (51 * i).div_ceil(2)
}

/// Each limb lies within four bytes, and the last of them within the point.
const WINDOWS: () = {
    let mut i = 0;
    while i < LIMBS {
        assert!(position(i) % 8 + bits(i) as usize <= 32 && position(i) / 8 + 4 <= 32);
        i += 1;
    }
};

/// Bit 255 is ignored, and a number from p on is taken modulo p, both as RFC 7748 says.
pub(crate) fn decode(point: &[u8; 32]) -> [u32; LIMBS] {
    const { WINDOWS };
    core::array::from_fn(|i| {
        let (byte, bit) = (position(i) / 8, position(i) % 8);
        let window = point[byte..].first_chunk().map_or(0, |window| u32::from_le_bytes(*window));
        window >> bit & ((1 << bits(i)) - 1)
    })
}

/// The first element, reduced modulo p.
#[target_feature(enable = "simd128")]
pub(crate) fn encode(pair: &Pair) -> [u8; 32] {
    let limbs = reduced(pair.first());
    let mut words = [0_u64; 4];
    for (i, limb) in limbs.into_iter().enumerate() {
        let (word, bit) = (position(i) / 64, position(i) % 64);
        words[word] |= u64::from(limb) << bit;
        if word < 3 && bit > 0 {
            words[word + 1] |= u64::from(limb) >> (64 - bit);
        }
    }
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// From carried limbs, from 0 to p - 1.
fn reduced(mut limbs: [u32; LIMBS]) -> [u32; LIMBS] {
    // After the first round no limb is larger than it should be but limb 0, by 19 at most, which the second settles.
    for _ in 0..2 {
        limbs[0] += 19 * carry(&mut limbs);
    }
    // The number is below 2^255. It is p or more if adding 19 passes 2^255.
    let passes = (0..LIMBS).fold(19, |carry, i| (limbs[i] + carry) >> bits(i));
    limbs[0] += 19 * passes;
    carry(&mut limbs);
    limbs
}

/// Gives each limb its bits, and returns what is beyond bit 255.
fn carry(limbs: &mut [u32; LIMBS]) -> u32 {
    let mut carried = 0;
    for (i, limb) in limbs.iter_mut().enumerate() {
        *limb += carried;
        carried = *limb >> bits(i);
        *limb &= (1 << bits(i)) - 1;
    }
    carried
}
