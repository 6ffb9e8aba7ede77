//! Wycheproof: hard matrices, extreme secrets, altered ciphertexts, wrong lengths.

use super::operations::{decaps, encaps, key_gen, tally};

#[test]
fn three_hundred_seeds_give_wycheproofs_keys() {
    let tests = test_vectors::wycheproof_ml_kem_key_gen().entries;
    tests.iter().for_each(key_gen);
    assert_eq!(tests.len(), 300);
}

#[test]
fn encapsulations_are_wycheproofs_and_invalid_keys_are_refused() {
    let tests = test_vectors::wycheproof_ml_kem_encaps().entries;
    tests.iter().for_each(encaps);
    assert_eq!(tally(tests.iter().map(|test| test.result)), (399, 396));
}

#[test]
fn decapsulations_are_wycheproofs_and_wrong_lengths_are_refused() {
    let tests = test_vectors::wycheproof_ml_kem_decaps().entries;
    tests.iter().for_each(decaps);
    assert_eq!(tally(tests.iter().map(|test| test.result)), (459, 120));
}
