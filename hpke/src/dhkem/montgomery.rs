//! X25519 and X448 (RFC 7748). Any bytes of the right length are a key; the multiplication clamps
//! and reduces.

use alloc::vec::Vec;
use core::{borrow::Borrow, fmt, marker::PhantomData};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{Agreed, Group, OwnAndShared};
use crate::{Error, Secret, SharedSecrets, secret::Short};

/// A Montgomery curve with keys and points of `N` bytes.
#[derive(Debug)]
pub struct Montgomery<F, const N: usize>(PhantomData<fn() -> F>);

/// The function X25519 or X448 of RFC 7748, section 5, which clamps its scalar, from one library.
pub trait XFunction<const N: usize>: 'static {
    /// A scalar with what the library would otherwise recompute; `as_ref` returns the bytes as they
    /// were given. Wiped on drop; its `Debug` shows nothing of it.
    type Scalar: AsRef<[u8]> + fmt::Debug + Send + Sync;

    /// A point as received, `[u8; N]` unless the library keeps something with it.
    type Point: Borrow<[u8; N]> + From<[u8; N]> + Clone + Send + Sync;

    /// Makes a scalar from these bytes, without clamping.
    fn scalar(k: Secret<[u8; N]>) -> Self::Scalar;

    /// Computes `X(k, base)`.
    fn multiply_base(k: &Self::Scalar) -> [u8; N];

    /// Computes `X(k, u)`. Returns zeros for a `u` of low order, and only then.
    fn multiply(k: &Self::Scalar, u: &Self::Point) -> Zeroizing<[u8; N]>;

    /// Precomputes what makes each [`XFunction::multiply`] of this point faster, if the library
    /// supports it.
    fn precompute(_u: &mut Self::Point) {}

    /// Computes `X(k, base)` and `X(k, u)`, if the library can do so faster than one after the
    /// other.
    fn agree(_k: &[u8; N], _u: &Self::Point) -> Option<([u8; N], Zeroizing<[u8; N]>)> {
        None
    }

    /// Computes `X(k, base)` and `X(k, u)` of each scalar, if the library can do so faster than a
    /// loop for this number of scalars.
    fn agree_batch(_scalars: &[[u8; N]], _u: &Self::Point) -> Option<Agreed<N>> {
        None
    }

    /// Computes [`XFunction::multiply`] of each `u`, in order. A loop unless the library has
    /// something faster.
    fn multiply_batch(k: &Self::Scalar, us: &[[u8; N]]) -> Vec<Zeroizing<[u8; N]>> {
        us.iter().map(|u| Self::multiply(k, &(*u).into())).collect()
    }
}

impl<F: XFunction<N>, const N: usize> Group for Montgomery<F, N> {
    type Scalar = F::Scalar;
    type Point = F::Point;
    type PointBytes = [u8; N];
    const N_PK: usize = N;
    const N_SK: usize = N;
    const CANDIDATE_MASK: Option<u8> = None;

    fn scalar(bytes: &[u8]) -> Result<Self::Scalar, Error> {
        array(bytes).map(|k| F::scalar(Secret::new(k)))
    }

    fn scalar_bytes(scalar: &Self::Scalar) -> Secret<Short> {
        Secret::from_slice(scalar.as_ref())
    }

    fn point(bytes: &[u8]) -> Result<F::Point, Error> {
        array(bytes).map(F::Point::from)
    }

    fn point_bytes(point: &F::Point) -> [u8; N] {
        *point.borrow()
    }

    fn precompute(point: &mut F::Point) {
        F::precompute(point);
    }

    fn public(scalar: &Self::Scalar) -> F::Point {
        F::multiply_base(scalar).into()
    }

    fn dh(scalar: &Self::Scalar, point: &F::Point) -> Result<Secret<Short>, Error> {
        not_zero(&F::multiply(scalar, point))
    }

    fn agree(scalar: &[u8], point: &F::Point) -> Result<Option<OwnAndShared<[u8; N]>>, Error> {
        let k = scalar.try_into().map_err(|_| Error::Deserialize)?;
        let Some((public_key, dh)) = F::agree(k, point) else {
            return Ok(None);
        };
        Ok(Some((public_key, not_zero(&dh)?)))
    }

    fn agree_batch(scalars: &[u8], point: &F::Point) -> Option<(Vec<[u8; N]>, SharedSecrets)> {
        let (public_keys, dhs) = F::agree_batch(scalars.as_chunks().0, point)?;
        Some((public_keys, dhs.iter().map(|dh| not_zero(dh)).collect()))
    }

    fn dh_batch(scalar: &Self::Scalar, points: Vec<Result<F::Point, Error>>) -> SharedSecrets {
        let valid: Vec<[u8; N]> = points
            .iter()
            .flatten()
            .map(|point| *point.borrow())
            .collect();
        let results = F::multiply_batch(scalar, &valid);
        let mut results = results.iter();
        points
            .into_iter()
            .map(|point| point.and_then(|_| not_zero(results.next().expect("one per point"))))
            .collect()
    }
}

/// Checks for zero as in RFC 7748, section 6, in constant time.
fn not_zero<const N: usize>(dh: &[u8; N]) -> Result<Secret<Short>, Error> {
    if dh.ct_eq(&[0; N]).into() {
        Err(Error::Validation)
    } else {
        Ok(Secret::from_slice(dh))
    }
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Deserialize)
}
