//! Deterministic random numbers, the same in every run.

/// Returns the next number of SplitMix64.
pub(crate) fn random_word(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Returns 32 bytes, and updates the state. For tests on numbers in addition to proofs.
pub fn random_bytes(state: &mut u64) -> [u8; 32] {
    let words: [[u8; 8]; 4] = std::array::from_fn(|_| random_word(state).to_le_bytes());
    let mut bytes = [0; 32];
    bytes.copy_from_slice(words.as_flattened());
    bytes
}
