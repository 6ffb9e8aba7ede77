//! X448 of RustCrypto.

use zeroize::Zeroizing;

use super::XFunction;
use crate::Secret;

/// X448 of RustCrypto.
#[derive(Debug)]
pub struct RustCrypto;

/// X448 without the crate's check, which compares the point with a list of low-order ones. HPKE
/// requires a check of the result instead.
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
