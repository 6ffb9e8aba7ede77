//! SIMD X25519 of one or many points under one scalar, falling back to the given library on
//! machines without AVX2.
//!
//! On machines with AVX2, `x25519-batch` computes all of X25519 except long-term key pairs, even
//! for one point, because it is faster there than AWS-LC. A single key pair would first make it
//! compute a table. Batches come from [`crate::Kem::decap_batch`] through
//! [`super::Group::dh_batch`] and [`super::XFunction::multiply_batch`].

use alloc::vec::Vec;

use x25519_batch::Backend;
use zeroize::Zeroizing;

/// Reports whether x25519-batch has SIMD for this machine, which then is faster than any other
/// library here, even for one point. Checked at each call, since it depends on this thread's
/// rounding mode.
pub(crate) fn has_vectors() -> bool {
    Backend::chosen().in_this_thread().lanes() > 1
}

/// Computes `X25519(k, 9)`.
pub(crate) fn multiply_base(k: &[u8; 32], serial: impl FnOnce() -> [u8; 32]) -> [u8; 32] {
    if has_vectors() {
        x25519_batch::public_keys(core::slice::from_ref(k))[0]
    } else {
        serial()
    }
}

/// Computes `X25519(k, u)`.
pub(crate) fn multiply(
    k: &[u8; 32],
    u: &[u8; 32],
    serial: impl FnOnce() -> Zeroizing<[u8; 32]>,
) -> Zeroizing<[u8; 32]> {
    if has_vectors() {
        x25519_batch::x25519_one(k, u)
    } else {
        serial()
    }
}

/// Computes `X25519(k, u)` of each of `us`, in order.
pub(crate) fn multiply_batch(
    k: &[u8; 32],
    us: &[[u8; 32]],
    serial: impl Fn(&[u8; 32]) -> Zeroizing<[u8; 32]>,
) -> Vec<Zeroizing<[u8; 32]>> {
    if !has_vectors() {
        return us.iter().map(serial).collect();
    }
    let results = x25519_batch::x25519(k, us);
    results
        .as_bytes()
        .iter()
        .map(|result| Zeroizing::new(*result))
        .collect()
}
