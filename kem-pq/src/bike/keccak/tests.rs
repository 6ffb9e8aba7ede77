//! Each back end against the definition, and both against the crate `sha3`.

use alloc::vec::Vec;

use hpke::Secret;
use sha3::{Digest, Sha3_384};
use shake::{ExtendableOutput, Shake256, Update, XofReader};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{Keccak, Sponge, State, one};
use crate::{
    Backend,
    bike::{
        backend::kernels,
        hash,
        params::N_SS,
        ring::Poly,
        tests::{backends, levels},
    },
};

static DEFINITION: Keccak = Keccak {
    one,
    two: |[a, b]| {
        one(a);
        one(b);
    },
};

/// The definition, and all that a back end has here: each one for x86-64 but the portable one.
fn keccaks() -> impl Iterator<Item = &'static Keccak> {
    let of_back_ends = backends().filter_map(|backend| {
        let keccak = kernels(backend).keccak.as_ref();
        let expected = cfg!(target_arch = "x86_64") && backend != Backend::Portable;
        assert_eq!(keccak.is_some(), expected, "{backend:?}");
        keccak
    });
    of_back_ends.chain([&DEFINITION])
}

fn drawn(seed: usize, len: usize) -> Vec<u8> {
    let mut bytes = alloc::vec![0; len];
    let seed = seed.to_le_bytes();
    Shake256::default()
        .chain(seed)
        .finalize_xof()
        .read(&mut bytes);
    bytes
}

fn state(seed: usize) -> State {
    let bytes = drawn(seed, 200);
    core::array::from_fn(|i| u64::from_le_bytes(bytes[8 * i..][..8].try_into().unwrap()))
}

/// Also of equal states, and of those with one bit. 5 does not divide their number, so each is second too.
#[test]
fn states_are_permuted_as_by_the_definition() {
    let bits = (0..1600).map(|i| core::array::from_fn(|at| u64::from(at == i / 64) << (i % 64)));
    let states: Vec<State> = bits
        .chain((0..50).map(state))
        .chain([[0; 25], [u64::MAX; 25]])
        .collect();
    let every = if cfg!(miri) { 500 } else { 1 };
    for (i, first) in states.iter().enumerate().step_by(every) {
        let second = &states[i * 5 % states.len()];
        let [mut a, mut b] = [*first, *second];
        (DEFINITION.two)([&mut a, &mut b]);
        for keccak in keccaks() {
            let [mut first, mut second, mut alone] = [*first, *second, *first];
            (keccak.two)([&mut first, &mut second]);
            (keccak.one)(&mut alone);
            assert!(first == a && second == b && alone == a, "{i}");
        }
    }
}

/// Every length beside several others, and every way to cut off an end.
#[test]
fn digests_are_those_of_sha3() {
    let every = if cfg!(miri) { 100 } else { 1 };
    for len in (0..=400).step_by(every) {
        for other in [len, 400 - len, len * 7 % 401, len / 3] {
            let messages = [drawn(1, len), drawn(2, other)];
            let end = drawn(3, len % 250);
            keccaks().for_each(|keccak| check_digests(keccak, messages.each_ref(), &end));
        }
    }
}

/// `end` comes after the second message.
fn check_digests(keccak: &Keccak, [first, second]: [&Vec<u8>; 2], end: &[u8]) {
    let [mut a, mut b] = [Sponge::new(keccak), Sponge::new(keccak)];
    let [rest_a, rest_b] = Sponge::absorb_both([&mut a, &mut b], [first, second]);
    let mut digests = [0; 2].map(|_| Secret::new([0; N_SS]));
    a.finish(rest_a, &mut digests[0]);
    b.finish(&[rest_b, end].concat(), &mut digests[1]);
    let expected = [
        Sha3_384::digest(first),
        Sha3_384::digest([second, end].concat()),
    ];
    for (digest, expected) in digests.iter().zip(expected) {
        assert_eq!(
            digest.as_ref(),
            &expected[..N_SS],
            "{} {}",
            first.len(),
            second.len()
        );
    }
}

#[test]
fn encaps_hashes_as_decaps_does() {
    for (p, backend) in levels().flat_map(|p| backends().map(move |backend| (p, backend))) {
        let m: [u8; N_SS] = drawn(4, N_SS).try_into().unwrap();
        let e = hash::h(p, kernels(backend), &m);
        let c0 = Poly::from_indices(p, kernels(backend), &[0, 1, 100], 0).to_bytes();
        let (c1, secret) = hash::c1_and_k(kernels(backend), &m, &e, &c0);
        let l: Vec<u8> = c1.iter().zip(m).map(|(c1, m)| c1 ^ m).collect();
        assert!(hash::l(&e).as_ref() == l, "{} {backend:?}", p.name);
        let c = [&c0[..], &c1].concat();
        assert!(hash::k(&m, &c) == secret, "{} {backend:?}", p.name);
    }
}
