//! The same code and the same vectors on numbers, against x25519-dalek: what a vector of the proofs
//! does is what WebAssembly says of it.

use x25519_dalek::{PublicKey, StaticSecret};

use crate::ladder::multiply;

/// SplitMix64.
pub(super) fn random(state: &mut u64) -> [u8; 32] {
    let words: [[u8; 8]; 4] = core::array::from_fn(|_| {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31).to_le_bytes()
    });
    words.as_flattened().try_into().unwrap()
}

#[test]
fn a_ladder_on_numbers() {
    let mut state = 128;
    for i in 0..4 {
        let k = random(&mut state);
        let u = if i == 0 {
            [0xff; 32]
        } else {
            random(&mut state)
        };
        let expected = StaticSecret::from(k).diffie_hellman(&PublicKey::from(u));
        assert_eq!(multiply(&k, &u), *expected.as_bytes());
    }
}
