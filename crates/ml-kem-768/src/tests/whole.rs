//! ML-KEM-768 on the portable vector is libcrux's, on machines without a back end too; and what a
//! call leaves of the stack.

use libcrux_ml_kem::{
    MlKemCiphertext, MlKemPublicKey,
    mlkem768::portable::{self as libcrux},
};

use super::{Numbers, portable::PORTABLE};
use crate::MlKem768;

#[test]
fn the_portable_vector_gives_libcruxs_keys_and_secrets() {
    let (mut numbers, ml_kem) = (Numbers::new("whole"), MlKem768(&PORTABLE));
    for round in 0..if cfg!(miri) { 1 } else { 20 } {
        let seed = numbers.bytes();
        let theirs = libcrux::generate_key_pair(seed);
        let key = ml_kem.key_gen(&seed);
        assert_eq!(key.encapsulation_key().bytes(), theirs.pk());
        let imported = ml_kem.import(theirs.sk()).expect("valid");
        let m = [numbers.bytes(), numbers.bytes()];
        let both = key.encapsulation_key().encaps_two(m.each_ref());
        for (m, (c, k)) in m.iter().zip(&both) {
            let (their_c, their_k) = libcrux::encapsulate(&MlKemPublicKey::from(*theirs.pk()), *m);
            assert!(their_c.as_slice() == c);
            assert_eq!(**k, their_k);
        }
        let mut c = both.each_ref().map(|(c, _)| *c);
        c[1][round] ^= 1;
        let expected =
            c.map(|c| libcrux::decapsulate(theirs.private_key(), &MlKemCiphertext::from(c)));
        assert_eq!(key.decaps_two(c.each_ref()).map(|k| *k), expected);
        assert_eq!(*imported.decaps(&c[1]), expected[1]);
    }
}
