//! The vectors of RFC 9180 for the suites of MLS, through the calls that openmls makes.

use mls_provider::Crypto;
use openmls_rust_crypto::OpenMlsRustCrypto;
use openmls_traits::{
    OpenMlsProvider,
    crypto::OpenMlsCrypto,
    types::{Ciphersuite, HpkeAeadType, HpkeCiphertext, HpkeConfig, HpkeKdfType, HpkeKemType},
};
use test_vectors::HpkeVector;

/// The suites of RFC 9420, section 17.1, that openmls names and RFC 9180 has vectors for.
const SUITES: [Ciphersuite; 4] = [
    Ciphersuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519,
    Ciphersuite::MLS_128_DHKEMP256_AES128GCM_SHA256_P256,
    Ciphersuite::MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519,
    Ciphersuite::MLS_256_DHKEMP521_AES256GCM_SHA512_P521,
];

fn config(suite: Ciphersuite) -> HpkeConfig {
    HpkeConfig(
        suite.hpke_kem_algorithm(),
        suite.hpke_kdf_algorithm(),
        suite.hpke_aead_algorithm(),
    )
}

fn is_for(vector: &HpkeVector, suite: Ciphersuite) -> bool {
    let HpkeConfig(kem, kdf, aead) = config(suite);
    let ids = (vector.kem_id, vector.kdf_id, vector.aead_id);
    vector.mode == 0 && ids == (kem as u16, kdf as u16, aead as u16)
}

/// Checks the key pair, the first message and every export. Returns the number of compared values.
fn check(vector: &HpkeVector, suite: Ciphersuite) -> usize {
    let crypto = Crypto::default();
    let pair = crypto.derive_hpke_keypair(config(suite), &vector.ikm_r);
    let pair = pair.unwrap();
    assert_eq!(pair.public, vector.pk_r);
    assert_eq!(*pair.private, *vector.sk_r);

    let first = &vector.encryptions[0];
    let sealed = HpkeCiphertext {
        kem_output: vector.enc.clone().into(),
        ciphertext: first.ct.clone().into(),
    };
    let open =
        |info: &[u8]| crypto.hpke_open(config(suite), &sealed, &pair.private, info, &first.aad);
    assert_eq!(open(&vector.info).unwrap(), first.pt);
    assert!(open(b"other").is_err());
    for export in &vector.exports {
        let secret = crypto.hpke_setup_receiver_and_export(
            config(suite),
            &vector.enc,
            &pair.private,
            &vector.info,
            &export.exporter_context,
            export.length,
        );
        assert_eq!(*secret.unwrap(), *export.exported_value);
    }
    3 + vector.exports.len()
}

#[test]
fn rfc_9180() {
    let vectors = test_vectors::rfc9180().entries;
    let mut compared = 0;
    for suite in SUITES {
        let of_suite: Vec<_> = vectors.iter().filter(|one| is_for(one, suite)).collect();
        assert_eq!(of_suite.len(), 1, "{suite}");
        compared += check(of_suite[0], suite);
    }
    assert_eq!(compared, 24);
}

/// DeriveKeyPair of the post-quantum KEMs follows draft-ietf-hpke-pq, unlike that of hpke-rs.
#[test]
fn draft_ietf_hpke_pq() {
    let theirs = OpenMlsRustCrypto::default();
    let mut compared = 0;
    for vector in test_vectors::hpke_pq().entries {
        let kem = match vector.kem_id {
            0x0041 => HpkeKemType::MlKem768,
            0x0042 => HpkeKemType::MlKem1024,
            0x647a => HpkeKemType::XWingKemDraft6,
            _ => continue,
        };
        let config = || HpkeConfig(kem, HpkeKdfType::HkdfSha256, HpkeAeadType::AesGcm128);
        let ours = Crypto::default().derive_hpke_keypair(config(), &vector.ikm_r);
        assert_eq!(ours.unwrap().public, vector.pk_r);
        let theirs = theirs.crypto().derive_hpke_keypair(config(), &vector.ikm_r);
        assert!(theirs.is_err() || theirs.is_ok_and(|pair| pair.public != vector.pk_r));
        compared += 1;
    }
    assert_eq!(compared, 5);
}

/// The MLS working group's vectors, one message in each cipher suite of RFC 9420. The two with X448
/// are in `hpke/tests/it/vectors/mls.rs`: this crate builds without it, as `openmls_rust_crypto`
/// does.
#[test]
fn mls_working_group() {
    let mut vectors = test_vectors::mls().entries;
    vectors.retain(|vector| ![4, 6].contains(&vector.cipher_suite));
    for vector in &vectors {
        let suite = Ciphersuite::try_from(vector.cipher_suite).unwrap();
        let sealed = HpkeCiphertext {
            kem_output: vector.enc.clone().into(),
            ciphertext: vector.ct.clone().into(),
        };
        let open = |info: &[u8]| {
            Crypto::default().hpke_open(config(suite), &sealed, &vector.sk_r, info, b"")
        };
        assert_eq!(open(&vector.info()).unwrap(), vector.pt, "{suite}");
        assert!(open(b"other").is_err(), "{suite}");
    }
    assert_eq!(vectors.len(), 5);
}

#[test]
fn what_is_wrong_is_an_error() {
    let crypto = Crypto::default();
    for suite in crypto.supported_ciphersuites() {
        let pair = crypto.derive_hpke_keypair(config(suite), &[7; 64]).unwrap();
        let sealed = crypto.hpke_seal(config(suite), &pair.public, b"", b"a", b"secret");
        let mut sealed = sealed.unwrap();
        let open = |sealed: &HpkeCiphertext, key: &[u8], aad: &[u8]| {
            crypto.hpke_open(config(suite), sealed, key, b"", aad)
        };
        assert_eq!(open(&sealed, &pair.private, b"a").unwrap(), b"secret");
        assert!(open(&sealed, &pair.private, b"b").is_err());
        assert!(open(&sealed, b"short", b"a").is_err());
        let short = crypto.hpke_seal(config(suite), &pair.public[1..], b"", b"", b"");
        assert!(short.is_err());
        sealed.kem_output = Vec::new().into();
        assert!(open(&sealed, &pair.private, b"a").is_err());
    }
    let x448 = Ciphersuite::MLS_256_DHKEMX448_AES256GCM_SHA512_Ed448;
    assert!(crypto.supports(x448).is_err());
}
