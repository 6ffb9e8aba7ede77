//! Base64 in WebAssembly's vectors, sixteen characters at a time, without a branch or an address
//! that depends on a character. [`base64ct`], which decodes one by one, is several times slower
//! there; other targets use it.

use core::arch::wasm32::{
    i8x16_add, i8x16_shuffle, i8x16_splat, i16x8_shl, i32x4_shl, u8x16_all_true, u8x16_ge,
    u8x16_le, u8x16_splat, u16x8_shr, u16x8_splat, u32x4_shr, u32x4_splat, u64x2,
    u64x2_extract_lane, v128, v128_and, v128_or,
};

use zeroize::Zeroizing;

/// Ranges of the alphabet: the first and the last character, and what is added to a character to get
/// its value.
const RANGES: [(u8, u8, i8); 5] = [
    (b'A', b'Z', -65),
    (b'a', b'z', -71),
    (b'0', b'9', 4),
    (b'+', b'+', 19),
    (b'/', b'/', 16),
];

/// Decodes characters of the standard alphabet without padding. Returns `None` for others, for a
/// wrong length, and if bits after the last byte are set.
pub(super) fn decode(symbols: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let length = symbols.len() * 3 / 4;
    // Never reallocated, so that no copy of a key stays behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(length));
    let (blocks, rest) = symbols.as_chunks();
    let mut fits = symbols.len() % 4 != 1;
    for block in blocks {
        let (decoded, is_base64) = sixteen(block);
        bytes.extend_from_slice(&decoded[..12]);
        fits &= is_base64;
    }
    let mut last = [b'A'; 16];
    last[..rest.len()].copy_from_slice(rest);
    let (decoded, is_base64) = sixteen(&last);
    let (decoded, beyond) = decoded.split_at(length - bytes.len());
    bytes.extend_from_slice(decoded);
    fits &= is_base64 & (beyond.iter().fold(0, |bits, byte| bits | byte) == 0);
    fits.then_some(bytes)
}

/// Decodes sixteen characters to twelve bytes and four zeros, and reports whether all are of the
/// alphabet.
fn sixteen(text: &[u8; 16]) -> ([u8; 16], bool) {
    let (halves, _) = text.as_chunks();
    let text = u64x2(u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1]));
    let (mut known, mut shift) = (u64x2(0, 0), u64x2(0, 0));
    for (first, last, number) in RANGES {
        let is_within = v128_and(
            u8x16_ge(text, u8x16_splat(first)),
            u8x16_le(text, u8x16_splat(last)),
        );
        known = v128_or(known, is_within);
        shift = v128_or(shift, v128_and(is_within, i8x16_splat(number)));
    }
    let values = i8x16_add(text, shift);
    // The first character has the highest bits.
    let twelve = v128_or(
        i16x8_shl(v128_and(values, u16x8_splat(0x3f)), 6),
        u16x8_shr(values, 8),
    );
    let twenty_four = v128_or(
        i32x4_shl(v128_and(twelve, u32x4_splat(0xfff)), 12),
        u32x4_shr(twelve, 16),
    );
    // Big-endian, without the zero above each three bytes.
    let bytes: v128 = i8x16_shuffle::<2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 3, 3, 3, 3>(
        twenty_four,
        twenty_four,
    );
    let mut decoded = [0; 16];
    let (halves, _) = decoded.as_chunks_mut();
    halves[0] = u64x2_extract_lane::<0>(bytes).to_le_bytes();
    halves[1] = u64x2_extract_lane::<1>(bytes).to_le_bytes();
    (decoded, u8x16_all_true(known))
}
