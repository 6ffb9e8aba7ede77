//! X25519 and X448 (RFC 7748). Any bytes of the right length are a key; the multiplication clamps
//! and reduces.

use alloc::vec::Vec;
use core::{borrow::Borrow, fmt, marker::PhantomData};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{Agreed, Group, OwnAndShared};
#[cfg(not(target_arch = "wasm32"))]
use super::{TablePoint, vectors};
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

/// X25519 of x25519-dalek.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
#[derive(Debug)]
pub struct Dalek;

/// X448 of RustCrypto.
#[cfg(feature = "x448")]
#[doc(hidden)]
#[derive(Debug)]
pub struct RustCrypto;

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
            .map(|point| point.and_then(|_| not_zero(results.next().expect("one a point"))))
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

#[cfg(not(target_arch = "wasm32"))]
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

#[cfg(not(target_arch = "wasm32"))]
fn ladder(k: &Secret<[u8; 32]>, u: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let shared = x25519_dalek::StaticSecret::from(*k.bytes()).diffie_hellman(&(*u).into());
    Zeroizing::new(shared.to_bytes())
}

/// X448 without the crate's check, which compares the point with a list of low-order ones. HPKE
/// requires a check of the result instead.
#[cfg(feature = "x448")]
impl XFunction<56> for RustCrypto {
    type Scalar = Secret<[u8; 56]>;
    type Point = [u8; 56];

    fn scalar(k: Secret<[u8; 56]>) -> Secret<[u8; 56]> {
        k
    }

    fn multiply_base(k: &Secret<[u8; 56]>) -> [u8; 56] {
        x448::x448_unchecked(*k.bytes(), x448::X448_BASEPOINT_BYTES)
    }

    fn multiply(k: &Secret<[u8; 56]>, u: &[u8; 56]) -> Zeroizing<[u8; 56]> {
        Zeroizing::new(x448::x448_unchecked(*k.bytes(), *u))
    }
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Deserialize)
}
