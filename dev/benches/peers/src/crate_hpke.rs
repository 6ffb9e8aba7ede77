//! The crate `hpke`, on RustCrypto.

use std::hint::black_box;

use hpke::{
    Deserializable, Kem, OpModeR, OpModeS,
    aead::{Aead, AesGcm128, ChaCha20Poly1305},
    inout::InOutBuf,
    kdf::HkdfSha256,
    kem::{X25519HkdfSha256, XWing},
    setup_receiver, setup_sender, single_shot_open, single_shot_seal,
};

use crate::peer::{Case, Peer, Record, Suite};

struct CrateHpke<K: Kem, A> {
    sk: K::PrivateKey,
    pk: K::PublicKey,
    aead: std::marker::PhantomData<A>,
}

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
    record.cases(
        "hpke 0.15",
        CrateHpke::<K, A> {
            sk,
            pk,
            aead: std::marker::PhantomData,
        },
    )
}

fn parse<K: Kem>(enc: &[u8]) -> K::EncappedKey {
    K::EncappedKey::from_bytes(enc).expect("an encapsulated key")
}

impl<K: Kem + 'static, A: Aead + 'static> Peer for CrateHpke<K, A> {
    fn seal(&self, message: &[u8]) {
        drop(black_box(single_shot_seal::<A, HkdfSha256, K>(
            &OpModeS::Base,
            &self.pk,
            b"",
            message,
            b"",
        )));
    }

    fn open(&self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        single_shot_open::<A, HkdfSha256, K>(
            &OpModeR::Base,
            &self.sk,
            &parse::<K>(enc),
            b"",
            ct,
            b"",
        )
        .expect("a message")
    }

    fn set_up(&self, enc: &[u8]) {
        drop(black_box(setup_receiver::<A, HkdfSha256, K>(
            &OpModeR::Base,
            &self.sk,
            &parse::<K>(enc),
            b"",
        )));
    }

    fn stream(&self) -> Option<Box<dyn FnMut(&mut [u8])>> {
        let (_, mut context) =
            setup_sender::<A, HkdfSha256, K>(&OpModeS::Base, &self.pk, b"").expect("a context");
        Some(Box::new(move |message| {
            black_box(
                context
                    .seal_inout_detached(InOutBuf::from(message), b"")
                    .expect("a tag"),
            );
        }))
    }
}
