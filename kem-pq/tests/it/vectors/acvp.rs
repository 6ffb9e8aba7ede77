//! NIST's validation tests of FIPS 203.

use pqseal_hpke::{Error, Kem};
use pqseal_kem_pq::ml_kem::{MlKem, ParameterSet};
use test_vectors::KeyCheckVector;

use super::operations::{decaps, encaps, key_gen, with_kem_of};

#[test]
fn seventy_five_seeds_give_nists_keys_in_both_forms() {
    let tests = test_vectors::acvp_ml_kem_key_gen().entries;
    tests.iter().for_each(key_gen);
    assert_eq!(
        (
            tests.len(),
            tests.iter().filter(|test| test.dk.is_some()).count()
        ),
        (75, 75)
    );
}

#[test]
fn seventy_five_encapsulations_give_nists_ciphertexts_and_secrets() {
    let tests = test_vectors::acvp_ml_kem_encaps().entries;
    tests.iter().for_each(encaps);
    assert_eq!(tests.len(), 75);
}

#[test]
fn thirty_decapsulations_give_nists_secrets() {
    let tests = test_vectors::acvp_ml_kem_decaps().entries;
    tests.iter().for_each(decaps);
    assert_eq!(tests.len(), 30);
}

#[test]
fn thirty_encapsulation_keys_pass_or_fail_their_check_as_nist_says() {
    let tests = test_vectors::acvp_ml_kem_ek_check().entries;
    tests.iter().for_each(|test| with_kem_of!(test, ek_check));
    assert_eq!((tests.len(), passing(&tests)), (30, 15));
}

#[test]
fn thirty_decapsulation_keys_pass_or_fail_their_check_as_nist_says() {
    let tests = test_vectors::acvp_ml_kem_dk_check().entries;
    tests.iter().for_each(|test| with_kem_of!(test, dk_check));
    assert_eq!((tests.len(), passing(&tests)), (30, 15));
}

fn ek_check<P: ParameterSet>(kem: &MlKem<P>, test: &KeyCheckVector) {
    is_as_told(test, kem.deserialize_public_key(&test.key).err());
}

fn dk_check<P: ParameterSet>(kem: &MlKem<P>, test: &KeyCheckVector) {
    is_as_told(test, kem.import_expanded(&test.key).err());
}

fn is_as_told(test: &KeyCheckVector, found: Option<Error>) {
    let told = if test.passes {
        None
    } else {
        Some(Error::Deserialize)
    };
    assert_eq!(found, told, "test {}", test.id);
}

fn passing(tests: &[KeyCheckVector]) -> usize {
    tests.iter().filter(|test| test.passes).count()
}
