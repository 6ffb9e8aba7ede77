//! H, K and L (section 2.3).

use hpke::Secret;
use sha3::{Digest, Sha3_384};

use super::{Params, backend::Kernels, params::N_SS, ring::Poly, sampling::Stream};

/// 256 secret bits: m, sigma, a shared secret.
pub(crate) type Secret256 = Secret<[u8; N_SS]>;

/// H(m): the error vector (e0, e1) of weight t.
pub(crate) fn h(p: &'static Params, kernels: &Kernels, m: &[u8; N_SS]) -> [Poly; 2] {
    let r = u32::try_from(p.r).expect("r is below 2^16");
    let indices = Stream::new(m).indices(p.t, 2 * r);
    [
        Poly::from_indices(p, kernels, &indices, 0),
        Poly::from_indices(p, kernels, &indices, r),
    ]
}

/// K(m, c): the first 256 bits of SHA3-384(m || c).
pub(crate) fn k(m: &[u8; N_SS], c: &[u8]) -> Secret256 {
    first_256_bits(Sha3_384::new().chain_update(m).chain_update(c))
}

/// L(e0, e1): the first 256 bits of SHA3-384(e0 || e1), each half padded to bytes.
pub(crate) fn l(e: &[Poly; 2]) -> Secret256 {
    first_256_bits(
        Sha3_384::new()
            .chain_update(&*e[0].to_bytes())
            .chain_update(&*e[1].to_bytes()),
    )
}

fn first_256_bits(hash: Sha3_384) -> Secret256 {
    let digest: Secret<[u8; 48]> = Secret::new(hash.finalize().into());
    let mut out = Secret::new([0; N_SS]);
    out.as_mut().copy_from_slice(&digest.as_ref()[..N_SS]);
    out
}
