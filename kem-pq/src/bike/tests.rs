//! Tests of each part against the specification, and of every back end against the definition.

use alloc::{vec, vec::Vec};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{
    Params,
    backend::Kernels,
    chain::KSquare,
    decoder, hash,
    params::{self, ALL, L1, L3, L5},
    ring::{Poly, Ring},
    sampling::Stream,
};
use crate::Backend;

/// Returns the back ends with kernels here. Miri supports the instructions that are enabled at
/// compile time; if these include AVX2, the portable back end is skipped.
pub(super) fn backends() -> impl Iterator<Item = Backend> {
    let spared = |backend| cfg!(all(miri, target_feature = "avx2")) && backend == Backend::Portable;
    Backend::ALL
        .iter()
        .copied()
        .filter(move |backend| backend.is_available() && !spared(*backend))
}

/// A ring without any security level, small enough for Miri, which takes ten thousand times as
/// long.
static TOY: Params = Params::row("toy", 4_099, 23, 10, (0, 0, 13));

/// Returns every level and the toy, which is the only one for Miri.
pub(super) fn levels() -> impl Iterator<Item = &'static Params> {
    ALL.into_iter().filter(|_| !cfg!(miri)).chain([&TOY])
}

/// Returns the cases, of which Miri only gets the last two.
fn cases<T>(mut all: Vec<T>) -> Vec<T> {
    all.drain(
        ..if cfg!(miri) {
            all.len().saturating_sub(2)
        } else {
            0
        },
    );
    all
}

fn portable() -> &'static Kernels {
    super::backend::kernels(Backend::Portable)
}

fn ring(p: &'static Params, backend: Backend) -> Ring {
    Ring::new(p, super::backend::kernels(backend))
}

/// Returns an element with every bit drawn from a seed.
fn random(p: &'static Params, seed: &str) -> Poly {
    let indices = Stream::new(seed.as_bytes()).indices(p.r / 2, u32::try_from(p.r).unwrap());
    Poly::from_indices(p, portable(), &indices, 0)
}

fn with_ones(p: &'static Params, ones: &[usize]) -> Poly {
    let mut out = Poly::zero(p);
    ones.iter().for_each(|i| out.words[i / 64] |= 1 << (i % 64));
    out
}

/// Returns zero, one, x^(r-1), all ones, and random elements.
fn elements(p: &'static Params) -> Vec<Poly> {
    let all: Vec<usize> = (0..p.r).collect();
    cases(vec![
        Poly::zero(p),
        with_ones(p, &[0]),
        with_ones(p, &[p.r - 1]),
        with_ones(p, &all),
        random(p, "a"),
        random(p, "b"),
    ])
}

fn bit(a: &Poly, i: usize) -> u64 {
    a.words[i / 64] >> (i % 64) & 1
}

/// Computes the product by its definition, with a rotation for every one of `a`.
pub(super) fn product(a: &Poly, b: &Poly) -> Poly {
    let (p, mut out) = (a.p, Poly::zero(a.p));
    let mut repeated = vec![0; 2 * p.limbs() + 2];
    for i in (0..2 * p.r).filter(|i| bit(b, i % p.r) == 1) {
        repeated[i / 64] |= 1u64 << (i % 64);
    }
    for i in (0..p.r).filter(|i| bit(a, *i) == 1) {
        let from = (p.r - i) % p.r;
        for (word, at) in out.words[..p.limbs()].iter_mut().zip((from..).step_by(64)) {
            *word ^= repeated[at / 64] >> (at % 64) | repeated[at / 64 + 1] << 1 << (63 - at % 64);
        }
    }
    out.clear_top();
    out
}

#[test]
fn multiplication_is_the_ring_s() {
    for p in levels() {
        let elements = elements(p);
        for (i, a) in elements.iter().enumerate() {
            for b in &elements[i..] {
                let expected = product(a, b);
                for backend in backends() {
                    let mut ring = ring(p, backend);
                    assert!(
                        *ring.multiply(a, b).words == *expected.words,
                        "{} {backend:?}",
                        p.name
                    );
                    assert!(
                        *ring.multiply(b, a).words == *expected.words,
                        "{} {backend:?}",
                        p.name
                    );
                }
            }
        }
    }
}

#[test]
fn squares_are_products() {
    for p in levels() {
        for a in elements(p) {
            let expected = product(&a, &a);
            for backend in backends() {
                let mut square = a.copy();
                ring(p, backend).square(&mut square);
                assert!(*square.words == *expected.words, "{} {backend:?}", p.name);
            }
        }
    }
}

