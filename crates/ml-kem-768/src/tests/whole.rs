//! Comparison of ML-KEM-768 on the portable vector with libcrux, on machines without a back end
//! too.

use libcrux_ml_kem::{
    MlKemCiphertext, MlKemPublicKey,
    mlkem768::portable::{self as libcrux},
};

use super::{Numbers, portable::PORTABLE};
use crate::MlKem768;

#[test]
fn the_portable_vector_gives_libcruxs_keys_and_secrets() {
    PORTABLE.iter().map(MlKem768).for_each(gives_libcruxs);
}

fn gives_libcruxs(ml_kem: MlKem768) {
    let mut numbers = Numbers::new("whole");
    for round in 0..if cfg!(miri) { 1 } else { 20 } {
        let seed = numbers.bytes();
        let theirs = libcrux::generate_key_pair(seed);
        let key = ml_kem.key_gen(&seed);
        assert_eq!(key.encapsulation_key().bytes(), theirs.pk());
        let imported = ml_kem.import(theirs.sk()).expect("valid");
        let m = [numbers.bytes(), numbers.bytes()];
        let [mut a, mut b] = [([0; 1088], [0; 32]); 2];
        let ciphertexts = [&mut a.0, &mut b.0];
        let public = key.encapsulation_key();
        public.encaps_two(m.each_ref(), ciphertexts, [&mut a.1, &mut b.1]);
        for (m, (c, k)) in m.iter().zip([&a, &b]) {
            let their_key = MlKemPublicKey::from(*theirs.pk());
            let (their_c, their_k) = libcrux::encapsulate(&their_key, *m);
            assert!(their_c.as_slice() == c);
            assert_eq!(*k, their_k);
        }
        b.0[round] ^= 1;
        let expected = [a.0, b.0].map(MlKemCiphertext::from);
        let expected = expected.map(|c| libcrux::decapsulate(theirs.private_key(), &c));
        let [mut first, mut second] = [[0; 32]; 2];
        key.decaps_two([&a.0, &b.0], [&mut first, &mut second]);
        assert_eq!([first, second], expected);
        imported.decaps(&b.0, &mut first);
        assert_eq!(first, expected[1]);
    }
}
