//! The same code and the same vectors on numbers, against x25519-dalek: what a vector of the proofs
//! does is what WebAssembly says of it.

use proofs::random_bytes;
use x25519_dalek::{PublicKey, StaticSecret};

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
