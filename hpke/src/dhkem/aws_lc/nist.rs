//! P-256, P-384 and P-521 (FIPS 186-5): one family, one entry per curve.

use core::{fmt, marker::PhantomData};

use aws_lc_rs::{
    agreement::{self, Algorithm, ParsedPublicKey, PrivateKey, UnparsedPublicKey},
    encoding::{AsBigEndian, EcPrivateKeyBin},
};
use rand_core::TryCryptoRng;

use crate::{
    Error, Secret,
    dhkem::{Group, UNCOMPRESSED},
    secret::Short,
};

/// A P-curve of AWS-LC.
#[derive(Debug)]
pub struct Curve<R>(PhantomData<fn() -> R>);

/// The parameters of one curve.
pub trait Row: fmt::Debug + 'static {
    /// AWS-LC's algorithm.
    const ALGORITHM: &'static Algorithm;
    /// The size of a coordinate or scalar, in bytes.
    const N: usize;
}

/// NIST P-256.
#[derive(Debug)]
pub struct P256;
/// NIST P-384.
#[derive(Debug)]
pub struct P384;
/// NIST P-521.
#[derive(Debug)]
pub struct P521;

impl Row for P256 {
    const ALGORITHM: &'static Algorithm = &agreement::ECDH_P256;
    const N: usize = 32;
}

impl Row for P384 {
    const ALGORITHM: &'static Algorithm = &agreement::ECDH_P384;
    const N: usize = 48;
}

impl Row for P521 {
    const ALGORITHM: &'static Algorithm = &agreement::ECDH_P521;
    const N: usize = 66;
}

/// A serialized point, Npk bytes. The bytes after it are zeros in each copy. A buffer that was
/// only copied up to its length would keep old bytes of the stack there, which move to the heap
/// with a key.
#[derive(Clone, Copy)]
pub struct Bytes {
    padded: [u8; MAX],
    len: usize,
}

/// Npk of P-521.
const MAX: usize = 133;

impl Bytes {
    fn new(point: &[u8]) -> Self {
        let mut padded = [0; MAX];
        padded[..point.len()].copy_from_slice(point);
        let len = point.len();
        Self { padded, len }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.padded[..self.len]
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

/// A scalar with its public key, which AWS-LC computes when it imports the scalar.
#[derive(Debug)]
pub struct Scalar {
    key: PrivateKey,
    public: Bytes,
}

/// A validated point.
#[derive(Clone, Debug)]
pub struct Point(ParsedPublicKey);

impl Point {
    fn parse<R: Row>(bytes: &[u8]) -> Result<Self, Error> {
        UnparsedPublicKey::new(R::ALGORITHM, bytes)
            .try_into()
            .map(Self)
            .map_err(|_| Error::Deserialize)
    }
}

impl Scalar {
    fn new(key: PrivateKey) -> Result<Self, Error> {
        let public = key.compute_public_key().map_err(|_| Error::Deserialize)?;
        let public = Bytes::new(public.as_ref());
        Ok(Self { key, public })
    }
}

impl<R: Row> Group for Curve<R> {
    type Scalar = Scalar;
    type Point = Point;
    type PointBytes = Bytes;
    const N_PK: usize = 1 + 2 * R::N;
    const N_SK: usize = R::N;
    /// Only the order of P-521 does not fill its first byte: 521 = 65 * 8 + 1 bits.
    const CANDIDATE_MASK: Option<u8> = Some(if R::N == 66 { 0x01 } else { 0xff });

    /// Uses AWS-LC and its generator, not `rng`: AWS-LC checks an imported scalar by a second
    /// multiplication with the base point, which takes as long as the first.
    fn generate<G: TryCryptoRng + ?Sized>(_rng: &mut G) -> Result<Scalar, Error> {
        Scalar::new(PrivateKey::generate(R::ALGORITHM).map_err(|_| Error::Rng)?)
    }

    /// Imports a scalar. AWS-LC rejects zero and values not below the order.
    fn scalar(bytes: &[u8]) -> Result<Scalar, Error> {
        let key = PrivateKey::from_private_key(R::ALGORITHM, bytes);
        Scalar::new(key.map_err(|_| Error::Deserialize)?)
    }

    fn scalar_bytes(scalar: &Scalar) -> Secret<Short> {
        let bytes: Result<EcPrivateKeyBin<'_>, _> = scalar.key.as_be_bytes();
        Secret::from_slice(bytes.expect("of Nsk bytes").as_ref())
    }

    /// Checks the format first: AWS-LC also accepts compressed points and whole
    /// SubjectPublicKeyInfos; HPKE does not.
    fn point(bytes: &[u8]) -> Result<Point, Error> {
        if bytes.len() != Self::N_PK || bytes[0] != UNCOMPRESSED {
            return Err(Error::Deserialize);
        }
        Point::parse::<R>(bytes)
    }

    fn point_bytes(point: &Point) -> Bytes {
        Bytes::new(point.0.as_ref())
    }

    fn public(scalar: &Scalar) -> Point {
        Point::parse::<R>(scalar.public.as_ref()).expect("AWS-LC computed it")
    }

    fn public_bytes(scalar: &Scalar) -> Bytes {
        scalar.public
    }

    /// Returns a value that is never zero: the scalar is not, and the point has prime order.
    fn dh(scalar: &Scalar, point: &Point) -> Result<Secret<Short>, Error> {
        agreement::agree(&scalar.key, point.0.clone(), Error::Validation, |shared| {
            Ok(Secret::from_slice(shared))
        })
    }
}
