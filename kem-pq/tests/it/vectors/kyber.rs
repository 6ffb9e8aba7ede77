//! Kyber768 of round 3, as the second half of X25519Kyber768Draft00.

use libcrux_ml_kem::kyber768;
use pqseal_hpke::Kem;
use pqseal_kem_pq::X25519Kyber768Draft00;
use sha3::{Digest, Sha3_256};
use test_vectors::KyberVector;

/// The offset of Kyber's half in keys, encapsulated keys and joined secrets, after X25519's.
const HALF: usize = 32;

#[test]
fn a_hundred_known_answers_of_round_3_come_out_of_the_kyber_half() {
    let tests = test_vectors::kyber768().entries;
    tests.iter().for_each(check);
    assert_eq!(tests.len(), 100);
}

/// Imports the key pair that libcrux derives from a Kyber seed, since the KEM derives both halves
/// of a key from one ikm.
fn check(test: &KyberVector) {
    let pair = kyber768::generate_key_pair(test.key_generation_seed.as_slice().try_into().unwrap());
    assert_eq!(sha3_256(pair.sk()), test.sha3_256_hash_of_secret_key);
    let x25519 = [7; HALF];
    let sk = X25519Kyber768Draft00
        .deserialize_private_key(&[&x25519[..], pair.sk()].concat())
        .unwrap();
    let pk = X25519Kyber768Draft00.public_key(&sk).unwrap();
    assert_eq!(
        sha3_256(&pk.as_ref()[HALF..]),
        test.sha3_256_hash_of_public_key
    );

    let randomness = [&[9; HALF][..], &test.encapsulation_seed].concat();
    let (secret, enc) = X25519Kyber768Draft00.encap(&pk, &randomness).unwrap();
    assert_eq!(sha3_256(&enc[HALF..]), test.sha3_256_hash_of_ciphertext);
    assert_eq!(secret.as_ref()[HALF..], test.shared_secret);
    assert_eq!(X25519Kyber768Draft00.decap(&enc, &sk).unwrap(), secret);
}

fn sha3_256(bytes: &[u8]) -> Vec<u8> {
    Sha3_256::digest(bytes).to_vec()
}
