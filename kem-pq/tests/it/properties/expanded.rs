//! Keys in the expanded format: those of ML-KEM, which others keep, and those of Kyber, which has
//! no other format.

use pqseal_hpke::{Error, Kem};
use pqseal_kem_pq::{MlKem768, X25519Kyber768Draft00};
use sha3::{Digest, Sha3_256};
use test_vectors::{ParameterSet, acvp_ml_kem_key_gen};

use super::registry::other_lengths;

/// dk = dk_pke (384 k bytes) || ek || H(ek) || z of ML-KEM-768.
const EK: core::ops::Range<usize> = 1152..2336;
const HASH: core::ops::Range<usize> = 2336..2368;
const N_DK: usize = 2400;

/// Returns an expanded key and its seed.
fn known_key() -> (Vec<u8>, Vec<u8>) {
    let mut tests = acvp_ml_kem_key_gen().entries.into_iter();
    let test = tests
        .find(|test| test.parameter_set == ParameterSet::MlKem768)
        .unwrap();
    (test.dk.unwrap(), test.seed)
}

#[test]
fn an_imported_key_opens_but_cannot_be_written() {
    let (dk, seed) = known_key();
    let imported = MlKem768.import_expanded(&dk).unwrap();
    let sk = MlKem768.deserialize_private_key(&seed).unwrap();
    let (secret, enc) = MlKem768
        .encap(&MlKem768.public_key(&sk).unwrap(), &[1; 32])
        .unwrap();
    assert_eq!(MlKem768.decap(&enc, &imported).unwrap(), secret);
    assert_eq!(
        MlKem768.serialize_private_key(&imported).unwrap_err(),
        Error::NoSeed
    );
    assert_eq!(format!("{imported:?}"), "PrivateKey(..)");
}

#[test]
fn an_expanded_key_of_another_length_or_with_another_hash_is_refused() {
    let (dk, _) = known_key();
    for len in other_lengths(N_DK) {
        let mut resized = dk.clone();
        resized.resize(len, 0);
        assert_eq!(
            MlKem768.import_expanded(&resized).unwrap_err(),
            Error::Deserialize,
            "{len} bytes"
        );
    }
    for at in [EK.start, EK.end - 1, HASH.start, HASH.end - 1] {
        let mut altered = dk.clone();
        altered[at] ^= 1;
        assert_eq!(
            MlKem768.import_expanded(&altered).unwrap_err(),
            Error::Deserialize,
            "byte {at}"
        );
    }
}

/// Checks that an ek that is not canonical is refused. The check of section 7.3 only hashes it.
/// Reduced to its canonical form it would have another hash, and the key would not open what is
/// sealed to the public key that it gives.
#[test]
fn an_expanded_key_whose_public_key_is_not_canonical_is_refused() {
    let (mut dk, _) = known_key();
    (dk[EK.start], dk[EK.start + 1]) = (0xff, dk[EK.start + 1] | 0x0f);
    let hash = Sha3_256::digest(&dk[EK]);
    dk[HASH].copy_from_slice(&hash);
    assert_eq!(
        MlKem768.import_expanded(&dk).unwrap_err(),
        Error::Deserialize
    );
}

#[test]
fn a_kyber_key_with_another_hash_of_its_public_key_is_refused() {
    let (sk, _) = X25519Kyber768Draft00.derive_key_pair(&[1; 32]).unwrap();
    let bytes = X25519Kyber768Draft00
        .serialize_private_key(&sk)
        .unwrap()
        .as_ref()
        .to_vec();
    // X25519's 32 bytes come first.
    for at in [EK.start, EK.end - 1, HASH.start, HASH.end - 1].map(|at| at + 32) {
        let mut altered = bytes.clone();
        altered[at] ^= 1;
        let found = X25519Kyber768Draft00.deserialize_private_key(&altered);
        assert_eq!(found.unwrap_err(), Error::Deserialize, "byte {at}");
    }
}
