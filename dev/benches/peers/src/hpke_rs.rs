//! The crate `hpke-rs`, on RustCrypto and on libcrux.

use std::{cell::RefCell, hint::black_box};

use hpke_rs::{Hpke, HpkePrivateKey, HpkePublicKey, Mode};
use hpke_rs_crypto::{
    HpkeCrypto, HpkeDefaultPrng,
    types::{AeadAlgorithm, KdfAlgorithm, KemAlgorithm},
};
use hpke_rs_libcrux::HpkeLibcrux;
use hpke_rs_rust_crypto::HpkeRustCrypto;

use crate::peer::{Case, Peer, Record, Suite};

struct HpkeRs<C: HpkeCrypto + 'static> {
    /// The suite with its generator, which sealing changes.
    suite: RefCell<Hpke<C>>,
    sk: HpkePrivateKey,
    pk: HpkePublicKey,
}

pub(crate) fn cases(record: &Record) -> Vec<Case> {
    let rust_crypto = cases_of::<HpkeRustCrypto>("hpke-rs 0.8, RustCrypto", record);
    rust_crypto
        .into_iter()
        .chain(cases_of::<HpkeLibcrux>("hpke-rs 0.8, libcrux", record))
        .collect()
}

fn cases_of<C: HpkeCrypto + HpkeDefaultPrng + 'static>(
    name: &'static str,
    record: &Record,
) -> Vec<Case> {
    let (kem, aead) = match record.suite {
        Suite::X25519ChaCha20 => (KemAlgorithm::DhKem25519, AeadAlgorithm::ChaCha20Poly1305),
        Suite::X25519Aes128 => (KemAlgorithm::DhKem25519, AeadAlgorithm::Aes128Gcm),
        Suite::XWingChaCha20 => (KemAlgorithm::XWingDraft06, AeadAlgorithm::ChaCha20Poly1305),
    };
    let suite = RefCell::new(Hpke::<C>::new(
        Mode::Base,
        kem,
        KdfAlgorithm::HkdfSha256,
        aead,
    ));
    let (sk, pk) = (
        HpkePrivateKey::new(record.sk.clone()),
        HpkePublicKey::new(record.pk.clone()),
    );
    record.cases(name, HpkeRs { suite, sk, pk })
}

impl<C: HpkeCrypto + HpkeDefaultPrng + 'static> Peer for HpkeRs<C> {
    fn seal(&self, message: &[u8]) {
        drop(black_box(
            self.suite
                .borrow_mut()
                .seal(&self.pk, b"", b"", message, None, None, None),
        ));
    }

    fn open(&self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        self.suite
            .borrow()
            .open(enc, &self.sk, b"", b"", ct, None, None, None)
            .expect("a message")
    }

    fn set_up(&self, enc: &[u8]) {
        drop(black_box(
            self.suite
                .borrow()
                .setup_receiver(enc, &self.sk, b"", None, None, None),
        ));
    }
}
