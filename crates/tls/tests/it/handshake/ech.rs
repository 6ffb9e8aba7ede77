//! Encrypted Client Hello: a rustls client with our configurations and suites. The server is Go's,
//! in `live`.

use pqseal_hpke::SuiteId;
use pqseal_tls::{
    ech::{self, EchError, EchKey},
    groups,
};
use rustls::{
    ClientConnection,
    client::{EchConfig, EchMode},
    pki_types::EchConfigListBytes,
};

use super::memory::{INNER, Identity, PUBLIC};

/// The suite of X-Wing, HKDF-SHA256 and AES-128-GCM.
const X_WING: SuiteId = SuiteId::new(0x647a, 1, 1);

fn mode(key: &EchKey) -> EchMode {
    let list = EchConfigListBytes::from(key.config_list());
    EchMode::from(EchConfig::new(list, &ech::SUITES).unwrap())
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

/// rustls parses the configuration, finds the suite, and hides the inner name.
#[test]
fn a_client_hides_the_name_with_every_kem() {
    for kem in ech::kems() {
        let id = kem.info().id;
        let key = EchKey::generate(7, PUBLIC, &[SuiteId::new(id, 1, 1)]).unwrap();
        assert_eq!(key.public_key.len(), kem.info().n_pk);
        let client = Identity::get().client_with_ech(&[&groups::X25519MLKEM768], mode(&key));
        let mut client = ClientConnection::new(client, INNER.try_into().unwrap()).unwrap();
        let mut hello = Vec::new();
        client.write_tls(&mut hello).unwrap();
        assert!(contains(&hello, PUBLIC), "{}", kem.info().name);
        assert!(!contains(&hello, INNER), "{}", kem.info().name);
    }
}

#[test]
fn the_suites_are_those_of_every_kem_kdf_and_cipher() {
    assert_eq!(
        ech::SUITES.len(),
        ech::kems().count() * pqseal_hpke::KDFS.len() * 3
    );
    assert!(ech::kems().any(|kem| kem.info().short_name == "mlkem768-x25519"));
    assert!(ech::kems().all(|kem| kem.info().id != 0x0030));
}

/// Compares the bytes with RFC 9849, section 4, field by field.
#[test]
fn a_configuration_is_laid_out_as_the_standard_says() {
    let suites = [X_WING, SuiteId::new(0x647a, 1, 3)];
    let key = EchKey::generate(0x2a, "a.example", &suites).unwrap();
    let contents = [
        &[0x2a, 0x64, 0x7a, 0x04, 0xc0][..],
        &key.public_key,
        &[0, 8, 0, 1, 0, 1, 0, 1, 0, 3],
        &[0, 9],
        b"a.example",
        &[0, 0],
    ]
    .concat();
    let length = u16::try_from(contents.len()).unwrap().to_be_bytes();
    assert_eq!(key.config, [&[0xfe, 0x0d], &length[..], &contents].concat());
    assert_eq!(key.private_key.as_ref().len(), 32);
}

#[test]
fn what_cannot_be_a_configuration_is_refused() {
    for name in [
        "",
        "a..b",
        "-a.example",
        "192.0.2.1",
        "a b",
        "name.0x1f",
        "name.0X1F",
        &"a".repeat(64),
    ] {
        let refused = EchKey::generate(0, name, &[X_WING]).unwrap_err();
        assert_eq!(refused, EchError::PublicName(name.into()));
    }
    // Export-only, the expired draft.
    for id in [SuiteId::new(0x0020, 1, 0xffff), SuiteId::new(0x0030, 1, 1)] {
        assert_eq!(
            EchKey::generate(0, PUBLIC, &[id]).unwrap_err(),
            EchError::Unsupported(id)
        );
    }
    // None, another KEM than the first, one suite twice.
    for suites in [
        &[][..],
        &[X_WING, SuiteId::new(0x0020, 1, 1)],
        &[X_WING, X_WING],
    ] {
        let refused = EchKey::generate(0, PUBLIC, suites).unwrap_err();
        assert_eq!(refused, EchError::Suites);
    }
}
