//! The crate `hpke`, on RustCrypto.

use std::hint::black_box;

use hpke::{
    Deserializable, Kem, OpModeR, OpModeS,
    aead::{Aead, AesGcm128, ChaCha20Poly1305},
    kdf::HkdfSha256,
    kem::{X25519HkdfSha256, XWing},
    setup_receiver, single_shot_open, single_shot_seal,
};

use crate::{Case, Record, Suite};

const NAME: &str = "hpke 0.15";

pub(crate) fn cases(record: &Record) -> Vec<Case> {
    match record.suite {
        Suite::X25519ChaCha20 => cases_of::<X25519HkdfSha256, ChaCha20Poly1305>(record),
        Suite::X25519Aes128 => cases_of::<X25519HkdfSha256, AesGcm128>(record),
        Suite::XWingChaCha20 => cases_of::<XWing, ChaCha20Poly1305>(record),
    }
}

fn cases_of<K: Kem + 'static, A: Aead + 'static>(record: &Record) -> Vec<Case> {
    let sk = K::PrivateKey::from_bytes(&record.sk).expect("a private key");
    let pk = K::PublicKey::from_bytes(&record.pk).expect("a public key");
    let parse = |enc: &[u8]| K::EncappedKey::from_bytes(black_box(enc)).expect("an encapsulated key");
    let open = move |sk: &K::PrivateKey, enc: &[u8], ct: &[u8]| {
        single_shot_open::<A, HkdfSha256, K>(&OpModeR::Base, sk, &parse(enc), b"", ct, b"").expect("the record opens")
    };
    assert_eq!(open(&sk, &record.enc, &record.ct), record.message);
    let (message, enc, ct, other_enc, other_sk) =
        (record.message.clone(), record.enc.clone(), record.ct.clone(), record.enc.clone(), sk.clone());
    vec![
        record.case("seal", NAME, move || {
            drop(black_box(single_shot_seal::<A, HkdfSha256, K>(&OpModeS::Base, &pk, b"", black_box(&message), b"")));
        }),
        record.case("open", NAME, move || drop(black_box(open(&sk, &enc, &ct)))),
        record.case("setup", NAME, move || {
            drop(black_box(setup_receiver::<A, HkdfSha256, K>(&OpModeR::Base, &other_sk, &parse(&other_enc), b"")));
        }),
    ]
}
