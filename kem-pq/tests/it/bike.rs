//! BIKE itself, on every back end that this machine has: all known answers, altered ciphertexts,
//! and encodings.

use pqseal_hpke::Error;
use pqseal_kem_pq::{
    Backend,
    bike::{Params, PublicKey, SecretKey, params},
};
use sha2::{Digest, Sha256};
use test_vectors::BikeLevel;

const LEVELS: [(BikeLevel, &Params); 3] = [
    (BikeLevel::L1, &params::L1),
    (BikeLevel::L3, &params::L3),
    (BikeLevel::L5, &params::L5),
];

fn backends() -> impl Iterator<Item = Backend> {
    Backend::ALL
        .iter()
        .copied()
        .filter(|backend| backend.is_available())
}

fn on_every_backend(check: impl Fn(BikeLevel, &'static Params, Backend)) {
    for backend in backends() {
        LEVELS
            .iter()
            .for_each(|(level, p)| check(*level, p, backend));
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap()
}

fn key_of_count_0(level: BikeLevel, p: &'static Params, backend: Backend) -> SecretKey {
    SecretKey::generate(
        p,
        backend,
        &array(&test_vectors::bike(level).entries[0].seed),
    )
}

#[test]
fn every_known_answer_is_reproduced() {
    on_every_backend(|level, p, backend| {
        let set = test_vectors::bike(level);
        assert_eq!(set.entries.len(), 100);
        for vector in set.entries {
            let name = format!("{level:?} {backend:?} {}", vector.count);
            let sk = SecretKey::generate(p, backend, &array(&vector.seed));
            assert_eq!(
                Sha256::digest(sk.public()).as_slice(),
                vector.pk_sha256,
                "{name}"
            );
            assert_eq!(
                Sha256::digest(sk.to_bytes()).as_slice(),
                vector.sk_sha256,
                "{name}"
            );
            let pk = PublicKey::parse(p, backend, sk.public().as_ref()).unwrap();
            let (c, sent) = pk.encaps(&array(&vector.m));
            assert_eq!(Sha256::digest(&c).as_slice(), vector.ct_sha256, "{name}");
            assert_eq!(sent.as_ref(), vector.ss, "{name}");
            assert_eq!(sk.decaps(&c).unwrap().as_ref(), vector.ss, "{name}");
        }
    });
}

#[test]
fn altered_ciphertexts_give_the_reference_s_secret() {
    on_every_backend(|level, p, backend| {
        let (sk, set) = (
            key_of_count_0(level, p, backend),
            test_vectors::bike_altered(level),
        );
        assert_eq!(set.entries.len(), 14);
        for altered in set.entries {
            let name = format!("{level:?} {backend:?} {}", altered.case);
            assert_eq!(
                sk.decaps_reference_compat(&altered.ct).unwrap().as_ref(),
                altered.ss,
                "{name}"
            );
            let canonical = altered.ct[p.n_pk() - 1] >> (p.r % 8) == 0;
            let expected = if canonical {
                Ok(altered.ss)
            } else {
                Err(Error::Deserialize)
            };
            assert_eq!(
                sk.decaps(&altered.ct).map(|ss| ss.as_ref().to_vec()),
                expected,
                "{name}"
            );
        }
    });
}

#[test]
fn spare_bits_above_r_are_rejected() {
    on_every_backend(|level, p, backend| {
        let sk = key_of_count_0(level, p, backend);
        let (c, _) = sk.public().encaps(&[1; 32]);
        for bit in p.r % 8..8 {
            let last = p.n_pk() - 1;
            let mut pk = sk.public().as_ref().to_vec();
            pk[last] ^= 1 << bit;
            assert_eq!(
                PublicKey::parse(p, backend, &pk).unwrap_err(),
                Error::Deserialize
            );
            let mut c = c.clone();
            c[last] ^= 1 << bit;
            assert_eq!(sk.decaps(&c).unwrap_err(), Error::Deserialize);
        }
    });
}

#[test]
fn other_lengths_are_rejected() {
    on_every_backend(|level, p, backend| {
        let sk = key_of_count_0(level, p, backend);
        for len in [
            0,
            31,
            32,
            p.n_pk() - 1,
            p.n_pk() + 1,
            p.n_ct() - 1,
            p.n_ct() + 1,
            2 * p.n_ct(),
        ] {
            assert_eq!(
                PublicKey::parse(p, backend, &vec![0; len]).unwrap_err(),
                Error::Deserialize
            );
            assert_eq!(sk.decaps(&vec![0; len]).unwrap_err(), Error::Deserialize);
            assert_eq!(
                sk.decaps_reference_compat(&vec![0; len]).unwrap_err(),
                Error::Deserialize
            );
        }
    });
}

/// Decapsulates a ciphertext whose error is one bit off an honest one's, under the honest c1. The
/// secret must differ, even if the decoder finds the honest error.
#[test]
fn one_bit_off_is_another_secret() {
    on_every_backend(|level, p, backend| {
        let sk = key_of_count_0(level, p, backend);
        let (c, sent) = sk.public().encaps(&[2; 32]);
        for bit in [0, 1, 8, p.r - 1, 8 * p.n_pk(), 8 * p.n_ct() - 1] {
            let mut altered = c.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(sk.decaps(&altered).unwrap(), sent);
        }
    });
}

/// Parses strings of the public key's length whose spare bits are zero. Encapsulating to them
/// neither fails nor panics.
#[test]
fn degenerate_public_keys_do_not_panic() {
    on_every_backend(|_, p, backend| {
        let mut ones = vec![0xff; p.n_pk()];
        *ones.last_mut().unwrap() = (1 << (p.r % 8)) - 1;
        for bytes in [vec![0; p.n_pk()], ones] {
            let (c, _) = PublicKey::parse(p, backend, &bytes)
                .unwrap()
                .encaps(&[3; 32]);
            assert_eq!(c.len(), p.n_ct());
        }
    });
}

/// Runs 100,000 with `PQSEAL_LONG=1 cargo test --release -p pqseal-kem-pq bike::no_failures`: 20
/// seconds with AVX-512, some minutes without.
#[test]
fn no_failures_in_random_encapsulations() {
    let rounds: u32 = if std::env::var_os("PQSEAL_LONG").is_some() {
        100_000
    } else {
        200
    };
    let backend = Backend::chosen();
    let sk = SecretKey::generate(&params::L1, backend, &[9; 64]);
    for round in 0..rounds {
        let (c, sent) = sk
            .public()
            .encaps(&Sha256::digest(round.to_le_bytes()).into());
        assert!(sk.decaps(&c).unwrap() == sent, "{round}");
    }
}
