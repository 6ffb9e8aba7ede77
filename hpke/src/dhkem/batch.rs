//! Many X25519 points under one scalar, whichever library does a single one.

use alloc::vec::Vec;

use x25519_batch::Backend;
use zeroize::Zeroizing;

/// `X25519(k, u)` of each of `us`, in order: whole vectors by x25519-batch, what is left over one at a time, since a vector costs as much as
/// three points.
pub(crate) fn multiply(
    k: &[u8; 32],
    us: &[[u8; 32]],
    serial: impl Fn(&[u8; 32]) -> Zeroizing<[u8; 32]>,
) -> Vec<Zeroizing<[u8; 32]>> {
    let in_vectors = match Backend::chosen().lanes() {
        1 => 0,
        lanes => us.len() - us.len() % lanes,
    };
    let (vectors, rest) = us.split_at(in_vectors);
    let results = x25519_batch::x25519(k, vectors);
    results.as_bytes().iter().map(|result| Zeroizing::new(*result)).chain(rest.iter().map(serial)).collect()
}
