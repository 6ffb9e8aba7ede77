//! pqseal-hpke, typed, keys bound once: with AWS-LC underneath, and on the portable libraries.

use std::hint::black_box;

use getrandom::SysRng;
use kem_pq::MlKem768X25519;
use ours::{
    Aes128Gcm, ChaCha20Poly1305, HkdfSha256, Kem, Mode, Recipient, Sealing, Sender, X25519HkdfSha256,
    dhkem::{Dalek, DhKem, Montgomery},
};

use crate::{Case, Record, Suite};

static PORTABLE: DhKem<Montgomery<Dalek, 32>, HkdfSha256> = X25519HkdfSha256.on(HkdfSha256);

/// A message sealed to a fixed key.
pub(crate) fn record(suite: Suite, message: Vec<u8>) -> Record {
    match suite {
        Suite::X25519ChaCha20 => seal(&X25519HkdfSha256, &ChaCha20Poly1305, suite, message),
        Suite::X25519Aes128 => seal(&X25519HkdfSha256, &Aes128Gcm, suite, message),
        Suite::XWingChaCha20 => seal(&MlKem768X25519, &ChaCha20Poly1305, suite, message),
    }
}

fn seal<K: Kem, A: Sealing>(kem: &'static K, aead: &'static A, suite: Suite, message: Vec<u8>) -> Record {
    let (sk, pk) = kem.derive_key_pair(&[7; 32]).expect("a key pair");
    let sk = kem.serialize_private_key(&sk).expect("its bytes").as_ref().to_vec();
    let of_three = ours::Suite::new(kem, &HkdfSha256, aead);
    let (enc, ct) = of_three.seal(&pk, b"", Mode::Base, b"", &message, &mut SysRng).expect("a record");
    Record { suite, sk, pk: pk.as_ref().to_vec(), enc: enc.as_ref().to_vec(), ct, message }
}

pub(crate) fn cases(record: &Record) -> Vec<Case> {
    match record.suite {
        Suite::X25519ChaCha20 => cases_of("pqseal", &X25519HkdfSha256, &ChaCha20Poly1305, record),
        Suite::X25519Aes128 => cases_of("pqseal", &X25519HkdfSha256, &Aes128Gcm, record),
        Suite::XWingChaCha20 => cases_of("pqseal", &MlKem768X25519, &ChaCha20Poly1305, record),
    }
}

pub(crate) fn portable_cases(record: &Record) -> Vec<Case> {
    let name = "pqseal portable";
    match record.suite {
        Suite::X25519ChaCha20 => {
            let aead = &const { ChaCha20Poly1305.on::<chacha20poly1305::ChaCha20Poly1305>() };
            cases_of(name, &PORTABLE, aead, record)
        }
        Suite::X25519Aes128 => cases_of(name, &PORTABLE, &const { Aes128Gcm.on::<aes_gcm::Aes128Gcm>() }, record),
        Suite::XWingChaCha20 => {
            let aead = &const { ChaCha20Poly1305.on::<chacha20poly1305::ChaCha20Poly1305>() };
            cases_of(name, &const { MlKem768X25519.on::<Montgomery<Dalek, 32>>() }, aead, record)
        }
    }
}

fn cases_of<K: Kem, A: Sealing>(name: &'static str, kem: &'static K, aead: &'static A, record: &Record) -> Vec<Case> {
    let suite = ours::Suite::new(kem, &HkdfSha256, aead);
    let recipient = || {
        let sk = kem.deserialize_private_key(&record.sk).expect("a private key");
        Recipient::new(suite, sk, b"", Mode::Base).expect("a recipient")
    };
    let pk = kem.deserialize_public_key(&record.pk).expect("a public key");
    let sender = Sender::new(suite, pk, b"", Mode::Base).expect("a sender");
    let (opens, sets_up) = (recipient(), recipient());
    assert_eq!(opens.open(&record.enc, b"", &record.ct).expect("the record opens"), record.message);
    let (message, enc, ct, other_enc) =
        (record.message.clone(), record.enc.clone(), record.ct.clone(), record.enc.clone());
    vec![
        record.case("seal", name, move || drop(black_box(sender.seal(b"", black_box(&message), &mut SysRng)))),
        record.case("open", name, move || drop(black_box(opens.open(black_box(&enc), b"", &ct)))),
        record.case("setup", name, move || drop(black_box(sets_up.setup(black_box(&other_enc))))),
    ]
}
