//! RustCrypto's ml-kem: seeds as private keys, randomness as an argument, as in ours.

use std::hint::black_box;

use ml_kem::{
    B32, Decapsulate, DecapsulationKey, EncapsulationKey, KeyExport, MlKem512, MlKem768, MlKem1024,
    Seed,
};

use crate::driver::{Case, keep};

/// Defines the same cases for each parameter set, whose traits only differ in type parameters.
macro_rules! cases_of {
    ($kem:literal, $set:ty) => {{
        let seed = Seed::from([1; 64]);
        let m = B32::from([2; 32]);
        let sk = DecapsulationKey::<$set>::from_seed(seed);
        let pk = sk.encapsulation_key().clone();
        let pk_bytes = pk.to_bytes();
        let (enc, _) = pk.encapsulate_deterministic(&m);
        let parsed_enc = enc.clone();
        let case = |operation, run| Case {
            kem: $kem,
            operation,
            candidate: "ml-kem",
            run,
        };
        vec![
            case(
                "key from its bytes",
                Box::new(move || keep(DecapsulationKey::<$set>::from_seed(black_box(seed)))),
            ),
            case(
                "encap",
                Box::new(move || keep(pk.encapsulate_deterministic(black_box(&m)))),
            ),
            case(
                "decap",
                Box::new(move || keep(sk.decapsulate(black_box(&parsed_enc)))),
            ),
            case(
                "parse and encap",
                Box::new(move || {
                    let pk =
                        EncapsulationKey::<$set>::new(black_box(&pk_bytes)).expect("a public key");
                    keep(pk.encapsulate_deterministic(&m));
                }),
            ),
            case(
                "parse and decap",
                Box::new(move || {
                    let sk = DecapsulationKey::<$set>::from_seed(black_box(seed));
                    keep(sk.decapsulate(&enc));
                }),
            ),
        ]
    }};
}

pub(crate) fn cases() -> Vec<Case> {
    [
        cases_of!("ML-KEM-512", MlKem512),
        cases_of!("ML-KEM-768", MlKem768),
        cases_of!("ML-KEM-1024", MlKem1024),
    ]
    .into_iter()
    .flatten()
    .collect()
}
