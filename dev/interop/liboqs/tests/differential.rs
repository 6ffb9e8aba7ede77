//! Keys and ciphertexts are exchanged both ways between liboqs and each of our back ends.

use bike_liboqs::{Liboqs, liboqs_private_key};
use pqseal_kem_pq::{
    Backend,
    bike::{Params, PublicKey, SecretKey, params},
};

const ROUNDS: u8 = 20;

/// Runs a check for every level with every back end of this machine.
fn everywhere(check: impl Fn(&'static Params, Backend, &Liboqs)) {
    for p in params::ALL {
        let liboqs = Liboqs::new(p);
        Backend::ALL
            .iter()
            .filter(|backend| backend.is_available())
            .for_each(|backend| check(p, *backend, &liboqs));
    }
}

/// Returns bytes that look random, the same every time.
fn bytes<const N: usize>(p: &Params, round: u8, label: u8) -> [u8; N] {
    let mut state = u64::from(round) << 32 | u64::from(label) << 16 | p.r as u64;
    std::array::from_fn(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
}

#[test]
fn the_same_randomness_gives_the_same_keys_ciphertexts_and_secrets() {
    everywhere(|p, backend, liboqs| {
        for round in 0..ROUNDS {
            let (seed, m) = (bytes(p, round, 1), bytes(p, round, 2));
            let (pk, their_sk) = liboqs.keypair(&seed);
            let sk = SecretKey::generate(p, backend, &seed);
            assert_eq!(sk.public().as_ref(), pk, "{} {backend:?} {round}", p.name);
            let halves = 2 * 4 * p.d..their_sk.len();
            assert_eq!(
                liboqs_private_key(p, sk.to_bytes().as_ref(), &pk)[halves.clone()],
                their_sk[halves]
            );
            let (c, ss) = sk.public().encaps(&m);
            assert_eq!(
                liboqs.encaps(&pk, &m),
                (c, ss.as_ref().to_vec()),
                "{} {backend:?} {round}",
                p.name
            );
        }
    });
}

#[test]
fn what_they_seal_to_our_key_we_open() {
    everywhere(|p, backend, liboqs| {
        for round in 0..ROUNDS {
            let sk = SecretKey::generate(p, backend, &bytes(p, round, 3));
            let (c, sent) = liboqs.encaps(sk.public().as_ref(), &bytes(p, round, 4));
            assert_eq!(
                sk.decaps(&c).unwrap().as_ref(),
                sent,
                "{} {backend:?} {round}",
                p.name
            );
        }
    });
}

#[test]
fn what_we_seal_to_their_key_they_open() {
    everywhere(|p, backend, liboqs| {
        for round in 0..ROUNDS {
            let (pk, sk) = liboqs.keypair(&bytes(p, round, 5));
            let (c, sent) = PublicKey::parse(p, backend, &pk)
                .unwrap()
                .encaps(&bytes(p, round, 6));
            assert_eq!(
                liboqs.decaps(&c, &sk),
                sent.as_ref(),
                "{} {backend:?} {round}",
                p.name
            );
        }
    });
}

/// Decapsulates altered ciphertexts with our private key in both implementations. They reject
/// alike, or decode alike.
#[test]
fn altered_ciphertexts_give_both_the_same_secret() {
    everywhere(|p, backend, liboqs| {
        let sk = SecretKey::generate(p, backend, &bytes(p, 0, 7));
        let their_sk = liboqs_private_key(p, sk.to_bytes().as_ref(), sk.public().as_ref());
        let (c, sent) = sk.public().encaps(&bytes(p, 0, 8));
        assert_eq!(liboqs.decaps(&c, &their_sk), sent.as_ref());
        for bit in (0..8 * c.len())
            .step_by(p.r / 40)
            .chain(8 * p.n_pk() - 8..8 * p.n_pk() + 8)
        {
            let mut altered = c.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            let ours = sk.decaps_reference_compat(&altered).unwrap();
            assert_eq!(
                liboqs.decaps(&altered, &their_sk),
                ours.as_ref(),
                "{} {backend:?} bit {bit}",
                p.name
            );
            assert_ne!(ours, sent);
        }
    });
}