#[test]
fn k_squares_permute_by_every_exponent_of_the_chain() {
    for p in levels() {
        let mut steps: Vec<KSquare> = p
            .chain
            .iter()
            .flat_map(|link| [Some(link.double), link.join])
            .flatten()
            .collect();
        steps.sort_unstable_by_key(|step| step.k);
        for (step, a) in cases(steps)
            .iter()
            .flat_map(|step| elements(p).into_iter().map(move |a| (step, a)))
        {
            let power = (0..step.k).fold(1, |power, _| power * 2 % p.r);
            let ones: Vec<usize> = (0..p.r)
                .filter(|i| bit(&a, *i) == 1)
                .map(|i| i * power % p.r)
                .collect();
            let expected = with_ones(p, &ones);
            for backend in backends() {
                let mut ring = ring(p, backend);
                assert!(
                    *ring.k_square(&a, step).words == *expected.words,
                    "{} {step:?} {backend:?}",
                    p.name
                );
            }
        }
    }
}

#[test]
fn an_element_times_its_inverse_is_one() {
    for p in levels() {
        let odd = random(p, "odd").weight() % 2;
        let mut dense = random(p, "odd");
        dense.words[0] ^= 1 - odd;
        let sparse = Poly::from_indices(
            p,
            portable(),
            &Stream::new(b"h0").indices(p.d, u32::try_from(p.r).unwrap()),
            0,
        );
        for a in [with_ones(p, &[0]), with_ones(p, &[p.r - 1]), dense, sparse] {
            for backend in backends() {
                let mut ring = ring(p, backend);
                let inverse = ring.invert(&a);
                assert!(
                    *product(&a, &inverse).words == *with_ones(p, &[0]).words,
                    "{} {backend:?}",
                    p.name
                );
            }
        }
    }
}

/// Compares the threshold with the specification's formula in exact decimals, for every weight that
/// a syndrome can have.
#[test]
fn the_threshold_is_the_formula_of_the_specification() {
    let formula = |p: &Params, s: u64| match p.d {
        71 => ((69_722 * s + 135_300_000) / 10_000_000).max(36),
        103 => ((52_650 * s + 152_588_000) / 10_000_000).max(52),
        _ => ((402_312 * s + 1_787_850_000) / 100_000_000).max(69),
    };
    for p in ALL {
        for s in 0..=p.r as u64 {
            assert_eq!(decoder::threshold(p, s), formula(p, s), "{} {s}", p.name);
        }
    }
}

#[test]
fn counters_count() {
    for p in levels() {
        let wlist = Stream::new(b"wlist").indices(p.d, u32::try_from(p.r).unwrap());
        let extremes = [0, 1, 63, 64, 511, 512, u32::try_from(p.r).unwrap() - 1];
        for (s, wlist) in elements(p)
            .iter()
            .flat_map(|s| [(s, &wlist[..]), (s, &extremes[..])])
        {
            let expected: Vec<u64> = (0..p.r)
                .map(|x| wlist.iter().map(|a| bit(s, (x + *a as usize) % p.r)).sum())
                .collect();
            backends().for_each(|backend| check_counters(p, backend, s, wlist, &expected));
        }
    }
}

fn check_counters(p: &'static Params, backend: Backend, s: &Poly, wlist: &[u32], expected: &[u64]) {
    let kernels = super::backend::kernels(backend);
    let mut repeated = vec![0; super::counters::repeated_len(p)];
    (0..2 * p.r).for_each(|i| repeated[i / 64] |= bit(s, i % p.r) << (i % 64));
    // The old content must not matter.
    let mut slices = vec![u64::MAX; p.slices() * p.words()];
    let mut scratch = vec![u64::MAX; super::counters::scratch_len(p)];
    (kernels.counters)(p, &mut slices, &repeated, wlist, &mut scratch);
    let counter = |x: usize| {
        (0..p.slices())
            .map(|k| (slices[k * p.words() + x / 64] >> (x % 64) & 1) << k)
            .sum::<u64>()
    };
    assert!(
        (0..p.r).all(|x| counter(x) == expected[x]),
        "{} {backend:?}",
        p.name
    );
    let d = p.d as u64;
    for threshold in cases(vec![0, 1, 36, 71, 127, 128, 145, 255, d + 1, d, d / 2]) {
        let mut out = vec![u64::MAX; p.words()];
        (kernels.at_least)(p, &mut out, &slices, threshold);
        let right = |x: usize| (out[x / 64] >> (x % 64) & 1 == 1) == (expected[x] >= threshold);
        assert!((0..p.r).all(right), "{} {backend:?} {threshold}", p.name);
    }
}

#[test]
fn indices_are_distinct_and_below_their_bound() {
    for p in levels() {
        for (weight, len) in [(p.d, p.r), (p.t, 2 * p.r), (p.t, p.t), (1, 1)] {
            for seed in 0..20u8 {
                let mut indices = Stream::new(&[seed])
                    .indices(weight, u32::try_from(len).unwrap())
                    .to_vec();
                indices.sort_unstable();
                indices.dedup();
                assert!(
                    indices.len() == weight && indices.iter().all(|i| (*i as usize) < len),
                    "{} {seed}",
                    p.name
                );
            }
        }
    }
}

