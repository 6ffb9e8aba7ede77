//! AWS-LC, through aws-lc-rs. It draws its own randomness, and its private keys are expanded.

use std::hint::black_box;

use aws_lc_rs::kem::{
    Algorithm, AlgorithmId, Ciphertext, DecapsulationKey, EncapsulationKey, ML_KEM_512, ML_KEM_768,
    ML_KEM_1024,
};

use crate::driver::{Case, keep};

pub(crate) fn cases() -> Vec<Case> {
    let sets: [(_, &'static Algorithm<AlgorithmId>); 3] = [
        ("ML-KEM-512", &ML_KEM_512),
        ("ML-KEM-768", &ML_KEM_768),
        ("ML-KEM-1024", &ML_KEM_1024),
    ];
    sets.into_iter()
        .flat_map(|(kem, algorithm)| cases_of(kem, algorithm))
        .collect()
}

fn cases_of(kem: &'static str, algorithm: &'static Algorithm<AlgorithmId>) -> Vec<Case> {
    let sk = DecapsulationKey::generate(algorithm).expect("a key pair");
    let pk = sk.encapsulation_key().expect("its public key");
    let sk_bytes = sk.key_bytes().expect("its bytes").as_ref().to_vec();
    let pk_bytes = pk.key_bytes().expect("its bytes").as_ref().to_vec();
    let (enc, _) = pk.encapsulate().expect("an encapsulation");
    let enc = enc.as_ref().to_vec();
    let parsed_enc = enc.clone();
    let case = |operation, run| Case {
        kem,
        operation,
        candidate: "aws-lc-rs",
        run,
    };
    vec![
        case(
            "key pair",
            Box::new(move || keep(DecapsulationKey::generate(algorithm))),
        ),
        case("encap", Box::new(move || keep(pk.encapsulate()))),
        case(
            "decap",
            Box::new(move || {
                keep(sk.decapsulate(Ciphertext::from(black_box(parsed_enc.as_slice()))));
            }),
        ),
        case(
            "parse and encap",
            Box::new(move || {
                let pk =
                    EncapsulationKey::new(algorithm, black_box(&pk_bytes)).expect("a public key");
                keep(pk.encapsulate());
            }),
        ),
        case(
            "parse and decap",
            Box::new(move || {
                let sk =
                    DecapsulationKey::new(algorithm, black_box(&sk_bytes)).expect("a private key");
                keep(sk.decapsulate(Ciphertext::from(enc.as_slice())));
            }),
        ),
    ]
}
