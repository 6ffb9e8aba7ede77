//! P-256, P-384 and P-521 (FIPS 186-5) on RustCrypto's crates. Points are uncompressed (SEC 1,
//! section 2.3.3).

use core::marker::PhantomData;

use elliptic_curve::{
    AffinePoint, CurveArithmetic, FieldBytesSize, PublicKey, SecretKey,
    array::typenum::Unsigned,
    ecdh::diffie_hellman,
    sec1::{FromSec1Point, ModulusSize, Sec1Point, ToSec1Point},
};

use super::Group;
use crate::{Error, Secret, secret::Short};

/// A P-curve of RustCrypto.
#[derive(Debug)]
pub struct Nist<C>(PhantomData<fn() -> C>);

/// The leading byte of an uncompressed point.
pub(crate) const UNCOMPRESSED: u8 = 4;

impl<C> Group for Nist<C>
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C> + Send + Sync,
    Sec1Point<C>: Send + Sync,
    SecretKey<C>: Send + Sync,
{
    type Scalar = SecretKey<C>;
    type Point = PublicKey<C>;
    type PointBytes = Sec1Point<C>;
    const N_PK: usize = 1 + 2 * FieldBytesSize::<C>::USIZE;
    const N_SK: usize = FieldBytesSize::<C>::USIZE;
    /// Only the order of P-521 does not fill its first byte: 521 = 65 * 8 + 1 bits.
    const CANDIDATE_MASK: Option<u8> = Some(if Self::N_SK == 66 { 0x01 } else { 0xff });

    fn scalar(bytes: &[u8]) -> Result<Self::Scalar, Error> {
        if bytes.len() != Self::N_SK {
            return Err(Error::Deserialize);
        }
        SecretKey::from_slice(bytes).map_err(|_| Error::Deserialize)
    }

    fn scalar_bytes(scalar: &Self::Scalar) -> Secret<Short> {
        let mut bytes = scalar.to_bytes();
        let secret = Secret::from_slice(&bytes);
        zeroize::Zeroize::zeroize(bytes.as_mut_slice());
        secret
    }

    fn point(bytes: &[u8]) -> Result<Self::Point, Error> {
        if bytes.len() != Self::N_PK || bytes[0] != UNCOMPRESSED {
            return Err(Error::Deserialize);
        }
        PublicKey::from_sec1_bytes(bytes).map_err(|_| Error::Deserialize)
    }

    fn point_bytes(point: &Self::Point) -> Self::PointBytes {
        point.as_affine().to_sec1_point(false)
    }

    fn public(scalar: &Self::Scalar) -> Self::Point {
        scalar.public_key()
    }

    /// Returns a value that is never zero: the scalar is not, and the point has prime order.
    fn dh(scalar: &Self::Scalar, point: &Self::Point) -> Result<Secret<Short>, Error> {
        let shared = diffie_hellman(scalar.to_nonzero_scalar(), point.as_affine());
        Ok(Secret::from_slice(shared.raw_secret_bytes()))
    }
}
