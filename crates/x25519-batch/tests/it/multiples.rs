//! Tests that one point with one scalar or many, and a key agreement, match the ladder.

use proptest::prelude::*;
use x25519_batch::{Agreement, Backend, Multiples};

use crate::common::{backends, dalek, hex};

fn scalars(seed: u8, count: usize) -> Vec<[u8; 32]> {
    let mut scalar = [seed; 32];
    std::iter::repeat_with(|| {
        scalar = dalek(&scalar, &[9; 32]);
        scalar
    })
    .take(count)
    .collect()
}

fn base() -> [u8; 32] {
    let mut base = [0; 32];
    base[0] = 9;
    base
}

fn expected(scalars: &[[u8; 32]], point: &[u8; 32]) -> Vec<[u8; 32]> {
    scalars.iter().map(|scalar| dalek(scalar, point)).collect()
}

/// One scalar by itself: with its table, and both agreements.
fn assert_alone(backend: Backend, scalar: &[u8; 32], point: &[u8; 32]) {
    let expected = (dalek(scalar, &base()), dalek(scalar, point));
    let assert_agrees = |agreement: Agreement| {
        assert_eq!(
            (agreement.public_key, *agreement.shared_secret),
            expected,
            "{backend:?}, {point:02x?}"
        );
    };
    assert_agrees(backend.agree(scalar, point));
    if let Some(multiples) = Multiples::with_backend(backend, point) {
        assert_agrees(multiples.agree(scalar));
        assert_eq!(*multiples.x25519_one(scalar), expected.1);
    }
}

/// A part of a vector, whole ones, and several inverses.
#[test]
fn every_size() {
    let scalars = scalars(1, 300);
    let point = dalek(&[3; 32], &base());
    let (public_keys, shared) = (expected(&scalars, &base()), expected(&scalars, &point));
    for backend in backends() {
        let multiples = Multiples::with_backend(backend, &point);
        assert_eq!(multiples.is_some(), backend.lanes() > 1);
        for size in (0..=40).chain([63, 64, 65, 127, 128, 129, 300]) {
            assert_eq!(backend.public_keys(&scalars[..size]), public_keys[..size]);
            if let Some(multiples) = &multiples {
                let results = multiples.x25519(&scalars[..size]);
                assert_eq!(results.as_bytes(), &shared[..size], "{backend:?}, {size}");
            }
        }
    }
}

/// Tests each bit of the scalar set alone and cleared alone, and digits that carry.
#[test]
fn every_bit() {
    let bits = (0..256).flat_map(|bit| {
        let mut set = [0; 32];
        set[bit / 8] = 1 << (bit % 8);
        [set, set.map(|byte| !byte)]
    });
    let uniform = (0..=255).map(|byte| [byte; 32]);
    let scalars: Vec<_> = bits.chain(uniform).collect();
    let point = dalek(&[4; 32], &base());
    let (public_keys, shared) = (expected(&scalars, &base()), expected(&scalars, &point));
    for backend in backends() {
        assert_eq!(backend.public_keys(&scalars), public_keys);
        if let Some(multiples) = Multiples::with_backend(backend, &point) {
            assert_eq!(multiples.x25519(&scalars).as_bytes(), shared);
        }
        for (scalar, shared) in scalars.iter().zip(&shared) {
            assert_eq!(*backend.agree(scalar, &point).shared_secret, *shared);
        }
        for (scalar, public_key) in scalars.iter().zip(&public_keys) {
            assert_eq!(backend.public_keys(&[*scalar]), [*public_key]);
        }
    }
}

/// Points of low order on the curve give zeros, and those with a part of low order lose it. Of the
/// twist there is no table.
#[test]
fn unusual_points() {
    let order_8 = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800";
    let order_4 = "0100000000000000000000000000000000000000000000000000000000000000";
    let scalars = scalars(2, 9);
    for backend in backends().filter(|backend| backend.lanes() > 1) {
        for point in [hex(order_8), hex(order_4), [0; 32]] {
            let multiples = Multiples::with_backend(backend, &point).expect("on the curve");
            let results = multiples.x25519(&scalars);
            assert!(results.iter().all(|result| result.is_none()), "{backend:?}");
            assert_alone(backend, &scalars[0], &point);
        }
        let mut of_the_twist = [0; 32];
        of_the_twist[0] = 2;
        assert_alone(backend, &scalars[0], &of_the_twist);
        assert!(Multiples::with_backend(backend, &of_the_twist).is_none());
        // u = p - 1 has order 4 on the twist.
        let p_minus_1 = "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
        assert!(Multiples::with_backend(backend, &hex(p_minus_1)).is_none());
    }
}

/// The first results of a process are made without the table of the base point.
#[test]
fn the_first_results_are_as_the_others() {
    for scalar in scalars(3, 20) {
        let public = Backend::Portable.public_keys(&[scalar]);
        assert_eq!(x25519_batch::public_keys(&[scalar]), public);
        let agreement = x25519_batch::agree(&scalar, &public[0]);
        let secret = Backend::Portable.x25519_one(&scalar, &public[0]);
        assert_eq!(agreement.public_key, public[0]);
        assert_eq!(*agreement.shared_secret, *secret);
    }
}

#[test]
fn a_shared_secret_is_not_shown() {
    let shown = format!("{:?}", x25519_batch::agree(&[7; 32], &base()));
    assert!(shown.ends_with("], redacted)"), "{shown}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any bytes are a point, of the curve or of the twist, in whatever form.
    #[test]
    fn any_point(point: [u8; 32], scalars in prop::collection::vec(any::<[u8; 32]>(), 1..12)) {
        for backend in backends() {
            if let Some(multiples) = Multiples::with_backend(backend, &point) {
                let results = multiples.x25519(&scalars);
                prop_assert_eq!(results.as_bytes(), expected(&scalars, &point));
            }
            assert_alone(backend, &scalars[0], &point);
        }
    }
}
