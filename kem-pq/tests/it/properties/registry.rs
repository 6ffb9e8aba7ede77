//! The KEMs under test, and deterministic keys of them.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};

/// Runs a test's body on every KEM, and checks their number.
pub(crate) fn for_each_kem(body: impl Fn(&'static DynKem)) {
    pqseal_kem_pq::KEMS.iter().copied().for_each(body);
    assert_eq!(pqseal_kem_pq::KEMS.len(), 7);
}

/// Returns the `n`th key pair.
pub(crate) fn pair(kem: &DynKem, n: u8) -> (AnyPrivateKey, AnyPublicKey) {
    kem.derive_key_pair(&[n; 32]).unwrap()
}

/// Returns the `n`th randomness. Below 128 it is a scalar of every curve.
pub(crate) fn randomness(kem: &DynKem, n: u8) -> Vec<u8> {
    assert!((1..128).contains(&n));
    vec![n; kem.info().n_random]
}

/// Returns lengths that are not `len`.
pub(crate) fn other_lengths(len: usize) -> [usize; 4] {
    [0, 1, len - 1, len + 1]
}

/// Cuts `bytes`, or fills them up with zeros.
pub(crate) fn resized(bytes: &[u8], len: usize) -> Vec<u8> {
    let mut resized = bytes.to_vec();
    resized.resize(len, 0);
    resized
}
