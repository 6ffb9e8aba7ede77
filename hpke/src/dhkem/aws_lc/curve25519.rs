//! X25519 (RFC 7748).

use alloc::vec::Vec;

use aws_lc_rs::agreement::{self, PrivateKey, UnparsedPublicKey};
use zeroize::Zeroizing;

use crate::{
    Secret,
    dhkem::{Agreed, TablePoint, XFunction, vectors},
};

/// X25519 of AWS-LC.
#[derive(Debug)]
pub struct Curve25519;

/// A scalar with its public key, which AWS-LC computes when it imports the scalar.
#[derive(Debug)]
pub struct Scalar {
    bytes: Secret<[u8; 32]>,
    key: PrivateKey,
    public: [u8; 32],
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
        let key = PrivateKey::from_private_key(&agreement::X25519, bytes.as_ref())
            .expect("any 32 bytes are a key");
        let public = key.compute_public_key().expect("a key has a public key");
        let public = public.as_ref().try_into().expect("of 32 bytes");
        Scalar { bytes, key, public }
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
    let take = |secret: &[u8]| {
        shared.copy_from_slice(secret);
        Ok(())
    };
    let _: Result<(), ()> = agreement::agree(
        &k.key,
        UnparsedPublicKey::new(&agreement::X25519, u),
        (),
        take,
    );
    shared
}
