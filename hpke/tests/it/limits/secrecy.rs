//! `Debug` of types that hold a secret reveals nothing of it.

use std::fmt::Debug;

use pqseal_hpke::{
    AEADS, Aead, AnyPublicKey, KDFS, KEMS, Kem, Labels, Mode, P256HkdfSha256, Psk, Recipient,
    Response, Secret, Sender, SharedSecret, Suite, X25519HkdfSha256,
    kdf::{ScheduleInputs, ScheduleParts},
};

use crate::common::Replay;

/// A byte that no text here has by chance: its forms are `c5` and `197`.
const SECRET: [u8; 32] = [0xc5; 32];

/// Checks that no form a caller may print contains a run of the secret's bytes.
#[track_caller]
fn tells_nothing(value: &impl Debug, secret: &[u8]) {
    for text in [
        format!("{value:?}"),
        format!("{value:#?}"),
        format!("{value:02x?}"),
        format!("{value:02X?}"),
    ] {
        let digits: String = text
            .to_lowercase()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        for run in secret.windows(4) {
            let decimal: String = run.iter().map(u8::to_string).collect();
            let hex: String = run.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(
                !digits.contains(&decimal) && !digits.contains(&hex),
                "{text}"
            );
        }
    }
}

#[test]
fn the_check_finds_what_leaks() {
    for telling in [
        format!("{SECRET:?}"),
        format!("{SECRET:02x?}"),
        "C5C5C5C5".to_owned(),
    ] {
        let found = std::panic::catch_unwind(|| tells_nothing(&format_args!("{telling}"), &SECRET));
        assert!(found.is_err(), "{telling}");
    }
}

#[test]
fn secrets_show_only_their_length() {
    tells_nothing(&Secret::new(SECRET), &SECRET);
    tells_nothing(&Secret::from_bytes(&SECRET), &SECRET);
    tells_nothing(&SharedSecret::from_slice(&SECRET), &SECRET);
    assert_eq!(format!("{:?}", Secret::new(SECRET)), "Secret(32 bytes)");
}

#[test]
fn a_psk_shows_only_its_id_and_length() {
    let psk = Psk::new(&SECRET, b"id").unwrap();
    tells_nothing(&psk, &SECRET);
    tells_nothing(&Mode::<AnyPublicKey>::Psk(psk), &SECRET);
    assert_eq!(format!("{psk:?}"), "Psk(32 bytes, id [69, 64])");
}

#[test]
fn private_keys_tell_nothing() {
    tells_nothing(
        &X25519HkdfSha256.deserialize_private_key(&SECRET).unwrap(),
        &SECRET,
    );
    tells_nothing(
        &P256HkdfSha256.deserialize_private_key(&SECRET).unwrap(),
        &SECRET,
    );
    for kem in KEMS {
        let (sk, _) = kem.derive_key_pair(&SECRET).unwrap();
        let bytes = kem.serialize_private_key(&sk).unwrap();
        tells_nothing(&sk, bytes.as_ref());
        tells_nothing(&Mode::Auth(&sk), bytes.as_ref());
    }
}

/// The whole text is fixed, so there is no room for a secret.
#[test]
fn contexts_and_bound_keys_show_only_their_suite_and_place() {
    let suite = Suite::new(KEMS[3], KDFS[0], &AEADS[0]);
    let (sk, pk) = suite.kem().derive_key_pair(&SECRET).unwrap();
    let (enc, mut sender) = suite
        .setup_s(&pk, b"", Mode::Base, &mut Replay(&SECRET))
        .unwrap();
    sender.seal(b"", b"message").unwrap();
    let recipient = suite.setup_r(&enc, &sk, b"", Mode::Base).unwrap();
    let name = "KEM 0x0020, KDF 0x0001, AEAD 0x0001";
    assert_eq!(
        format!("{sender:?}"),
        format!("SenderContext({name}, message 1)")
    );
    assert_eq!(
        format!("{recipient:?}"),
        format!("RecipientContext({name}, message 0)")
    );
    let answers = recipient
        .response_secret(Response::oblivious_http(), &enc)
        .unwrap();
    assert_eq!(format!("{answers:?}"), "ResponseSecret(16 bytes)");
    let (_, mut answer) = answers.generate(&mut Replay(&SECRET)).unwrap();
    for number in 0..3 {
        assert_eq!(
            format!("{answer:?}"),
            format!("ResponseKey(message {number})")
        );
        answer.seal(b"", b"message").unwrap();
    }
    let psk = Psk::new(&SECRET, b"id").unwrap();
    let sender = Sender::new(suite, pk.clone(), b"", Mode::Psk(psk)).unwrap();
    assert_eq!(format!("{sender:?}"), format!("Sender({name})"));
    let recipient = Recipient::new(suite, sk, b"", Mode::Psk(psk)).unwrap();
    assert_eq!(format!("{recipient:?}"), format!("Recipient({name})"));
}

#[test]
fn derived_secrets_and_aead_keys_tell_nothing() {
    let inputs = ScheduleInputs {
        key_schedule_context: b"context",
        psk: b"",
        shared_secret: &SECRET,
        aead: AEADS[0].info(),
    };
    for kdf in KDFS {
        assert_eq!(format!("{kdf:?}"), kdf.info().name);
        let secrets = kdf
            .combine_secrets(&Labels::v1(b"suite"), &inputs, ScheduleParts::All)
            .unwrap();
        for secret in [&secrets.key, &secrets.base_nonce, &secrets.exporter_secret] {
            tells_nothing(&secrets, secret.as_ref());
        }
    }
    for aead in AEADS {
        let key = vec![0xc5; aead.info().n_k];
        tells_nothing(&aead.key(&key).unwrap(), &key);
    }
}
