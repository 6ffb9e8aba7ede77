//! Proofs on Keccak's words. Bitwise logic is checked for all bits, rotations for each bit, and the
//! permutations against the portable one, which reproduces the crates `sha3` and `shake`.

use sha3::{Digest, Sha3_256};
use shake::{ExtendableOutput, Shake128, Update, XofReader};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    Backend,
    keccak::{Keccak, Lanes, State, States, Word, permute},
    tests::Numbers,
};

/// Compares the permutations, which are linear except for chi, on each single bit of a state and on
/// random states.
#[test]
fn permutations_are_the_portable_one() {
    let mut numbers = Numbers::new("permutations");
    let units = (0..1600).map(|bit| {
        let mut state = [0; 25];
        state[bit / 64] = 1 << (bit % 64);
        state
    });
    let random = (0..2000).map(|_| [(); 25].map(|()| u64::from_le_bytes(numbers.bytes())));
    let all: Vec<State> = units.chain(random).collect();
    for backend in Backend::ALL {
        if let Some(keccak) = backend.keccak() {
            all.chunks_exact(4)
                .for_each(|states| four(keccak, states.try_into().unwrap()));
        }
    }
}

fn four(keccak: &Keccak, inputs: &[State; 4]) {
    let expected = inputs.map(permute);
    let mut found = *inputs;
    let [a, b, c, d] = &mut found;
    (keccak.one)(a);
    (keccak.one)(b);
    (keccak.two)([c, d]);
    assert_eq!(found, expected);
    let mut states: States = std::array::from_fn(|i| Lanes(inputs.map(|state| state[i])));
    (keccak.four)(&mut states);
    for (lane, expected) in expected.iter().enumerate() {
        assert_eq!(states.map(|lanes| lanes.0[lane]), *expected);
    }
}

#[test]
fn the_portable_permutation_gives_sha3_and_shake() {
    let mut state = [0; 25];
    state[0] = 0x06 << 8 | 0x61;
    state[16] = 1 << 63;
    let hash: Vec<u8> = permute(state)[..4]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert_eq!(hash, Sha3_256::digest(b"a").to_vec());

    let mut state = [0; 25];
    state[0] = 0x1f << 8 | 0x61;
    state[20] = 1 << 63;
    let mut expected = [0; 400];
    Shake128::default()
        .chain(b"a")
        .finalize_xof()
        .read(&mut expected);
    for expected in expected.chunks(168) {
        state = permute(state);
        let found: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(found[..expected.len()], *expected);
    }
}

/// Checks all eight combinations of three bits.
#[test]
fn chi_and_sums_of_three_are_their_definitions() {
    let (a, b, c) = (0xf0_u64, 0xcc_u64, 0xaa_u64);
    assert_eq!(a.chi(b, c), a ^ (!b & c));
    assert_eq!(a.xor3(b, c), a ^ b ^ c);
}
