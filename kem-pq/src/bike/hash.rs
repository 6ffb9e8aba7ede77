//! H, K and L (section 2.3).

use pqseal_hpke::Secret;
use sha3::{Digest, Sha3_384};

use super::{
    Params, backend::Kernels, keccak::Sponge, params::N_SS, ring::Poly, sampling::Stream,
    words::Wiped,
};

/// 256 secret bits: m, sigma, a shared secret.
pub(crate) type Secret256 = Secret<[u8; N_SS]>;

/// Computes H(m): the error vector (e0, e1) of weight t.
pub(crate) fn h(p: &'static Params, kernels: &Kernels, m: &[u8; N_SS]) -> [Poly; 2] {
    let r = u32::try_from(p.r).expect("r is below 2^16");
    let indices = Stream::on(kernels, m).indices(p.t, 2 * r);
    [
        Poly::from_indices(p, kernels, &indices, 0),
        Poly::from_indices(p, kernels, &indices, r),
    ]
}

/// Computes K(m, c): the first 256 bits of SHA3-384(m || c).
pub(crate) fn k(m: &[u8; N_SS], c: &[u8]) -> Secret256 {
    first_256_bits(Sha3_384::new().chain_update(m).chain_update(c))
}

/// Computes L(e0, e1): the first 256 bits of SHA3-384(e0 || e1), each half padded to bytes.
pub(crate) fn l(e: &[Poly; 2]) -> Secret256 {
    first_256_bits(
        Sha3_384::new()
            .chain_update(&*e[0].to_bytes())
            .chain_update(&*e[1].to_bytes()),
    )
}

/// Computes the last hashes of Encaps: c1 = L(e0, e1) ^ m, and K(m, c0 || c1).
///
/// Only the end of K's message, c1, depends on L. So the blocks before it are absorbed next to L's:
/// at L1 15 of K's 16 next to 15 of L's 30. H(m) comes before all of them, since c0 depends on it.
pub(crate) fn c1_and_k(
    kernels: &Kernels,
    m: &[u8; N_SS],
    e: &[Poly; 2],
    c0: &[u8],
) -> ([u8; N_SS], Secret256) {
    let Some(keccak) = kernels.keccak.and_then(ml_kem_768::Backend::keccak) else {
        let c1 = xor(&l(e), m);
        return (c1, k(m, &[c0, &c1].concat()));
    };
    let (mut l, mut k) = (Sponge::new(keccak), Sponge::new(keccak));
    let errors = Wiped::from([&*e[0].to_bytes(), &*e[1].to_bytes()].concat());
    let start = Wiped::from([m, c0].concat());
    let [l_end, k_end] = Sponge::absorb_both([&mut l, &mut k], [&errors, &start]);
    let mut of_l = Secret::new([0; N_SS]);
    l.finish(l_end, &mut of_l);
    let c1 = xor(&of_l, m);
    // `k_end` contains nothing of m: m is shorter than a block, and that block is absorbed.
    let mut shared_secret = Secret::new([0; N_SS]);
    k.finish(&[k_end, &c1].concat(), &mut shared_secret);
    (c1, shared_secret)
}

fn xor(l: &Secret256, m: &[u8; N_SS]) -> [u8; N_SS] {
    core::array::from_fn(|i| l.as_ref()[i] ^ m[i])
}

fn first_256_bits(hash: Sha3_384) -> Secret256 {
    let digest: Secret<[u8; 48]> = Secret::new(hash.finalize().into());
    let mut out = Secret::new([0; N_SS]);
    out.as_mut().copy_from_slice(&digest.as_ref()[..N_SS]);
    out
}
