//! X25519 of x25519-dalek, where x25519-batch has no SIMD.

use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::{Agreed, TablePoint, XFunction, vectors};
use crate::Secret;

/// X25519 of x25519-dalek.
#[derive(Debug)]
pub struct Dalek;

impl XFunction<32> for Dalek {
    type Scalar = Secret<[u8; 32]>;
    type Point = TablePoint;

    fn scalar(k: Secret<[u8; 32]>) -> Secret<[u8; 32]> {
        k
    }

    fn multiply_base(k: &Secret<[u8; 32]>) -> [u8; 32] {
        vectors::multiply_base(k.bytes(), || {
            let secret = x25519_dalek::StaticSecret::from(*k.bytes());
            x25519_dalek::PublicKey::from(&secret).to_bytes()
        })
    }

    fn multiply(k: &Secret<[u8; 32]>, u: &TablePoint) -> Zeroizing<[u8; 32]> {
        u.multiply(k.bytes(), |u| {
            vectors::multiply(k.bytes(), u, || ladder(k, u))
        })
    }

    fn precompute(u: &mut TablePoint) {
        u.precompute();
    }

    fn agree(k: &[u8; 32], u: &TablePoint) -> Option<([u8; 32], Zeroizing<[u8; 32]>)> {
        u.agree(k)
    }

    fn agree_batch(scalars: &[[u8; 32]], u: &TablePoint) -> Option<Agreed<32>> {
        u.agree_batch(scalars)
    }

    fn multiply_batch(k: &Secret<[u8; 32]>, us: &[[u8; 32]]) -> Vec<Zeroizing<[u8; 32]>> {
        vectors::multiply_batch(k.bytes(), us, |u| ladder(k, u))
    }
}

fn ladder(k: &Secret<[u8; 32]>, u: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let shared = x25519_dalek::StaticSecret::from(*k.bytes()).diffie_hellman(&(*u).into());
    Zeroizing::new(shared.to_bytes())
}
