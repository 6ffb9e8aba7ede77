//! X25519 and X448 (RFC 7748). Any bytes of the right length are a key; the multiplication clamps and reduces.

use core::marker::PhantomData;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Group;
use crate::{Error, Secret, secret::Short};

/// A Montgomery curve with keys and points of `N` bytes.
#[derive(Debug)]
pub struct Montgomery<F, const N: usize>(PhantomData<fn() -> F>);

/// The function of RFC 7748, section 5, which clamps its scalar.
pub trait Function<const N: usize>: 'static {
    /// `X(k, u)`.
    fn multiply(k: &[u8; N], u: &[u8; N]) -> Zeroizing<[u8; N]>;

    /// `X(k, base)`.
    fn multiply_base(k: &[u8; N]) -> [u8; N];
}

/// Curve25519.
#[cfg(not(target_arch = "wasm32"))]
pub type X25519 = Montgomery<Dalek, 32>;
/// Curve25519.
#[cfg(target_arch = "wasm32")]
pub type X25519 = Montgomery<Simd128, 32>;
/// Curve448.
pub type X448 = Montgomery<RustCrypto, 56>;

/// X25519 by x25519-dalek.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
pub struct Dalek;

/// X25519 in vectors. WebAssembly multiplies 32 bits by 32 at most, and x25519-dalek there has no vectors, and a table for the base point
/// of 30 kB, for which a page would wait longer than the table saves.
#[cfg(target_arch = "wasm32")]
#[derive(Debug)]
pub struct Simd128;

/// X448 by RustCrypto.
#[derive(Debug)]
pub struct RustCrypto;

impl<F: Function<N>, const N: usize> Group for Montgomery<F, N> {
    type Scalar = Secret<[u8; N]>;
    type Point = [u8; N];
    type PointBytes = [u8; N];
    const N_PK: usize = N;
    const N_SK: usize = N;
    const CANDIDATE_MASK: Option<u8> = None;

    fn scalar(bytes: &[u8]) -> Result<Self::Scalar, Error> {
        array(bytes).map(Secret::new)
    }

    fn scalar_bytes(scalar: &Self::Scalar) -> Secret<Short> {
        Secret::from_slice(scalar.as_ref())
    }

    fn point(bytes: &[u8]) -> Result<[u8; N], Error> {
        array(bytes)
    }

    fn point_bytes(point: &[u8; N]) -> [u8; N] {
        *point
    }

    fn public(scalar: &Self::Scalar) -> [u8; N] {
        F::multiply_base(scalar.bytes())
    }

    /// The zero check is constant in time (RFC 7748, section 6).
    fn dh(scalar: &Self::Scalar, point: &[u8; N]) -> Result<Secret<Short>, Error> {
        let dh = F::multiply(scalar.bytes(), point);
        if dh.ct_eq(&[0; N]).into() { Err(Error::Validation) } else { Ok(Secret::from_slice(&*dh)) }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Function<32> for Dalek {
    fn multiply(k: &[u8; 32], u: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        let shared = x25519_dalek::StaticSecret::from(*k).diffie_hellman(&(*u).into());
        Zeroizing::new(shared.to_bytes())
    }

    fn multiply_base(k: &[u8; 32]) -> [u8; 32] {
        x25519_dalek::PublicKey::from(&x25519_dalek::StaticSecret::from(*k)).to_bytes()
    }
}

#[cfg(target_arch = "wasm32")]
impl Function<32> for Simd128 {
    fn multiply(k: &[u8; 32], u: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(x25519_simd128::x25519(k, u))
    }

    fn multiply_base(k: &[u8; 32]) -> [u8; 32] {
        const BASE: [u8; 32] = {
            let mut base = [0; 32];
            base[0] = 9;
            base
        };
        x25519_simd128::x25519(k, &BASE)
    }
}

/// The crate's checked form compares the point with a list of low-order ones; HPKE asks for the check of the result.
impl Function<56> for RustCrypto {
    fn multiply(k: &[u8; 56], u: &[u8; 56]) -> Zeroizing<[u8; 56]> {
        Zeroizing::new(x448::x448_unchecked(*k, *u))
    }

    fn multiply_base(k: &[u8; 56]) -> [u8; 56] {
        x448::x448_unchecked(*k, x448::X448_BASEPOINT_BYTES)
    }
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Deserialize)
}
