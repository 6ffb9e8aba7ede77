//! x25519-dalek.

use x25519_dalek::{PublicKey, StaticSecret};

pub(super) fn x25519(scalar: &[u8; 32], points: &[[u8; 32]], out: &mut [[u8; 32]]) {
    let scalar = StaticSecret::from(*scalar);
    for (point, out) in points.iter().zip(out) {
        out.copy_from_slice(scalar.diffie_hellman(&PublicKey::from(*point)).as_bytes());
    }
}
