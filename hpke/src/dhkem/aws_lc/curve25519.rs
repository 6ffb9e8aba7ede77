//! X25519 (RFC 7748).

use alloc::vec::Vec;
use std::sync::OnceLock;

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
    key: OnceLock<PrivateKey>,
    public: OnceLock<[u8; 32]>,
}

impl Scalar {
    fn key(&self) -> &PrivateKey {
        self.key.get_or_init(|| {
            PrivateKey::from_private_key(&agreement::X25519, self.bytes.as_ref())
                .expect("any 32 bytes are a key")
        })
    }

    fn public_by_aws_lc(&self) -> [u8; 32] {
        let public = self.key().compute_public_key();
        let public = public.expect("a key has a public key");
        public.as_ref().try_into().expect("of 32 bytes")
    }
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
        let (key, public) = (OnceLock::new(), OnceLock::new());
        Scalar { bytes, key, public }
    }

    fn multiply_base(k: &Scalar) -> [u8; 32] {
        *(k.public).get_or_init(|| vectors::multiply_base(k.bytes.bytes(), || k.public_by_aws_lc()))
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
        k.key(),
        UnparsedPublicKey::new(&agreement::X25519, u),
        (),
        take,
    );
    shared
}
