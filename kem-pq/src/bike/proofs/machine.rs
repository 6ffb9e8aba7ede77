//! The compiled kernels of every back end that this machine has. The proofs on formal words show
//! that they are linear or bilinear, so a few inputs suffice.

use alloc::vec;

use getrandom::{SysRng, rand_core::TryRng};

use crate::bike::{
    Params,
    backend::kernels,
    chain::KSquare,
    ring::{Poly, Ring},
    tests::{backends, levels, product},
};

/// The number of random pairs per kernel. Two bilinear functions that differ do so on a random pair
/// with a probability of at least 1/4: 1/2 that the first factor leaves a nonzero linear function,
/// and 1/2 that the second is not among its zeros. So a wrong function passes with at most (3/4)^64
/// < 2^-26, independently in each run.
const PAIRS: usize = if cfg!(miri) { 1 } else { 64 };

/// The number of random elements per kernel. Two different linear functions differ with 1/2, so a
/// wrong one passes with at most 2^-32.
const ELEMENTS: usize = if cfg!(miri) { 1 } else { 32 };

/// Draws an element with every bit independent, different in every run.
pub(super) fn drawn(p: &'static Params) -> Poly {
    let mut bytes = vec![0; 8 * p.words()];
    SysRng.try_fill_bytes(&mut bytes).expect("random bytes");
    let mut element = Poly::zero(p);
    for (word, bytes) in element.words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    element.clear_top();
    element
}

fn monomial(p: &'static Params, exponent: usize) -> Poly {
    let mut element = Poly::zero(p);
    element.words[exponent / 64] = 1 << (exponent % 64);
    element
}

#[test]
fn products_of_random_pairs() {
    for p in levels() {
        for _ in 0..PAIRS {
            let (a, b) = (drawn(p), drawn(p));
            let expected = product(&a, &b);
            for backend in backends() {
                let found = Ring::new(p, kernels(backend)).multiply(&a, &b);
                let [a, b] = [&a, &b].map(|factor| factor.words.to_vec());
                assert!(
                    *found.words == *expected.words,
                    "{} {backend:?}: {a:x?} times {b:x?}",
                    p.name
                );
            }
        }
    }
}

/// Squares every monomial, which determines squaring since it is linear.
#[test]
fn squares_of_every_monomial() {
    for (p, backend) in levels().flat_map(|p| backends().map(move |backend| (p, backend))) {
        let mut ring = Ring::new(p, kernels(backend));
        let exponents = if cfg!(miri) { p.r - 2..p.r } else { 0..p.r };
        for exponent in exponents {
            let mut square = monomial(p, exponent);
            ring.square(&mut square);
            let expected = monomial(p, 2 * exponent % p.r);
            assert!(
                *square.words == *expected.words,
                "{} {backend:?} {exponent}",
                p.name
            );
        }
    }
}

/// Raises random elements to every power of the inversion. The map is linear: bits are moved and
/// masked by public values.
#[test]
fn k_squares_of_random_elements() {
    for p in levels() {
        let links = p
            .chain
            .iter()
            .flat_map(|link| [Some(link.double), link.join]);
        let steps: vec::Vec<KSquare> = links.flatten().collect();
        for step in steps.iter().take(if cfg!(miri) { 1 } else { usize::MAX }) {
            for _ in 0..ELEMENTS {
                let a = drawn(p);
                let expected = moved(&a, step.k);
                for backend in backends() {
                    let power = Ring::new(p, kernels(backend)).k_square(&a, step);
                    assert!(
                        *power.words == *expected.words,
                        "{} {step:?} {backend:?}",
                        p.name
                    );
                }
            }
        }
    }
}

/// Computes `a^(2^k)` by moving the coefficient of x^j to x^(j 2^k).
fn moved(a: &Poly, k: usize) -> Poly {
    let factor = (0..k).fold(1, |power, _| power * 2 % a.p.r);
    let mut out = Poly::zero(a.p);
    let mut to = 0;
    for from in 0..a.p.r {
        out.words[to / 64] |= (a.words[from / 64] >> (from % 64) & 1) << (to % 64);
        to = (to + factor) % a.p.r;
    }
    out
}
