//! x25519-dalek.

use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use super::Implementation;

pub(super) const IMPLEMENTATION: Implementation = Implementation { many, one };

fn many(scalar: &[u8; 32], points: &[[u8; 32]], out: &mut [[u8; 32]]) {
    let scalar = StaticSecret::from(*scalar);
    for (point, out) in points.iter().zip(out) {
        out.copy_from_slice(scalar.diffie_hellman(&PublicKey::from(*point)).as_bytes());
    }
}

fn one(scalar: &[u8; 32], point: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(
        StaticSecret::from(*scalar)
            .diffie_hellman(&PublicKey::from(*point))
            .to_bytes(),
    )
}
