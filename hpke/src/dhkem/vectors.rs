//! SIMD X25519 of one point or of many under one scalar, and the library's on machines without AVX2.
//!
//! On machines with AVX2 all of X25519 is computed by `x25519-batch`, also for one point, because it is
//! faster there than AWS-LC. The first public key of a process makes it compute a table. Batches come
//! from [`crate::Kem::decap_batch`] by
//! way of [`super::Group::dh_batch`] and [`super::XFunction::multiply_batch`].

use alloc::vec::Vec;

use x25519_batch::Backend;
use zeroize::Zeroizing;

/// Whether x25519-batch has vectors for this machine: they are faster than any library here is
/// without them, for one point too. Asked at each call, since it depends on how this thread rounds.
pub(crate) fn has_vectors() -> bool {
    Backend::chosen().in_this_thread().lanes() > 1
}

/// `X25519(k, 9)`.
pub(crate) fn multiply_base(k: &[u8; 32], serial: impl FnOnce() -> [u8; 32]) -> [u8; 32] {
    if has_vectors() {
        x25519_batch::public_keys(core::slice::from_ref(k))[0]
    } else {
        serial()
    }
}

/// `X25519(k, u)`.
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

/// `X25519(k, u)` of each of `us`, in order.
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
