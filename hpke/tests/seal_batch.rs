//! A program of its own: it chooses the back end of the process.
//!
//! Many messages sealed at once are what they are one after the other with the same randomness.

#[path = "it/common.rs"]
mod common;

use backend_from_env as _;
use common::Replay;
use pqseal_hpke::{
    ChaCha20Poly1305, Error, HkdfSha256, Kem, Message, Mode, OneStage, P256HkdfSha256, Psk, Sender,
    Shake128, Suite, X25519HkdfSha256, x25519_batch::Backend,
};
use pqseal_kem_pq::MlKem768X25519;

/// A part of a vector, whole vectors, and either side of where a table is worth it.
const SIZES: [usize; 9] = [0, 1, 2, 7, 11, 12, 13, 40, 200];

fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    Shake128.derive(&[b"seal_batch"], &mut [&mut bytes]);
    bytes
}

/// Checks each size, with a table and without.
fn same_as_one_by_one<K: Kem + Sync>(kem: &'static K, mode: Mode<'_, K::PrivateKey>) {
    let suite = Suite::new(kem, &HkdfSha256, &ChaCha20Poly1305);
    let (_, pk) = kem.derive_key_pair(&[7; 32]).unwrap();
    let sender = || Sender::new(suite, pk.clone(), b"info", mode).unwrap();
    let texts: Vec<[u8; 2]> = (0..200_u16).map(u16::to_be_bytes).collect();
    let randomness = random(texts.len() * kem.info().n_random);
    for sender in [sender(), sender().precompute()] {
        for size in SIZES {
            let messages: Vec<_> = texts[..size]
                .iter()
                .map(|text| Message {
                    aad: &text[1..],
                    pt: text,
                })
                .collect();
            let sealed = sender
                .seal_batch(&messages, &mut Replay(&randomness))
                .unwrap();
            let mut rng = Replay(&randomness);
            assert_eq!(sealed.len(), size);
            for (message, (enc, ct)) in messages.iter().zip(&sealed) {
                let (expected, text) = sender.seal(message.aad, message.pt, &mut rng).unwrap();
                assert_eq!(
                    (enc.as_ref(), ct),
                    (expected.as_ref(), &text),
                    "{kem:?}, {size}"
                );
            }
        }
    }
}

/// On each back end that the machine has. The choice is the whole process's, and results are the
/// same.
#[test]
fn every_size() {
    let psk = Psk::new(&[5; 32], b"id").unwrap();
    let sk_s = X25519HkdfSha256.derive_key_pair(&[8; 32]).unwrap().0;
    for backend in Backend::ALL.iter().filter(|backend| backend.is_available()) {
        backend.choose().unwrap();
        same_as_one_by_one(&X25519HkdfSha256, Mode::Base);
        same_as_one_by_one(&X25519HkdfSha256, Mode::Psk(psk));
        same_as_one_by_one(&X25519HkdfSha256, Mode::Auth(&sk_s));
        same_as_one_by_one(&P256HkdfSha256, Mode::Base);
        same_as_one_by_one(&MlKem768X25519, Mode::Base);
    }
}

/// Points of low order, on the curve and on its twist, are refused. A point of the twist is
/// accepted.
#[test]
fn unusual_public_keys() {
    let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &ChaCha20Poly1305);
    let messages = [Message {
        aad: b"",
        pt: b"text",
    }; 40];
    let randomness = random(40 * 32);
    let mut p_minus_1 = [0xff; 32];
    (p_minus_1[0], p_minus_1[31]) = (0xec, 0x7f);
    for (u, expected) in [
        ([0; 32], Err(Error::Validation)),
        (p_minus_1, Err(Error::Validation)),
        ([2; 32], Ok(40)),
    ] {
        let pk = X25519HkdfSha256.deserialize_public_key(&u).unwrap();
        let sender = || Sender::new(suite, pk.clone(), b"", Mode::Base).unwrap();
        for sender in [sender(), sender().precompute()] {
            let sealed = sender.seal_batch(&messages, &mut Replay(&randomness));
            assert_eq!(sealed.map(|sealed| sealed.len()), expected);
        }
    }
}

#[test]
fn a_generator_that_fails() {
    let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &ChaCha20Poly1305);
    let (_, pk) = X25519HkdfSha256.derive_key_pair(&[7; 32]).unwrap();
    let sender = Sender::new(suite, pk, b"", Mode::Base).unwrap();
    let messages = [Message {
        aad: b"",
        pt: b"text",
    }; 40];
    let sealed = sender.seal_batch(&messages, &mut Replay(&random(40 * 32 - 1)));
    assert_eq!(sealed.map(|sealed| sealed.len()), Err(Error::Rng));
}
