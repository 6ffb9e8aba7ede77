//! graviola, which only has ML-KEM-768, and needs AVX2, ADX, BMI2 and PCLMULQDQ. Functions that its
//! documentation does not show keep a key, and take a seed and randomness, as ours do.

use std::hint::black_box;

use graviola::key_agreement::mlkem768::{DecapKey, EncapKey, Message};

use crate::driver::{Case, keep};

pub(crate) fn cases() -> Vec<Case> {
    let seed = [1; 64];
    let sk = DecapKey::keygen_internal(&seed);
    let pk = sk.encapsulation_key();
    let pk_bytes = pk.as_bytes();
    let (_, enc) = pk.clone().encaps_internal(Message([2; 32]));
    let parsed_enc = *enc.as_ref();
    let case = |operation, run| Case {
        kem: "ML-KEM-768",
        operation,
        candidate: "graviola",
        run,
    };
    vec![
        case(
            "key from its bytes",
            Box::new(move || keep(DecapKey::keygen_internal(black_box(&seed)))),
        ),
        case(
            "encap",
            Box::new(move || keep(pk.clone().encaps_internal(black_box(Message([2; 32]))))),
        ),
        case(
            "decap",
            Box::new(move || keep(sk.decaps_internal(&black_box(parsed_enc).into()))),
        ),
        case(
            "parse and encap",
            Box::new(move || {
                let pk = EncapKey::from_bytes(black_box(&pk_bytes)).expect("a public key");
                keep(pk.encaps_internal(Message([2; 32])));
            }),
        ),
        case(
            "parse and decap",
            Box::new(move || {
                keep(DecapKey::keygen_internal(black_box(&seed)).decaps_internal(&enc));
            }),
        ),
    ]
}
