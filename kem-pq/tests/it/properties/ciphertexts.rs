//! Encapsulated keys: for another key, altered, rejected, many at once.

use pqseal_hpke::{DynKem, Error, Kem};
use pqseal_kem_pq::{MlKem512, MlKem768, MlKem1024, X25519Kyber768Draft00};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

use super::registry::{for_each_kem, pair, randomness};

#[test]
fn another_key_opens_to_another_secret() {
    for_each_kem(|kem| {
        let ((_, pk), (other, _)) = (pair(kem, 1), pair(kem, 2));
        let (secret, enc) = kem.encap(&pk, &randomness(kem, 3)).unwrap();
        assert_ne!(
            kem.decap(&enc, &other).unwrap(),
            secret,
            "{}",
            kem.info().name
        );
    });
}

#[test]
fn other_randomness_gives_another_secret_and_ciphertext() {
    for_each_kem(|kem| {
        let (_, pk) = pair(kem, 1);
        let [first, second] = [3, 4].map(|n| kem.encap(&pk, &randomness(kem, n)).unwrap());
        assert!(
            first.0 != second.0 && first.1 != second.1,
            "{}",
            kem.info().name
        );
    });
}

/// Alters ciphertexts. A point of a P-curve is checked, so altering it is an error; all else is
/// rejected implicitly.
#[test]
fn an_altered_ciphertext_gives_another_secret_and_an_error_only_in_a_point() {
    for_each_kem(|kem| {
        let (sk, pk) = pair(kem, 1);
        let (secret, enc) = kem.encap(&pk, &randomness(kem, 2)).unwrap();
        for at in 0..enc.len() {
            let mut altered = enc.clone();
            altered[at] ^= 1 << (at % 8);
            match kem.decap(&altered, &sk) {
                Ok(found) => assert_ne!(found, secret, "{}, byte {at}", kem.info().name),
                Err(error) => assert_eq!(
                    (in_a_point(kem, at), error),
                    (true, Error::Deserialize),
                    "byte {at}"
                ),
            }
        }
    });
}

/// Reports whether a byte is in the point of a hybrid with a P-curve, at the end of a ciphertext.
fn in_a_point(kem: &DynKem, at: usize) -> bool {
    let n_point = match kem.info().short_name {
        "mlkem768-p256" => 65,
        "mlkem1024-p384" => 97,
        _ => 0,
    };
    at >= kem.info().n_enc - n_point
}

#[test]
fn the_secret_of_a_rejection_is_shake256_of_z_and_the_ciphertext() {
    fn check<K: Kem>(kem: &K) {
        let (sk, pk) = kem.derive_key_pair(&[1; 32]).unwrap();
        let seed = kem.serialize_private_key(&sk).unwrap();
        let mut enc = kem.encap(&pk, &[2; 32]).unwrap().1.as_ref().to_vec();
        enc[0] ^= 1;
        let mut expected = [0; 32];
        Shake256::default()
            .chain(&seed.as_ref()[32..])
            .chain(&enc)
            .finalize_xof()
            .read(&mut expected);
        assert_eq!(
            kem.decap(&enc, &sk).unwrap().as_ref(),
            expected,
            "{}",
            kem.info().name
        );
    }
    check(&MlKem512);
    check(&MlKem768);
    check(&MlKem1024);
}

#[test]
fn a_batch_gives_what_each_decapsulation_gives_in_order() {
    for_each_kem(|kem| {
        let (sk, pk) = pair(kem, 1);
        let encs = [3, 4, 5].map(|n| kem.encap(&pk, &randomness(kem, n)).unwrap().1);
        let batch = kem.decap_batch(&[&encs[0], b"short", &encs[1], &encs[2]], &sk);
        let one_by_one =
            [&encs[0][..], b"short", &encs[1], &encs[2]].map(|enc| kem.decap(enc, &sk));
        assert!(batch[..] == one_by_one, "{}", kem.info().name);
        assert_eq!(batch[1], Err(Error::Deserialize), "{}", kem.info().name);
    });
}

/// Checks that Kyber and ML-KEM do not open each other's messages. Their keys and ciphertexts have
/// the same format, and a key of one even passes the check of the other.
#[test]
fn kyber_and_ml_kem_do_not_open_each_other() {
    let (sk, pk) = X25519Kyber768Draft00.derive_key_pair(&[1; 32]).unwrap();
    let dk = &X25519Kyber768Draft00
        .serialize_private_key(&sk)
        .unwrap()
        .as_ref()[32..]
        .to_vec();
    let ml_kem_sk = MlKem768.import_expanded(dk).unwrap();
    let ml_kem_pk = MlKem768.public_key(&ml_kem_sk).unwrap();
    assert_eq!(
        ml_kem_pk.as_ref(),
        &pk.as_ref()[32..],
        "the key is the same"
    );

    let (kyber_secret, kyber_enc) = X25519Kyber768Draft00.encap(&pk, &[2; 64]).unwrap();
    let opened = MlKem768.decap(&kyber_enc[32..], &ml_kem_sk).unwrap();
    assert_ne!(opened.as_ref(), &kyber_secret.as_ref()[32..]);

    let (ml_kem_secret, ml_kem_enc) = MlKem768.encap(&ml_kem_pk, &[2; 32]).unwrap();
    let enc = [&kyber_enc[..32], &ml_kem_enc].concat();
    let opened = X25519Kyber768Draft00.decap(&enc, &sk).unwrap();
    assert_ne!(&opened.as_ref()[32..], ml_kem_secret.as_ref());
}
