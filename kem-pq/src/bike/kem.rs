//! KeyGen, Encaps and Decaps (section 2.2).
//!
//! This is BIKE itself. Its shared secret binds no public key: anyone who knows the sigma of one
//! key can make a ciphertext that gives the same secret under two keys. HPKE only gets it through
//! [`super::wrapped`].

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

use pqseal_hpke::{Error, Secret};
use subtle::{ConditionallySelectable, ConstantTimeEq};

use super::{
    Params,
    backend::{Kernels, kernels},
    decoder, hash,
    params::{N_SEED, N_SS},
    ring::{Poly, Ring},
    sampling::{Indices, Stream},
};
use crate::Backend;

/// A private key (h0, h1, sigma), with its public key.
pub struct SecretKey {
    pub(crate) h: [Poly; 2],
    pub(crate) wlist: [Indices; 2],
    /// Boxed, since a move leaves a copy of the bytes behind.
    sigma: Box<Secret<[u8; N_SS]>>,
    public: PublicKey,
}

/// A public key h.
#[derive(Clone)]
pub struct PublicKey {
    kernels: &'static Kernels,
    h: Arc<Poly>,
    bytes: Arc<[u8]>,
}

impl SecretKey {
    /// KeyGen: generates a key from `seed`, the seed of h0 and h1 followed by sigma.
    pub fn generate(p: &'static Params, backend: Backend, seed: &[u8; N_SEED]) -> Self {
        let mut ring = Ring::new(p, kernels(backend));
        let (s1, sigma) = seed.split_at(N_SEED - N_SS);
        let wlist = private_indices(p, s1);
        let h = [0, 1].map(|half| Poly::from_indices(p, ring.kernels, &wlist[half], 0));
        let inverse = ring.invert(&h[0]);
        let public = PublicKey::new(ring.kernels, ring.multiply(&h[1], &inverse));
        let sigma = Secret::new(sigma.try_into().expect("a seed has two halves"));
        Self {
            h,
            wlist,
            sigma: Box::new(sigma),
            public,
        }
    }

    /// Returns the parameters.
    pub fn params(&self) -> &'static Params {
        self.public.params()
    }

    /// Returns the public key.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns h0, h1 and sigma in the specification's encoding of a private key.
    pub fn to_bytes(&self) -> Secret {
        let [h0, h1] = [self.h[0].to_bytes(), self.h[1].to_bytes()];
        Secret::new([h0.as_ref(), h1.as_ref(), (*self.sigma).as_ref()].concat())
    }

    /// Decaps: returns the shared secret of `c`, or one that only the holder of sigma knows
    /// (implicit rejection).
    ///
    /// # Errors
    /// [`Error::Deserialize`] if `c` has another length or a spare bit above r set.
    pub fn decaps(&self, c: &[u8]) -> Result<Secret<[u8; N_SS]>, Error> {
        let (c0, c1) = self.split(c)?;
        let c0 = Poly::from_bytes(self.params(), c0).ok_or(Error::Deserialize)?;
        Ok(self.decode_and_hash(&c0, c1, c))
    }

    /// Runs Decaps like the C implementations, which count spare bits for the coefficients that
    /// they wrap to. For comparison with them; two ciphertexts then decode alike.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length.
    pub fn decaps_reference_compat(&self, c: &[u8]) -> Result<Secret<[u8; N_SS]>, Error> {
        let (c0, c1) = self.split(c)?;
        let c0 = Poly::from_bytes_folded(self.params(), c0).ok_or(Error::Deserialize)?;
        Ok(self.decode_and_hash(&c0, c1, c))
    }

    fn split<'c>(&self, c: &'c [u8]) -> Result<(&'c [u8], &'c [u8; N_SS]), Error> {
        c.split_last_chunk()
            .filter(|(c0, _)| c0.len() == self.params().n_pk())
            .ok_or(Error::Deserialize)
    }

    fn decode_and_hash(&self, c0: &Poly, c1: &[u8; N_SS], c: &[u8]) -> Secret<[u8; N_SS]> {
        let p = self.params();
        let mut ring = Ring::new(p, self.public.kernels);
        let e = decoder::decode(&mut ring, &self.h, &self.wlist, c0);
        // Unlike in Encaps, nothing is hashed side by side here: H(m') needs L(e), and K's message
        // starts with m' or sigma, which is not known before. Computing K of both and dropping one
        // would only save H's time: at L1 4 permutations of 50.
        let mut m = hash::l(&e);
        m.as_mut().iter_mut().zip(c1).for_each(|(m, c1)| *m ^= c1);
        // The specification requires e = H(m'), where e is (0, 0) if decoding failed, that is, if e
        // does not explain c0. Since H(m') is never (0, 0), the test is equivalent to: e = H(m'),
        // and H(m') explains c0.
        let again = hash::h(p, ring.kernels, m.bytes());
        let ok = again[0].ct_eq(&e[0])
            & again[1].ct_eq(&e[1])
            & self.public.syndrome(&mut ring, &again).ct_eq(c0);
        m.as_mut()
            .iter_mut()
            .zip((*self.sigma).as_ref())
            .for_each(|(m, sigma)| m.conditional_assign(sigma, !ok));
        hash::k(m.bytes(), c)
    }
}

/// Samples the index lists of h0 and h1, both from one stream.
fn private_indices(p: &Params, s1: &[u8]) -> [Indices; 2] {
    let r = u32::try_from(p.r).expect("r is below 2^16");
    let mut stream = Stream::new(s1);
    [stream.indices(p.d, r), stream.indices(p.d, r)]
}

impl PublicKey {
    fn new(kernels: &'static Kernels, h: Poly) -> Self {
        let bytes = (*h.to_bytes()).into();
        Self {
            kernels,
            h: Arc::new(h),
            bytes,
        }
    }

    /// Reads a public key of r bits in whole bytes.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length or a spare bit above r that is set.
    pub fn parse(p: &'static Params, backend: Backend, bytes: &[u8]) -> Result<Self, Error> {
        let h = Poly::from_bytes(p, bytes).ok_or(Error::Deserialize)?;
        Ok(Self::new(kernels(backend), h))
    }

    /// Returns the parameters.
    pub fn params(&self) -> &'static Params {
        self.h.p
    }

    /// Encaps: returns the ciphertext (c0, c1) of `m` and the shared secret.
    pub fn encaps(&self, m: &[u8; N_SS]) -> (Vec<u8>, Secret<[u8; N_SS]>) {
        let mut ring = Ring::new(self.params(), self.kernels);
        let e = hash::h(self.params(), self.kernels, m);
        let mut c = self.syndrome(&mut ring, &e).to_bytes().to_vec();
        let (c1, shared_secret) = hash::c1_and_k(self.kernels, m, &e, &c);
        c.extend(c1);
        (c, shared_secret)
    }

    /// Computes `e0 + e1 * h`.
    pub(super) fn syndrome(&self, ring: &mut Ring, e: &[Poly; 2]) -> Poly {
        let mut c0 = ring.multiply(&e[1], &self.h);
        c0.add(&e[0]);
        c0
    }
}

impl AsRef<[u8]> for PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.params().name)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.params().name)
    }
}
