//! Implicit rejection, and keys that are not canonical.

use shake::{ExtendableOutput, Shake256, Update, XofReader};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::common::{Numbers, decaps, decaps_two, each, encaps};

/// Alters each byte of a ciphertext, and each bit of its last 64 bytes, which a vectorized
/// comparison may miss. The secret must be SHAKE256(z || c).
#[test]
fn every_altered_byte_is_rejected() {
    for (name, ml_kem) in each() {
        let seed = [7; 64];
        let key = ml_kem.key_gen(&seed);
        let (mut c, k) = encaps(key.encapsulation_key(), &[8; 32]);
        assert_eq!(decaps(&key, &c), k);
        let valid = c;
        for (at, bit) in (0..c.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            if at < 1088 - 64 && at % 8 != bit {
                continue;
            }
            c[at] ^= 1 << bit;
            let mut expected = [0; 32];
            let hash = Shake256::default().chain(&seed[32..]).chain(c);
            hash.finalize_xof().read(&mut expected);
            assert_eq!(decaps(&key, &c), expected, "{name}: byte {at}, bit {bit}");
            let both = decaps_two(&key, [&valid, &c]);
            assert_eq!(both, [k, expected], "{name}: byte {at}");
            c[at] ^= 1 << bit;
        }
    }
}

/// Imports expanded keys with t >= q in each place, and with another hash. All must be refused.
#[test]
fn expanded_keys_that_are_not_whole_are_refused() {
    let mut numbers = Numbers::new("not whole");
    for (name, ml_kem) in each() {
        let seed = numbers.bytes();
        let theirs = libcrux_ml_kem::mlkem768::portable::generate_key_pair(seed);
        let mut dk = *theirs.sk();
        assert!(ml_kem.import(&dk).is_some());
        for at in (1152..2368).step_by(7) {
            dk[at] ^= 1 << numbers.below(8);
            assert!(ml_kem.import(&dk).is_none(), "{name}: byte {at}");
            dk = *theirs.sk();
        }
    }
}
