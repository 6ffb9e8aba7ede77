//! The portable back end: x25519-dalek.

use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use super::Implementation;

pub(super) const IMPLEMENTATION: Implementation = Implementation {
    vectors: &[],
    one,
    comb: None,
};

fn one(scalar: &[u8; 32], point: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(
        StaticSecret::from(*scalar)
            .diffie_hellman(&PublicKey::from(*point))
            .to_bytes(),
    )
}
