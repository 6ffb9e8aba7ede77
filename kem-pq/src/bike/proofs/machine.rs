//! The compiled kernels of every back end that this machine has. The proofs on formal words say that
//! they are linear or bilinear; so some inputs are enough.

use alloc::vec;

use getrandom::{SysRng, rand_core::TryRng};

use crate::bike::{
    Params,
    backend::kernels,
    chain::KSquare,
    ring::{Poly, Ring},
    tests::{backends, levels, product},
};

/// Two bilinear functions that differ do so on a pair drawn at random with a probability of 1/4 or
/// more: 1/2 that the first factor leaves a linear function that is not zero, and 1/2 that the
/// second is not among its zeros. So another function passes with (3/4)^64 < 2^-26 at most, again
/// in each run.
const PAIRS: usize = if cfg!(miri) { 1 } else { 64 };

/// Two linear functions differ with 1/2: another one passes with 2^-32 at most.
const ELEMENTS: usize = if cfg!(miri) { 1 } else { 32 };

/// An element of which every bit is drawn independently, again in every run.
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

/// Squaring is linear, so what it does to each monomial is what it does.
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

/// So are powers of squares, by every exponent of the inversion: bits are moved and masked by what
/// is public.
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

/// `a^(2^k)`: the coefficient of x^j is that of x^(j 2^k).
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
