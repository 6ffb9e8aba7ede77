//! The tests of ML-KEM-768 in NIST's validation tests (ACVP), Wycheproof, CCTV and libcrux's
//! invalid keys.

use ml_kem_768::{DecapsulationKey, MlKem768};
use test_vectors::{
    DecapsVector, EncapsVector, KeyCheckVector, KeyGenVector, ParameterSet::MlKem768 as OURS,
    Verdict, sha256,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::common::{self, each};

/// Checks the tests of a set that are for ML-KEM-768, on each back end, and their number.
fn all<T>(
    tests: Vec<T>,
    is_ours: impl Fn(&T) -> bool,
    count: usize,
    check: impl Fn(MlKem768, &T, &str),
) {
    let ours: Vec<_> = tests.iter().filter(|test| is_ours(test)).collect();
    assert_eq!(ours.len(), count);
    for (name, ml_kem) in each() {
        ours.iter().for_each(|test| check(ml_kem, test, name));
    }
}

#[test]
fn seeds_give_nists_and_wycheproofs_keys() {
    for (tests, count) in [
        (test_vectors::acvp_ml_kem_key_gen().entries, 25),
        (test_vectors::wycheproof_ml_kem_key_gen().entries, 100),
    ] {
        all(tests, |test| test.parameter_set == OURS, count, key_gen);
    }
}

fn key_gen(ml_kem: MlKem768, test: &KeyGenVector, name: &str) {
    let key = ml_kem.key_gen(&bytes(&test.seed));
    let public = key.encapsulation_key();
    assert_eq!(
        sha256(public.bytes())[..],
        test.ek_sha256,
        "{name} {}",
        test.id
    );
    if let Some(dk) = &test.dk {
        // The secret vector and H(ek) affect the secret of a valid ciphertext, z that of an invalid
        // one.
        let imported = ml_kem.import(&bytes(dk)).expect("valid");
        assert_eq!(imported.encapsulation_key().bytes(), public.bytes());
        let (c, k) = common::encaps(public, &[0x5a; 32]);
        assert_eq!(common::decaps(&imported, &c), k, "{name} {}", test.id);
        let noise = [0xa5; 1088];
        assert_eq!(
            common::decaps(&imported, &noise),
            common::decaps(&key, &noise)
        );
    }
}

#[test]
fn encapsulations_are_theirs_and_invalid_keys_are_refused() {
    for (tests, count) in [
        (test_vectors::acvp_ml_kem_encaps().entries, 25),
        (test_vectors::wycheproof_ml_kem_encaps().entries, 265),
        (test_vectors::cctv_ml_kem_encaps().entries, 2),
    ] {
        all(tests, |test| test.parameter_set == OURS, count, encaps);
    }
}

fn encaps(ml_kem: MlKem768, test: &EncapsVector, name: &str) {
    let ek = test.ek[..].try_into().ok().and_then(|ek| ml_kem.unpack(ek));
    if test.result != Verdict::Valid {
        assert!(ek.is_none(), "{name} {}", test.id);
        return;
    }
    let (c, k) = common::encaps(&ek.expect("valid"), &bytes(&test.m));
    assert_eq!(sha256(&c)[..], test.c_sha256, "{name} {}", test.id);
    assert_eq!(k[..], test.k, "{name} {}", test.id);
}

#[test]
fn decapsulations_are_theirs_and_invalid_keys_are_refused() {
    for (tests, count) in [
        (test_vectors::acvp_ml_kem_decaps().entries, 10),
        (test_vectors::wycheproof_ml_kem_decaps().entries, 193),
        (test_vectors::cctv_ml_kem_decaps().entries, 3),
        (test_vectors::libcrux_invalid_dk().entries, 1),
    ] {
        all(tests, |test| test.parameter_set == OURS, count, decaps);
    }
}

fn decaps(ml_kem: MlKem768, test: &DecapsVector, name: &str) {
    let key: Option<DecapsulationKey> = match (&test.seed, &test.dk) {
        (Some(seed), None) => seed[..].try_into().ok().map(|seed| ml_kem.key_gen(seed)),
        (None, Some(dk)) => dk[..].try_into().ok().and_then(|dk| ml_kem.import(dk)),
        _ => panic!("one form of the key, not both or none"),
    };
    let c: Option<&[u8; 1088]> = test.c[..].try_into().ok();
    let k = key.zip(c).map(|(key, c)| common::decaps(&key, c));
    let expected = (test.result == Verdict::Valid).then_some(&test.k[..]);
    assert_eq!(k.as_ref().map(|k| &k[..]), expected, "{name} {}", test.id);
}

#[test]
fn keys_pass_or_fail_their_checks_as_nist_says() {
    let is_ours = |test: &KeyCheckVector| test.parameter_set == OURS;
    let ek = test_vectors::acvp_ml_kem_ek_check().entries;
    all(ek, is_ours, 10, |ml_kem, test, name| {
        let key = test.key[..]
            .try_into()
            .ok()
            .and_then(|ek| ml_kem.unpack(ek));
        assert_eq!(key.is_some(), test.passes, "{name} {}", test.id);
    });
    let dk = test_vectors::acvp_ml_kem_dk_check().entries;
    all(dk, is_ours, 10, |ml_kem, test, name| {
        let key = test.key[..]
            .try_into()
            .ok()
            .and_then(|dk| ml_kem.import(dk));
        assert_eq!(key.is_some(), test.passes, "{name} {}", test.id);
    });
}

#[test]
fn no_key_with_a_coefficient_from_the_modulus_up_is_accepted() {
    let tests = test_vectors::cctv_ml_kem_modulus().entries;
    all(
        tests,
        |test| test.parameter_set == OURS,
        1,
        |ml_kem, test, name| {
            assert!(ml_kem.unpack(&bytes(&test.ek)).is_some());
            for key in test.keys() {
                assert!(ml_kem.unpack(&bytes(&key)).is_none(), "{name}");
            }
        },
    );
}

fn bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("of this length")
}
