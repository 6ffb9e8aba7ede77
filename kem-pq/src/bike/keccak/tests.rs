//! Comparison of each back end with the crate `sha3`.

use alloc::vec::Vec;

use pqseal_hpke::Secret;
use sha3::{Digest, Sha3_384};
use shake::{ExtendableOutput, Shake256, Update, XofReader};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{Keccak, Sponge};
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

/// Returns the Keccak of each back end here: those for x86-64, since the portable one has none.
fn keccaks() -> impl Iterator<Item = &'static Keccak> {
    backends().filter_map(|backend| {
        let keccak = kernels(backend).keccak;
        let expected = cfg!(target_arch = "x86_64") && backend != Backend::Portable;
        assert_eq!(keccak.is_some(), expected, "{backend:?}");
        keccak.map(|keccak| keccak.keccak().expect("the machine has both"))
    })
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

/// Hashes every length next to several others, with every length of the end that is cut off.
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

/// Compares the digests of two messages. `end` follows the second.
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