#[test]
fn bits_are_set_where_the_indices_say() {
    for p in levels() {
        let (r, n) = (p.r, u32::try_from(p.r).unwrap());
        let drawn = Stream::new(b"indices").indices(p.t, 2 * n).to_vec();
        for indices in [
            drawn,
            vec![0, 63, 64, 511, 512, n - 1, n, n + 1, 2 * n - 1],
            vec![],
        ] {
            for start in [0, n] {
                let ones: Vec<usize> = indices
                    .iter()
                    .map(|i| *i as usize)
                    .filter_map(|i| i.checked_sub(start as usize))
                    .filter(|i| *i < r)
                    .collect();
                for backend in backends() {
                    let found =
                        Poly::from_indices(p, super::backend::kernels(backend), &indices, start);
                    assert!(
                        *found.words == *with_ones(p, &ones).words,
                        "{} {backend:?} {start}",
                        p.name
                    );
                }
            }
        }
    }
}

#[test]
fn errors_have_weight_t() {
    for p in levels() {
        for m in 0..20 {
            let e = hash::h(p, portable(), &[m; 32]);
            assert_eq!(e[0].weight() + e[1].weight(), p.t as u64);
        }
    }
}

/// Decodes errors of weight t, also in only one half. An error of weight d is not found, and causes
/// no panic.
#[test]
fn the_decoder_corrects_errors_of_weight_t() {
    for (p, backend) in levels().flat_map(|p| backends().map(move |backend| (p, backend))) {
        let sk = super::SecretKey::generate(p, backend, &[7; params::N_SEED]);
        let mut ring = ring(p, backend);
        let r = u32::try_from(p.r).unwrap();
        for seed in 0..4u8 {
            let half = Poly::from_indices(p, portable(), &Stream::new(&[seed]).indices(p.t, r), 0);
            for e in [
                hash::h(p, portable(), &[seed; 32]),
                [half.copy(), Poly::zero(p)],
                [Poly::zero(p), half],
            ] {
                let c0 = sk.public().syndrome(&mut ring, &e);
                let found = decoder::decode(&mut ring, &sk.h, &sk.wlist, &c0);
                let same = found.iter().zip(&e).all(|(a, b)| *a.words == *b.words);
                assert!(same, "{} {backend:?} {seed}", p.name);
            }
        }
    }
}

/// Checks that a c0 which is not the syndrome of e is rejected, even if the decoder finds e. The
/// holder of the private key can make one: the syndrome that the decoder sees, `h0 c0`, is then off
/// by one bit, which flips nothing. That is a decoding failure (section 2.5).
#[test]
fn an_error_that_does_not_explain_c0_is_a_failure() {
    for (p, backend) in levels().flat_map(|p| backends().map(move |backend| (p, backend))) {
        let seed: [u8; params::N_SEED] =
            core::array::from_fn(|i| u8::try_from(i).expect("fewer than 256"));
        let (sk, m) = (super::SecretKey::generate(p, backend, &seed), [5; 32]);
        let (honest, _) = sk.public().encaps(&m);
        let (c0, c1) = honest.split_at(p.n_pk());
        let mut ring = ring(p, backend);
        let mut altered = Poly::from_bytes(p, c0).unwrap();
        let inverse = ring.invert(&sk.h[0]);
        altered.add(&ring.multiply(&inverse, &with_ones(p, &[100])));
        let found = decoder::decode(&mut ring, &sk.h, &sk.wlist, &altered);
        let e = hash::h(p, portable(), &m);
        assert!(
            found.iter().zip(&e).all(|(a, b)| *a.words == *b.words),
            "{} {backend:?}: the decoder is misled",
            p.name
        );
        let c = [&altered.to_bytes()[..], c1].concat();
        let sigma: &[u8; 32] = seed[32..].try_into().unwrap();
        assert!(
            sk.decaps(&c).unwrap() == hash::k(sigma, &c),
            "{} {backend:?}",
            p.name
        );
    }
}

/// The test that Miri runs (README.md).
#[test]
fn both_sides_share_a_secret() {
    for (p, backend) in levels().flat_map(|p| backends().map(move |backend| (p, backend))) {
        let sk = super::SecretKey::generate(p, backend, &[8; params::N_SEED]);
        let pk = super::PublicKey::parse(p, backend, sk.public().as_ref()).unwrap();
        let (mut c, sent) = pk.encaps(&[6; 32]);
        assert!(sk.decaps(&c).unwrap() == sent, "{} {backend:?}", p.name);
        c[0] ^= 1;
        assert!(
            sk.decaps_reference_compat(&c).unwrap() != sent,
            "{} {backend:?}",
            p.name
        );
    }
}

#[test]
fn sizes_are_those_of_the_specification() {
    assert_eq!([L1.n_pk(), L3.n_pk(), L5.n_pk()], [1541, 3083, 5122]);
    assert_eq!([L1.n_ct(), L3.n_ct(), L5.n_ct()], [1573, 3115, 5154]);
    assert_eq!([L1.slices(), L3.slices(), L5.slices()], [7, 7, 8]);
}
