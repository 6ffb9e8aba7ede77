//! Key pairs: derived, written, read, mixed up, printed.

use pqseal_hpke::{DynKem, Error, Kem};
use pqseal_kem_pq::{
    MlKem512, MlKem768, MlKem768P256, MlKem768X25519, MlKem1024, MlKem1024P384,
    pairwise_consistency,
};

use super::registry::{for_each_kem, pair, randomness};

#[test]
fn sizes_are_those_of_the_table() {
    for_each_kem(|kem| {
        let (sk, pk) = pair(kem, 1);
        let (secret, enc) = kem.encap(&pk, &randomness(kem, 2)).unwrap();
        let sk = kem.serialize_private_key(&sk).unwrap();
        let found = (
            sk.as_ref().len(),
            pk.as_ref().len(),
            enc.len(),
            secret.as_ref().len(),
        );
        let info = kem.info();
        assert_eq!(
            found,
            (info.n_sk, info.n_pk, info.n_enc, info.n_secret),
            "{}",
            info.name
        );
    });
}

#[test]
fn a_private_key_is_the_same_after_writing_and_reading_it() {
    for_each_kem(|kem| {
        let (sk, pk) = pair(kem, 1);
        let written = kem.serialize_private_key(&sk).unwrap();
        let read = kem.deserialize_private_key(written.as_ref()).unwrap();
        assert_eq!(
            kem.serialize_private_key(&read).unwrap(),
            written,
            "{}",
            kem.info().name
        );
        assert!(kem.public_key(&read).unwrap() == pk, "{}", kem.info().name);
        let (secret, enc) = kem.encap(&pk, &randomness(kem, 2)).unwrap();
        assert_eq!(
            kem.decap(&enc, &read).unwrap(),
            secret,
            "{}",
            kem.info().name
        );
    });
}

#[test]
fn another_ikm_gives_another_key() {
    for_each_kem(|kem| assert!(pair(kem, 1).1 != pair(kem, 2).1, "{}", kem.info().name));
}

#[test]
fn an_ikm_of_any_length_gives_a_key() {
    for_each_kem(|kem| {
        let keys =
            [0, 1, 31, 64, 65, 10_000].map(|len| kem.derive_key_pair(&vec![0; len]).unwrap().1);
        let mut bytes: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
        bytes.sort();
        bytes.dedup();
        assert_eq!(bytes.len(), keys.len(), "{}", kem.info().name);
    });
}

#[test]
fn an_all_zero_seed_is_a_key() {
    let seeds = pqseal_kem_pq::KEMS
        .iter()
        .filter(|kem| kem.info().n_sk <= 64);
    let opened = seeds.map(|kem| {
        let sk = kem
            .deserialize_private_key(&vec![0; kem.info().n_sk])
            .unwrap();
        let (secret, enc) = kem
            .encap(&kem.public_key(&sk).unwrap(), &randomness(*kem, 1))
            .unwrap();
        assert_eq!(kem.decap(&enc, &sk).unwrap(), secret, "{}", kem.info().name);
    });
    assert_eq!(opened.count(), 6, "only X25519Kyber768Draft00 has no seeds");
}

#[test]
fn the_unlabeled_dialect_of_the_hybrids_gives_another_key() {
    fn check<K: Kem>(kem: &K, unlabeled: impl Fn(&[u8]) -> K::PublicKey) {
        let (_, labeled) = kem.derive_key_pair(&[1; 32]).unwrap();
        assert_ne!(
            unlabeled(&[1; 32]).as_ref(),
            labeled.as_ref(),
            "{}",
            kem.info().name
        );
    }
    check(&MlKem768X25519, |ikm| {
        MlKem768X25519.derive_key_pair_unlabeled(ikm).unwrap().1
    });
    check(&MlKem768P256, |ikm| {
        MlKem768P256.derive_key_pair_unlabeled(ikm).unwrap().1
    });
    check(&MlKem1024P384, |ikm| {
        MlKem1024P384.derive_key_pair_unlabeled(ikm).unwrap().1
    });
}

