//! Every KEM of kem-pq, as a `DynKem`.

use std::hint::black_box;

use pqseal_hpke::DynKem;

use super::{Case, keep};

/// The candidate's name. Each back end is a column of it.
pub(crate) const NAME: &str = "ours";

/// Returns the cases of every KEM.
pub(crate) fn cases() -> Vec<Case> {
    pqseal_kem_pq::KEMS
        .iter()
        .flat_map(|kem| cases_of(*kem))
        .collect()
}

/// Returns the operations of a KEM: with a key parsed beforehand, and with parsing.
fn cases_of(kem: &'static DynKem) -> Vec<Case> {
    let (sk, pk) = kem.derive_key_pair(&[1; 32]).expect("a key pair");
    let sk_bytes = kem.serialize_private_key(&sk).expect("a seed");
    let pk_bytes = pk.as_ref().to_vec();
    let randomness = vec![2; kem.info().n_random];
    let (_, enc) = kem.encap(&pk, &randomness).expect("an encapsulation");
    let (parsed_randomness, parsed_enc) = (randomness.clone(), enc.clone());
    let case = |operation, run| Case {
        kem: kem.info().name,
        operation,
        candidate: NAME,
        run,
    };
    let to_parse = sk_bytes.as_ref().to_vec();
    vec![
        case(
            "key pair",
            Box::new(move || keep(kem.derive_key_pair(black_box(&[1; 32])))),
        ),
        case(
            "key from its bytes",
            Box::new(move || keep(kem.deserialize_private_key(black_box(&to_parse)))),
        ),
        case(
            "encap",
            Box::new(move || keep(kem.encap(&pk, black_box(&parsed_randomness)))),
        ),
        case(
            "decap",
            Box::new(move || keep(kem.decap(black_box(&parsed_enc), &sk))),
        ),
        case(
            "parse and encap",
            Box::new(move || {
                let pk = kem
                    .deserialize_public_key(black_box(&pk_bytes))
                    .expect("a public key");
                keep(kem.encap(&pk, &randomness));
            }),
        ),
        case(
            "parse and decap",
            Box::new(move || {
                let sk = kem
                    .deserialize_private_key(black_box(sk_bytes.as_ref()))
                    .expect("a private key");
                keep(kem.decap(&enc, &sk));
            }),
        ),
    ]
}
