//! `formats`: JWE and COSE, and their keys.

use std::{cell::RefCell, hint::black_box};

use pqseal_formats::{Algorithm, PrivateKey, PublicKey, cose, cose_key, jwe};
use zeroize::Zeroizing;

use crate::world::{Kind, World, seal_jwe};

fn private(world: &World, alg: Algorithm) -> PrivateKey {
    let key = PrivateKey::new(world.private()).with_alg(alg);
    key.expect("the algorithm has this KEM")
}

pub(super) fn seal(world: &World) {
    let key = PublicKey::new(world.public());
    for alg in world.algorithms() {
        let (plaintext, ceks) = (World::plaintext(), RefCell::default());
        black_box(seal_jwe(alg, &key, &plaintext, &ceks));
        let sealer = cose::Sealer::new(cose::Recipient::new(alg, &key).expect("its KEM"));
        black_box(sealer.seal(&plaintext, &mut World::carrying()).ok());
        black_box(
            sealer
                .seal_detached(&plaintext, &mut World::carrying())
                .ok(),
        );
    }
}

pub(super) fn open(world: &World) {
    for one in &world.carried {
        match one.kind {
            Kind::Jwe(alg) => open_jwe(&private(world, alg), alg, &one.bytes),
            Kind::Cose(alg) => open_cose(&private(world, alg), alg, &one.bytes),
            Kind::Hpke | Kind::Blob => {}
        }
    }
}

fn open_jwe(key: &PrivateKey, alg: Algorithm, message: &[u8]) {
    let allowed = [alg];
    let opener = jwe::Opener::new(&allowed).key(key);
    let text = std::str::from_utf8(message).expect("text");
    let opened = opener.open(text).expect("it is whole");
    assert!(*opened.plaintext == *World::plaintext());
    for damaged in damaged(message) {
        black_box(
            opener
                .open(std::str::from_utf8(&damaged).expect("text"))
                .ok(),
        );
    }
}

fn open_cose(key: &PrivateKey, alg: Algorithm, message: &[u8]) {
    let allowed = [alg];
    let opener = cose::Opener::new(&allowed).key(key);
    let opened = opener.open(message).expect("it is whole");
    assert!(*opened.plaintext == *World::plaintext());
    for damaged in damaged(message) {
        black_box(opener.open(&damaged).ok());
    }
}

pub(super) fn write_keys(world: &World) {
    keys(world, |_, jwk, cose_key| {
        black_box((jwk, cose_key));
    });
}

pub(super) fn read_jwk(world: &World) {
    keys(world, |alg, jwk, _| {
        black_box(jwe::private_key(jwk, &[alg]).expect("just written"));
        black_box(jwe::public_key(jwk, &[alg]).ok());
    });
}

pub(super) fn read_jwk_errors(world: &World) {
    keys(world, |alg, jwk, _| {
        for damaged in damaged(jwk.as_bytes()) {
            let text = std::str::from_utf8(&damaged).expect("ASCII");
            black_box(jwe::private_key(text, &[alg]).ok());
            black_box(jwe::public_key(text, &[alg]).ok());
        }
        // The key is of another algorithm than those allowed.
        black_box(jwe::private_key(jwk, &[]).err());
    });
}

pub(super) fn read_cose_key(world: &World) {
    keys(world, |alg, _, key| {
        black_box(cose_key::private_key(key, &[alg]).expect("just written"));
        black_box(cose_key::public_key(key, &[alg]).ok());
    });
}

pub(super) fn read_cose_key_errors(world: &World) {
    keys(world, |alg, _, key| {
        for damaged in damaged(key) {
            black_box(cose_key::private_key(&damaged, &[alg]).ok());
            black_box(cose_key::public_key(&damaged, &[alg]).ok());
        }
        black_box(cose_key::private_key(key, &[]).err());
    });
}

/// Runs with the private key as a JWK and as a COSE_Key, for each of its algorithms.
fn keys(world: &World, run: impl Fn(Algorithm, &str, &[u8])) {
    for alg in world.algorithms() {
        let key = private(world, alg);
        let jwk = jwe::write_private(&key).expect("it has a seed");
        run(
            alg,
            &jwk,
            &cose_key::write_private(&key).expect("it has a seed"),
        );
    }
}

/// Returns the bytes cut off, and with a changed byte, at a dozen places.
fn damaged(bytes: &[u8]) -> impl Iterator<Item = Zeroizing<Vec<u8>>> + '_ {
    let places = (0..bytes.len()).step_by(bytes.len().div_ceil(12));
    places.flat_map(move |at| {
        let [mark, letter] = [b'!', b'A'].map(|byte| {
            let mut changed = Zeroizing::new(bytes.to_vec());
            changed[at] = byte;
            changed
        });
        [Zeroizing::new(bytes[..at].to_vec()), mark, letter]
    })
}
