//! The same code and vectors on numbers, compared with x25519-dalek, to check that the vectors of
//! the proofs behave as WebAssembly specifies.

use x25519_dalek::{PublicKey, StaticSecret};
use x25519_proofs::random_bytes;

use crate::ladder::multiply;

#[test]
fn a_ladder_on_numbers() {
    let mut state = 128;
    for i in 0..4 {
        let k = random_bytes(&mut state);
        let u = if i == 0 {
            [0xff; 32]
        } else {
            random_bytes(&mut state)
        };
        let expected = StaticSecret::from(k).diffie_hellman(&PublicKey::from(u));
        assert_eq!(multiply(&k, &u), *expected.as_bytes());
    }
}
