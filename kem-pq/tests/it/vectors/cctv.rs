//! CCTV, and libcrux's keys of the same kind: inputs made to catch one mistake each.

use pqseal_hpke::{Error, Kem};
use pqseal_kem_pq::ml_kem::{MlKem, ParameterSet};
use test_vectors::NonCanonicalKeys;

use super::operations::{decaps, encaps, tally, with_kem_of};

#[test]
fn no_key_with_a_coefficient_from_the_modulus_up_is_accepted() {
    let entries = test_vectors::cctv_ml_kem_modulus().entries;
    let refused = entries.iter().map(|entry| with_kem_of!(entry, refuse_all));
    assert_eq!(refused.collect::<Vec<usize>>(), [775, 780, 1040]);
}

/// Returns the number of keys that were refused. The key that they are derived from is accepted:
/// nothing else in it is wrong.
fn refuse_all<P: ParameterSet>(kem: &MlKem<P>, entry: &NonCanonicalKeys) -> usize {
    kem.deserialize_public_key(&entry.ek).unwrap();
    let refused = entry.keys().map(|key| {
        assert_eq!(
            kem.deserialize_public_key(&key).unwrap_err(),
            Error::Deserialize
        )
    });
    refused.count()
}

#[test]
fn a_matrix_that_takes_many_samples_is_sampled_to_its_end() {
    let tests = test_vectors::cctv_ml_kem_encaps().entries;
    tests.iter().for_each(encaps);
    assert_eq!(tests.len(), 6);
}

#[test]
fn ciphertexts_are_compared_past_a_zero_byte() {
    let tests = test_vectors::cctv_ml_kem_decaps().entries;
    tests.iter().for_each(decaps);
    assert_eq!(
        (
            tests.len(),
            tests.iter().filter(|test| test.comment == "strcmp").count()
        ),
        (9, 3)
    );
}

#[test]
fn an_expanded_key_with_another_hash_of_its_public_key_is_refused() {
    let tests = test_vectors::libcrux_invalid_dk().entries;
    tests.iter().for_each(decaps);
    assert_eq!(tally(tests.iter().map(|test| test.result)), (0, 3));
}
