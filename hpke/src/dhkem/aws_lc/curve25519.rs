//! X25519 (RFC 7748).

use alloc::{boxed::Box, vec::Vec};

use aws_lc_rs::agreement::{self, PrivateKey, UnparsedPublicKey};
use zeroize::Zeroizing;

use crate::{
    Secret,
    dhkem::{Agreed, TablePoint, XFunction, vectors},
};

/// X25519 of AWS-LC.
#[derive(Debug)]
pub struct Curve25519;

/// A scalar with its public key.
#[derive(Debug)]
pub struct Scalar {
    bytes: Secret<[u8; 32]>,
    public: [u8; 32],
    /// The scalar as AWS-LC imports it, where AWS-LC computes. Boxed, since the memory of an inline
    /// value that is absent would hold, and copy, bytes of the stack.
    key: Option<Box<PrivateKey>>,
}

impl AsRef<[u8]> for Scalar {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

impl XFunction<32> for Curve25519 {
    type Scalar = Scalar;
    type Point = TablePoint;

    fn scalar(bytes: Secret<[u8; 32]>) -> Scalar {
        let key = (!vectors::has_vectors()).then(|| Box::new(imported(bytes.bytes())));
        let public = vectors::multiply_base(bytes.bytes(), || {
            key.as_deref()
                .map_or_else(|| public_key(&imported(bytes.bytes())), public_key)
        });
        Scalar { bytes, public, key }
    }

    fn multiply_base(k: &Scalar) -> [u8; 32] {
        k.public
    }

    /// Uses the point's table, if there is one, or SIMD: AWS-LC only has a table for the base
    /// point.
    fn multiply(k: &Scalar, u: &TablePoint) -> Zeroizing<[u8; 32]> {
        u.multiply(k.bytes.bytes(), |u| {
            vectors::multiply(k.bytes.bytes(), u, || ladder(k, u))
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

    fn multiply_batch(k: &Scalar, us: &[[u8; 32]]) -> Vec<Zeroizing<[u8; 32]>> {
        vectors::multiply_batch(k.bytes.bytes(), us, |u| ladder(k, u))
    }
}

/// Computes X25519. AWS-LC returns an error for an all-zero result, which only a point of low
/// order gives.
fn ladder(k: &Scalar, u: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut shared = Zeroizing::new([0; 32]);
    let imported_here;
    let key = match &k.key {
        Some(key) => key,
        // Of a scalar that was made in a thread that has vectors.
        None => {
            imported_here = imported(k.bytes.bytes());
            &imported_here
        }
    };
    let u = UnparsedPublicKey::new(&agreement::X25519, u);
    let _: Result<(), ()> = agreement::agree(key, u, (), |secret| {
        shared.copy_from_slice(secret);
        Ok(())
    });
    shared
}

fn imported(bytes: &[u8; 32]) -> PrivateKey {
    PrivateKey::from_private_key(&agreement::X25519, bytes).expect("any 32 bytes are a key")
}

fn public_key(key: &PrivateKey) -> [u8; 32] {
    let public = key.compute_public_key().expect("a key has a public key");
    public.as_ref().try_into().expect("of 32 bytes")
}
