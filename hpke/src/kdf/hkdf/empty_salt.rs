//! Extract with an empty salt, which every DHKEM calls for each message: HMAC with a key of zeros,
//! whose first two blocks are always the same.

use hmac::EagerHash;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use zeroize::Zeroize;

use crate::{Secret, secret::Short};

/// The state of a hash with 32-bit words after HMAC's first inner block and after its first outer
/// block (RFC 2104), with a key of zeros.
pub(super) type States = [[u32; 8]; 2];

/// The states of SHA-256.
pub(super) const SHA256: States = [
    [
        0xf454_dead,
        0x9725_214f,
        0x90da_f2a0,
        0xdf12_28ea,
        0x64e5_750f,
        0xa392_4181,
        0x824a_932b,
        0xf8e0_4e32,
    ],
    [
        0xd385_480f,
        0x7abb_6477,
        0x37c9_c538,
        0x5dd8_2467,
        0x8e04_3a72,
        0x7534_34b0,
        0xdeb8_2818,
        0x361d_45a6,
    ],
];

/// Computes `Extract("", ikm)` with `ikm` in parts.
pub(super) fn extract<H: EagerHash + SerializableState>(
    [inner, outer]: &States,
    ikm: &[&[u8]],
) -> Secret<Short> {
    let (mut inner, mut outer): (H, H) = (after_one_block(inner), after_one_block(outer));
    ikm.iter().for_each(|part| inner.update(part));
    let mut hash = inner.finalize();
    outer.update(&hash);
    hash.as_mut_slice().zeroize();
    let mut prk = outer.finalize();
    let secret = Secret::from_slice(&prk);
    prk.as_mut_slice().zeroize();
    secret
}

/// Restores a hash from this state. The serialized form has the words, the number of blocks so far
/// in eight bytes, both little-endian, and an empty buffer, which is zeros. That form is fixed for
/// all releases of `sha2` that Cargo may choose.
fn after_one_block<H: SerializableState>(words: &[u32; 8]) -> H {
    let mut state = SerializedState::<H>::default();
    let (words_out, rest) = state.split_at_mut(size_of_val(words));
    words_out
        .chunks_exact_mut(4)
        .zip(words)
        .for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
    rest[0] = 1;
    H::deserialize(&state).unwrap_or_else(|_| unreachable!("an empty buffer is a valid one"))
}
