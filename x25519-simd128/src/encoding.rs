//! Numbers modulo p = 2^255 - 19 as bytes (RFC 7748, section 5) and as `N` limbs of `width` bits, of which the last has what remains of 255.

/// Bit 255 is ignored, and a number from p on stays as it is, both as RFC 7748 says. No limb is negative.
pub(crate) fn from_bytes<const N: usize>(bytes: &[u8; 32], width: usize) -> [i64; N] {
    let word =
        |n: usize| bytes.get(8 * n..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word));
    core::array::from_fn(|i| {
        let (n, bit) = (i * width / 64, i * width % 64);
        let window = word(n) >> bit | word(n + 1) << 1 << (63 - bit);
        (window & ((1 << bits::<N>(i, width)) - 1)).cast_signed()
    })
}

/// The number from 0 to p - 1, of limbs of either sign that pass 255 bits by five at most.
pub(crate) fn to_bytes<const N: usize>(limbs: [i64; N], width: usize) -> [u8; 32] {
    let mut words = [0_u64; 4];
    for (i, limb) in reduced(limbs, width).into_iter().enumerate() {
        let (n, bit) = (i * width / 64, i * width % 64);
        words[n] |= limb.cast_unsigned() << bit;
        if n < 3 {
            words[n + 1] |= limb.cast_unsigned() >> 1 >> (63 - bit);
        }
    }
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn reduced<const N: usize>(mut limbs: [i64; N], width: usize) -> [i64; N] {
    // The first round leaves 19 * 2^5 at most below 0 or above 2^255. If the second has to bring that back, limb 0 is far from its ends.
    for _ in 0..2 {
        limbs[0] += 19 * carry(&mut limbs, width);
    }
    // It is p or more if adding 19 passes 2^255.
    let passes = (0..N).fold(19, |carry, i| (limbs[i] + carry) >> bits::<N>(i, width));
    limbs[0] += 19 * passes;
    carry(&mut limbs, width);
    limbs
}

/// Gives each limb its bits, and returns what is beyond bit 255.
fn carry<const N: usize>(limbs: &mut [i64; N], width: usize) -> i64 {
    let mut carried = 0;
    for (i, limb) in limbs.iter_mut().enumerate() {
        *limb += carried;
        carried = *limb >> bits::<N>(i, width);
        *limb &= (1 << bits::<N>(i, width)) - 1;
    }
    carried
}

/// How many bits limb `i` has.
const fn bits<const N: usize>(i: usize, width: usize) -> usize {
    if i + 1 < N { width } else { 255 - i * width }
}
