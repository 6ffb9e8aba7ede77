//! The crate `hpke-ng`, on RustCrypto.

use std::hint::black_box;

use hpke_ng::{
    Aes128Gcm, ChaCha20Poly1305, DhKemX25519HkdfSha256, HkdfSha256, Hpke, Kem, SealingAead,
    XWingDraft06,
};
use rand_core_09::{OsRng, TryRngCore};

use crate::peer::{Case, Peer, Record, Suite};

struct HpkeNg<K: Kem, A> {
    sk: K::PrivateKey,
    pk: K::PublicKey,
    aead: std::marker::PhantomData<A>,
}

pub(crate) fn cases(record: &Record) -> Vec<Case> {
    match record.suite {
        Suite::X25519ChaCha20 => cases_of::<DhKemX25519HkdfSha256, ChaCha20Poly1305>(record),
        Suite::X25519Aes128 => cases_of::<DhKemX25519HkdfSha256, Aes128Gcm>(record),
        Suite::XWingChaCha20 => cases_of::<XWingDraft06, ChaCha20Poly1305>(record),
    }
}

fn cases_of<K: Kem + 'static, A: SealingAead + 'static>(record: &Record) -> Vec<Case> {
    let sk = K::sk_from_bytes(&record.sk).expect("a private key");
    let pk = K::pk_from_bytes(&record.pk).expect("a public key");
    record.cases(
        "hpke-ng 0.1.0-rc.3",
        HpkeNg::<K, A> {
            sk,
            pk,
            aead: std::marker::PhantomData,
        },
    )
}

impl<K: Kem + 'static, A: SealingAead + 'static> Peer for HpkeNg<K, A> {
    fn seal(&self, message: &[u8]) {
        drop(black_box(Hpke::<K, HkdfSha256, A>::seal_base(
            &mut OsRng.unwrap_err(),
            &self.pk,
            b"",
            b"",
            message,
        )));
    }

    fn open(&self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        let enc = K::enc_from_bytes(enc).expect("an encapsulated key");
        Hpke::<K, HkdfSha256, A>::open_base(&enc, &self.sk, b"", b"", ct).expect("a message")
    }

    fn set_up(&self, enc: &[u8]) {
        let enc = K::enc_from_bytes(enc).expect("an encapsulated key");
        drop(black_box(Hpke::<K, HkdfSha256, A>::setup_receiver_base(
            &enc, &self.sk, b"",
        )));
    }
}
