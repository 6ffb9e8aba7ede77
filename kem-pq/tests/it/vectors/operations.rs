//! The operations of FIPS 203 through the public API, each checked against one vector.

use pqseal_hpke::{Error, Kem};
use pqseal_kem_pq::ml_kem::{MlKem, ParameterSet, PrivateKey};
use test_vectors::{DecapsVector, EncapsVector, KeyGenVector, Verdict, sha256};

/// Calls a function that is generic over the parameter set, with the KEM that a vector names.
macro_rules! with_kem_of {
    ($vector:expr, $function:path) => {
        match $vector.parameter_set {
            test_vectors::ParameterSet::MlKem512 => $function(&pqseal_kem_pq::MlKem512, $vector),
            test_vectors::ParameterSet::MlKem768 => $function(&pqseal_kem_pq::MlKem768, $vector),
            test_vectors::ParameterSet::MlKem1024 => $function(&pqseal_kem_pq::MlKem1024, $vector),
        }
    };
}
pub(crate) use with_kem_of;

/// Returns the numbers of valid and invalid tests of a set.
pub(crate) fn tally(verdicts: impl Iterator<Item = Verdict>) -> (usize, usize) {
    let (valid, invalid): (Vec<_>, Vec<_>) =
        verdicts.partition(|verdict| *verdict == Verdict::Valid);
    (valid.len(), invalid.len())
}

pub(crate) fn key_gen(vector: &KeyGenVector) {
    with_kem_of!(vector, key_gen_with);
}

fn key_gen_with<P: ParameterSet>(kem: &MlKem<P>, vector: &KeyGenVector) {
    let name = format!("{} {}", kem.info().name, vector.id);
    let sk = kem.deserialize_private_key(&vector.seed).unwrap();
    let pk = kem.public_key(&sk).unwrap();
    assert_eq!(&sha256(pk.as_ref())[..], vector.ek_sha256, "{name}");
    assert_eq!(
        kem.serialize_private_key(&sk).unwrap().as_ref(),
        vector.seed,
        "{name}"
    );
    if let Some(dk) = &vector.dk {
        is_the_same_key(kem, &sk, &kem.import_expanded(dk).unwrap(), &name);
    }
}

/// Compares an expanded key, which does not serialize, part by part: the public key by its bytes,
/// the secret vector and H(ek) by the secret of a valid ciphertext, z by that of an invalid one.
fn is_the_same_key<P: ParameterSet>(
    kem: &MlKem<P>,
    sk: &PrivateKey<P>,
    imported: &PrivateKey<P>,
    name: &str,
) {
    let pk = kem.public_key(sk).unwrap();
    assert_eq!(
        kem.public_key(imported).unwrap().as_ref(),
        pk.as_ref(),
        "{name}"
    );
    let (secret, enc) = kem.encap(&pk, &[0x5a; 32]).unwrap();
    assert_eq!(kem.decap(&enc, imported).unwrap(), secret, "{name}");
    let noise = vec![0xa5; enc.len()];
    assert_eq!(
        kem.decap(&noise, imported).unwrap(),
        kem.decap(&noise, sk).unwrap(),
        "{name}"
    );
}

pub(crate) fn encaps(vector: &EncapsVector) {
    with_kem_of!(vector, encaps_with);
}

fn encaps_with<P: ParameterSet>(kem: &MlKem<P>, vector: &EncapsVector) {
    let name = format!("{} {} {}", kem.info().name, vector.id, vector.comment);
    let pk = kem.deserialize_public_key(&vector.ek);
    if vector.result != Verdict::Valid {
        assert_eq!(pk.unwrap_err(), Error::Deserialize, "{name}");
        return;
    }
    let (shared_secret, enc) = kem.encap(&pk.expect(&name), &vector.m).unwrap();
    assert_eq!(&sha256(&enc)[..], vector.c_sha256, "{name}");
    assert_eq!(shared_secret.as_ref(), vector.k, "{name}");
}

pub(crate) fn decaps(vector: &DecapsVector) {
    with_kem_of!(vector, decaps_with);
}

fn decaps_with<P: ParameterSet>(kem: &MlKem<P>, vector: &DecapsVector) {
    let name = format!("{} {} {}", kem.info().name, vector.id, vector.comment);
    let sk = match (&vector.seed, &vector.dk) {
        (Some(seed), None) => kem.deserialize_private_key(seed),
        (None, Some(dk)) => kem.import_expanded(dk),
        _ => panic!("{name}: one form of the key, not both or none"),
    };
    let shared_secret = sk.and_then(|sk| kem.decap(&vector.c, &sk));
    match vector.result {
        Verdict::Valid => assert_eq!(shared_secret.unwrap().as_ref(), vector.k, "{name}"),
        _ => assert_eq!(shared_secret.unwrap_err(), Error::Deserialize, "{name}"),
    }
}
