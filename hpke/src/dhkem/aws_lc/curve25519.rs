//! X25519 (RFC 7748).

use alloc::vec::Vec;
use std::sync::OnceLock;

use aws_lc_rs::agreement::{self, PrivateKey, UnparsedPublicKey};
use zeroize::Zeroizing;

use crate::{
    Secret,
    dhkem::{Agreed, TablePoint, XFunction, vectors},
};

/// X25519 by AWS-LC.
#[derive(Debug)]
pub struct Curve25519;

/// A scalar. AWS-LC computes a public key as it takes a scalar in, so it gets one only where it has
/// something to compute.
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

    /// By a table, if there is one, or in vectors: AWS-LC has no table but the base point's.
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

/// AWS-LC has an error for zeros, which any 32 bytes of low order give and nothing else does.
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