#[test]
fn the_verbatim_dialect_of_ml_kem_takes_the_seed_itself() {
    let seed: Vec<u8> = (0..64).collect();
    let (_, verbatim) = MlKem768.derive_key_pair_verbatim(&seed).unwrap();
    let sk = MlKem768.deserialize_private_key(&seed).unwrap();
    assert_eq!(
        verbatim.as_ref(),
        MlKem768.public_key(&sk).unwrap().as_ref()
    );
    assert_ne!(
        verbatim.as_ref(),
        MlKem768.derive_key_pair(&seed).unwrap().1.as_ref()
    );
    for len in [0, 32, 63, 65] {
        assert_eq!(
            MlKem768
                .derive_key_pair_verbatim(&vec![1; len])
                .unwrap_err(),
            Error::Deserialize
        );
    }
}

#[test]
fn the_consistency_test_passes_for_a_pair_and_fails_for_two_halves_of_different_ones() {
    for_each_kem(|kem| {
        let ((sk, pk), (other, _)) = (pair(kem, 1), pair(kem, 2));
        assert_eq!(
            pairwise_consistency(kem, &sk, &pk, &randomness(kem, 3)),
            Ok(())
        );
        assert_eq!(
            pairwise_consistency(kem, &other, &pk, &randomness(kem, 3)),
            Err(Error::Decap)
        );
        assert_eq!(pairwise_consistency(kem, &sk, &pk, b""), Err(Error::Encap));
    });
}

#[test]
fn a_key_of_another_kem_is_a_mismatch() {
    for_each_kem(|kem| {
        for other in pqseal_kem_pq::KEMS
            .iter()
            .filter(|other| other.info().id != kem.info().id)
        {
            refuses_keys_of(kem, *other);
        }
    });
}

fn refuses_keys_of(kem: &DynKem, other: &DynKem) {
    let (sk, pk) = pair(other, 1);
    let enc = vec![0; kem.info().n_enc];
    let name = kem.info().name;
    assert_eq!(
        kem.encap(&pk, &randomness(kem, 1)).unwrap_err(),
        Error::KeyMismatch,
        "{name}"
    );
    assert_eq!(
        kem.decap(&enc, &sk).unwrap_err(),
        Error::KeyMismatch,
        "{name}"
    );
    assert_eq!(
        kem.public_key(&sk).unwrap_err(),
        Error::KeyMismatch,
        "{name}"
    );
    assert_eq!(
        kem.serialize_private_key(&sk).unwrap_err(),
        Error::KeyMismatch,
        "{name}"
    );
}

#[test]
fn debug_shows_nothing_of_a_private_key() {
    fn check<K: Kem<PrivateKey: core::fmt::Debug, PublicKey: core::fmt::Debug>>(kem: &K) {
        let (sk, pk) = kem.derive_key_pair(&[1; 32]).unwrap();
        assert_eq!(
            format!("{sk:?} {sk:#?}"),
            "PrivateKey(..) PrivateKey(..)",
            "{}",
            kem.info().name
        );
        let public = format!("PublicKey({} bytes)", kem.info().n_pk);
        assert_eq!(format!("{pk:?}"), public);
        assert_eq!(format!("{kem:?}"), kem.info().name);
    }
    check(&MlKem512);
    check(&MlKem768);
    check(&MlKem1024);
    check(&MlKem768X25519);
    check(&MlKem768P256);
    check(&MlKem1024P384);
    check(&pqseal_kem_pq::X25519Kyber768Draft00);
    for_each_kem(|kem| {
        let (sk, pk) = pair(kem, 1);
        assert_eq!(
            format!("{sk:?}"),
            format!("AnyPrivateKey({})", kem.info().name)
        );
        let (secret, _) = kem.encap(&pk, &randomness(kem, 1)).unwrap();
        assert_eq!(
            format!("{secret:?}"),
            format!("Secret({} bytes)", kem.info().n_secret)
        );
    });
}
