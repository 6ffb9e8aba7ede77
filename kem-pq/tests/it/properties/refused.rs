//! Refusals of every KEM, and their errors.

use pqseal_hpke::{Aes128Gcm, DynKem, Error, HkdfSha256, Kem, Mode, Psk, Suite};
use pqseal_kem_pq::MlKem768X25519;

use super::registry::{for_each_kem, other_lengths, pair, randomness, resized};

#[test]
fn keys_and_ciphertexts_of_another_length_do_not_parse() {
    for_each_kem(|kem| {
        let (sk, pk) = pair(kem, 1);
        let sk_bytes = kem.serialize_private_key(&sk).unwrap();
        let (_, enc) = kem.encap(&pk, &randomness(kem, 2)).unwrap();
        let name = kem.info().name;
        for len in other_lengths(kem.info().n_pk) {
            let found = kem.deserialize_public_key(&resized(pk.as_ref(), len));
            assert_eq!(
                found.unwrap_err(),
                Error::Deserialize,
                "{name}, public key of {len}"
            );
        }
        for len in other_lengths(kem.info().n_sk) {
            let found = kem.deserialize_private_key(&resized(sk_bytes.as_ref(), len));
            assert_eq!(
                found.unwrap_err(),
                Error::Deserialize,
                "{name}, private key of {len}"
            );
        }
        for len in other_lengths(kem.info().n_enc) {
            let found = kem.decap(&resized(&enc, len), &sk);
            assert_eq!(
                found.unwrap_err(),
                Error::Deserialize,
                "{name}, encapsulated key of {len}"
            );
        }
    });
}

#[test]
fn randomness_of_another_length_does_not_encapsulate() {
    for_each_kem(|kem| {
        let (_, pk) = pair(kem, 1);
        for len in other_lengths(kem.info().n_random) {
            assert_eq!(
                kem.encap(&pk, &vec![1; len]).unwrap_err(),
                Error::Encap,
                "{}, {len} bytes",
                kem.info().name
            );
        }
    });
}

#[test]
fn a_public_key_with_a_coefficient_that_is_not_reduced_does_not_parse() {
    for_each_kem(|kem| {
        let (_, pk) = pair(kem, 1);
        let (first, last) = coefficients(kem);
        for at in [first, last] {
            let mut bytes = pk.as_ref().to_vec();
            // 4,095 (12 bits of ones) in one of the two coefficients that share three bytes.
            (bytes[at], bytes[at + 1]) = (0xff, bytes[at + 1] | 0x0f);
            assert_eq!(
                kem.deserialize_public_key(&bytes).unwrap_err(),
                Error::Deserialize,
                "{}",
                kem.info().name
            );
        }
    });
}

/// Returns the offsets of the first and the last but one coefficient of the lattice half.
fn coefficients(kem: &DynKem) -> (usize, usize) {
    let (start, k) = match kem.info().id {
        0x0030 => (32, 3),
        0x0040 => (0, 2),
        0x0042 | 0x0051 => (0, 4),
        _ => (0, 3),
    };
    (start, start + 384 * k - 3)
}

#[test]
fn no_kem_has_auth_modes() {
    for_each_kem(|kem| {
        let (sk, pk) = pair(kem, 1);
        let enc = vec![0; kem.info().n_enc];
        let name = kem.info().name;
        assert!(!kem.info().auth, "{name}");
        assert_eq!(
            kem.auth_encap(&pk, &sk, &randomness(kem, 1)).unwrap_err(),
            Error::AuthUnsupported,
            "{name}"
        );
        assert_eq!(
            kem.auth_decap(&enc, &sk, &pk).unwrap_err(),
            Error::AuthUnsupported,
            "{name}"
        );
    });
}

#[test]
fn a_suite_does_not_fall_back_to_a_mode_without_the_sender() {
    let suite = Suite::new(&MlKem768X25519, &HkdfSha256, &Aes128Gcm);
    let (sk, pk) = MlKem768X25519.derive_key_pair(&[1; 32]).unwrap();
    let psk = Psk::new(&[1; 32], b"id").unwrap();
    for mode in [Mode::Auth(&sk), Mode::AuthPsk(&sk, psk)] {
        let sealed = suite.setup_s(&pk, b"", mode, &mut getrandom::SysRng);
        assert_eq!(sealed.unwrap_err(), Error::AuthUnsupported);
    }
    let (_, enc) = MlKem768X25519.encap(&pk, &[1; 64]).unwrap();
    for mode in [Mode::Auth(&pk), Mode::AuthPsk(&pk, psk)] {
        assert_eq!(
            suite.setup_r(&enc, &sk, b"", mode).unwrap_err(),
            Error::AuthUnsupported
        );
    }
}
