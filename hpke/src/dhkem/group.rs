//! The operations of a curve that DHKEMs and hybrids need.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use crate::{Error, Secret, SharedSecrets, secret::Short};

/// The public key of a scalar, and its DH with another party's point.
pub type OwnAndShared<B> = (B, Secret<Short>);

/// `X(k, base)` and `X(k, u)` of each scalar `k` of X25519 or X448.
pub type Agreed<const N: usize> = (Vec<[u8; N]>, Vec<Zeroizing<[u8; N]>>);

/// A Diffie-Hellman group, with the operations that DHKEMs and hybrids need. Implement it to
/// compute with another library; for keys in hardware implement [`Kem`](crate::Kem), as
/// [`manual::hardware`] shows.
///
/// [`manual::hardware`]: crate::manual::hardware
pub trait Group: Send + Sync + 'static {
    /// A private scalar. Wiped on drop; its `Debug` shows nothing of it.
    type Scalar: fmt::Debug + Send + Sync;
    /// A validated public point.
    type Point: Clone + Send + Sync;
    /// A serialized point, Npk bytes.
    type PointBytes: AsRef<[u8]> + Clone + fmt::Debug + Send + Sync;

    /// Npk, which for a DHKEM is also Nenc, in bytes.
    const N_PK: usize;
    /// Nsk in bytes.
    const N_SK: usize;
    /// The largest value of the first byte of a private key drawn by rejection sampling (section
    /// 7.1.3), or `None` if any Nsk bytes are a private key.
    const CANDIDATE_MASK: Option<u8>;

    /// Generates a random private key, by rejection sampling on the P-curves: uniform below the
    /// group order. HPKE itself derives its keys
    /// ([`Kem::derive_key_pair`](crate::Kem::derive_key_pair)). With the feature `aws-lc` the
    /// P-curves draw from AWS-LC's own generator instead of `rng`.
    ///
    /// # Errors
    /// [`Error::Rng`].
    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self::Scalar, Error> {
        let mut candidate = Secret::zeros(Self::N_SK);
        // P-256 has the sparsest order: a draw is rejected with probability 2^-32.
        for _ in 0..=u8::MAX {
            rng.try_fill_bytes(candidate.as_mut())
                .map_err(|_| Error::Rng)?;
            candidate.as_mut()[0] &= Self::CANDIDATE_MASK.unwrap_or(0xff);
            if let Ok(scalar) = Self::scalar(candidate.as_ref()) {
                return Ok(scalar);
            }
        }
        Err(Error::Rng)
    }

    /// Parses a private key of Nsk bytes.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length, zero, or a value not below the group order.
    fn scalar(bytes: &[u8]) -> Result<Self::Scalar, Error>;

    /// Returns the Nsk bytes of a private key, as they were given: X25519 and X448 keys are not
    /// clamped on import or export, as in the successor draft. The multiplication clamps, so a
    /// clamped key and its unclamped form have the same public key.
    fn scalar_bytes(scalar: &Self::Scalar) -> Secret<Short>;

    /// Parses and validates a public key of Npk bytes.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length, a point off the curve, or the identity.
    fn point(bytes: &[u8]) -> Result<Self::Point, Error>;

    /// Returns the Npk bytes of a public key.
    fn point_bytes(point: &Self::Point) -> Self::PointBytes;

    /// Precomputes what makes each [`Group::dh`] with this point faster, if the group supports it.
    /// The cost is that of many such operations.
    fn precompute(_point: &mut Self::Point) {}

    /// Computes the public key of a private one.
    fn public(scalar: &Self::Scalar) -> Self::Point;

    /// Computes the Npk bytes of the public key, for a group that has them without its point.
    fn public_bytes(scalar: &Self::Scalar) -> Self::PointBytes {
        Self::point_bytes(&Self::public(scalar))
    }

    /// Computes `DH(skX, pkY)`: for P-curves the X coordinate.
    ///
    /// # Errors
    /// [`Error::Validation`] for an all-zero result (section 7.1.4).
    fn dh(scalar: &Self::Scalar, point: &Self::Point) -> Result<Secret<Short>, Error>;

    /// Computes the public key of a scalar of Nsk bytes, and its [`Group::dh`] with a point.
    /// Returns `None` unless the group can do both faster than one after the other. Only for groups
    /// in which any Nsk bytes are a scalar.
    ///
    /// # Errors
    /// Same as [`Group::dh`].
    fn agree(
        _scalar: &[u8],
        _point: &Self::Point,
    ) -> Result<Option<OwnAndShared<Self::PointBytes>>, Error> {
        Ok(None)
    }

    /// Computes the public key of each of these scalars, concatenated Nsk bytes each, and its
    /// [`Group::dh`] with one point. Returns `None` unless the group can do so faster than a loop
    /// for this number of scalars. Only for groups in which any Nsk bytes are a scalar.
    fn agree_batch(
        _scalars: &[u8],
        _point: &Self::Point,
    ) -> Option<(Vec<Self::PointBytes>, SharedSecrets)> {
        None
    }

    /// Computes [`Group::dh`] of one scalar with many points, results in order. Errors keep their
    /// index. A loop unless the group has something faster.
    fn dh_batch(scalar: &Self::Scalar, points: Vec<Result<Self::Point, Error>>) -> SharedSecrets {
        points
            .into_iter()
            .map(|point| Self::dh(scalar, &point?))
            .collect()
    }
}
