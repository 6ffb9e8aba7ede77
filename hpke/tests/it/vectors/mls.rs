//! The MLS working group's HPKE vectors (RFC 9420, section 5.1.3), in all seven cipher suites.

use pqseal_hpke::{KEMS, Mode, Policy, Suite, SuiteId};
use test_vectors::MlsVector;

/// KEM, KDF and AEAD of cipher suite 1 and those after it (RFC 9420, section 17.1).
const SUITES: [(u16, u16, u16); 7] = [
    (0x0020, 0x0001, 0x0001),
    (0x0010, 0x0001, 0x0001),
    (0x0020, 0x0001, 0x0003),
    (0x0021, 0x0003, 0x0002),
    (0x0012, 0x0003, 0x0002),
    (0x0021, 0x0003, 0x0003),
    (0x0011, 0x0002, 0x0002),
];

fn check(vector: &MlsVector, (kem, kdf, aead): (u16, u16, u16)) {
    let id = SuiteId::new(kem, kdf, aead);
    let suite = Suite::from_id(&[KEMS], id, &Policy::draft()).unwrap();
    let sk_r = suite.private_key(&vector.sk_r).unwrap();
    assert_eq!(sk_r.public_key().unwrap().as_ref(), vector.pk_r);
    let open = |info: &[u8], ct: &[u8]| suite.open(&vector.enc, &sk_r, info, Mode::Base, b"", ct);
    assert_eq!(open(&vector.info(), &vector.ct).unwrap(), vector.pt);
    assert!(open(&vector.context, &vector.ct).is_err());
}

#[test]
fn mls_cipher_suites() {
    let vectors = test_vectors::mls().entries;
    let suites: Vec<_> = vectors.iter().map(|vector| vector.cipher_suite).collect();
    assert_eq!(suites, [1, 2, 3, 4, 5, 6, 7]);
    for (vector, suite) in vectors.iter().zip(SUITES) {
        check(vector, suite);
    }
}
