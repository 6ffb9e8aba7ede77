//! Comparison with libcrux's portable ML-KEM-768.

use libcrux_ml_kem::{
    MlKemCiphertext, MlKemPrivateKey, MlKemPublicKey,
    mlkem768::portable::{self as libcrux, unpacked},
};
use ml_kem_768::{MlKem768, N_C, N_DK, N_EK};
use sha3::{Digest, Sha3_256};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::common::{Numbers, decaps, decaps_two, each, encaps, encaps_two};

#[test]
fn keys_and_secrets_are_libcruxs() {
    for (name, ml_kem) in each() {
        let mut numbers = Numbers::new("keys");
        for _ in 0..100 {
            one_key(name, ml_kem, &mut numbers);
        }
    }
}

fn one_key(name: &str, ml_kem: MlKem768, numbers: &mut Numbers) {
    let seed = numbers.bytes();
    let theirs = libcrux::generate_key_pair(seed);
    let (dk, ek): (&[u8; N_DK], &[u8; N_EK]) = (theirs.sk(), theirs.pk());
    let key = ml_kem.key_gen(&seed);
    assert_eq!(key.encapsulation_key().bytes(), ek, "{name}");
    let imported = ml_kem.import(dk).expect("valid");
    assert_eq!(imported.encapsulation_key().bytes(), ek, "{name}");
    let unpacked = ml_kem.unpack(ek).expect("valid");
    for _ in 0..4 {
        let m = numbers.bytes();
        let (c, k) = libcrux::encapsulate(&MlKemPublicKey::from(*ek), m);
        for ek in [
            &unpacked,
            key.encapsulation_key(),
            imported.encapsulation_key(),
        ] {
            let (ours, secret) = encaps(ek, &m);
            assert!(ours == *c.as_slice(), "{name}");
            assert_eq!(secret, k, "{name}");
        }
        for key in [&key, &imported] {
            assert_eq!(decaps(key, c.as_slice()), k, "{name}");
        }
    }
}

/// The SHA3-256 of the secrets of the first [`HASHED`] ciphertexts below, so that engines of
/// WebAssembly are compared with libcrux's native code too.
const OF_SECRETS: &str = "d5d232e811d2b8dc9e0d08d45a13efb29869eff102ca344eaf70a383552add7e";
const HASHED: usize = 10_000;

/// Opens ciphertexts one by one and two at once: half are valid, a quarter has one bit altered, a
/// quarter is random.
#[test]
fn ciphertexts_open_as_libcruxs() {
    let count = if cfg!(target_arch = "wasm32") {
        HASHED
    } else {
        100_000
    };
    for (name, ml_kem) in each() {
        let (mut numbers, mut hash) = (Numbers::new("ciphertexts"), Sha3_256::new());
        let seed = numbers.bytes();
        let dk = MlKemPrivateKey::from(*libcrux::generate_key_pair(seed).sk());
        let mut theirs = unpacked::init_key_pair();
        unpacked::key_pair_from_private_mut(&dk, &mut theirs);
        let key = ml_kem.key_gen(&seed);
        for pair in 0..count / 2 {
            let m = [numbers.bytes(), numbers.bytes()];
            let made = encaps_two(key.encapsulation_key(), m.each_ref());
            let mut both = [[0; N_C]; 2];
            for (((c, _), m), out) in made.iter().zip(&m).zip(&mut both) {
                let (alone, _) = encaps(key.encapsulation_key(), m);
                assert!(alone == *c, "{name}: two are not as one");
                *out = *c;
                match numbers.below(4) {
                    0 => out[numbers.below(N_C)] ^= 1 << numbers.below(8),
                    1 => *out = numbers.bytes(),
                    _ => (),
                }
            }
            let secrets = decaps_two(&key, both.each_ref());
            for (c, secret) in both.iter().zip(&secrets) {
                let expected = unpacked::decapsulate(&theirs, &MlKemCiphertext::from(*c));
                assert_eq!(*secret, expected, "{name}");
                assert_eq!(decaps(&key, c), expected, "{name}");
            }
            hash.update(secrets.as_flattened());
            if pair + 1 == HASHED / 2 {
                let hash: String = hash
                    .finalize_reset()
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                assert_eq!(hash, OF_SECRETS, "{name}");
            }
        }
    }
}
