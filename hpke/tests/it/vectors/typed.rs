//! The typed suites for the ids of a vector: every KEM with every KDF and AEAD.

use pqseal_hpke::{
    Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, ExportOnly, HkdfSha256, HkdfSha384, HkdfSha512, Kdf,
    Kem, P256HkdfSha256, P384HkdfSha384, P521HkdfSha512, Shake128, Shake256, Suite, TurboShake128,
    TurboShake256, X448HkdfSha512, X25519HkdfSha256,
};
use test_vectors::HpkeVector;

use super::{exporting, sealing};

pub(crate) fn check(v: &HpkeVector) {
    match v.kem_id {
        0x0010 => with_kem(&P256HkdfSha256, v),
        0x0011 => with_kem(&P384HkdfSha384, v),
        0x0012 => with_kem(&P521HkdfSha512, v),
        0x0020 => with_kem(&X25519HkdfSha256, v),
        0x0021 => with_kem(&X448HkdfSha512, v),
        other => panic!("KEM {other:#06x} has no type here"),
    }
}

fn with_kem<K: Kem>(kem: &'static K, v: &HpkeVector) {
    match v.kdf_id {
        0x0001 => with_kdf(kem, &HkdfSha256, v),
        0x0002 => with_kdf(kem, &HkdfSha384, v),
        0x0003 => with_kdf(kem, &HkdfSha512, v),
        0x0010 => with_kdf(kem, &Shake128, v),
        0x0011 => with_kdf(kem, &Shake256, v),
        0x0012 => with_kdf(kem, &TurboShake128, v),
        0x0013 => with_kdf(kem, &TurboShake256, v),
        other => panic!("KDF {other:#06x} has no type here"),
    }
}

fn with_kdf<K: Kem, D: Kdf>(kem: &'static K, kdf: &'static D, v: &HpkeVector) {
    match v.aead_id {
        0x0001 => sealing(&Suite::new(kem, kdf, &Aes128Gcm), v),
        0x0002 => sealing(&Suite::new(kem, kdf, &Aes256Gcm), v),
        0x0003 => sealing(&Suite::new(kem, kdf, &ChaCha20Poly1305), v),
        0xFFFF => exporting(&Suite::new(kem, kdf, &ExportOnly), v),
        other => panic!("AEAD {other:#06x} has no type here"),
    }
}
