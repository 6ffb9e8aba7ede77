//! Fingerprints against hashes computed by other programs.

use pqseal_keys::{Fingerprint, read_public};

use crate::common::{self, kem, pair};

/// The key of the published blobs. Its hash is Python's
/// `hashlib.sha256(b"pqseal key id" + b"\x00\x20" + base64.b64decode(KEY)).hexdigest()`.
const KEY: &str = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=";
const HASH: &str = "5415100940c68e6912b10fcdee9353ea08688aba3077e39a0792875a15f790fe";

#[test]
fn known_answer() {
    let fingerprint = Fingerprint::of(&read_public(KEY, None).unwrap());
    assert_eq!(fingerprint.to_string(), HASH);
    assert_eq!(fingerprint.key_id().to_string(), HASH[..16]);
    assert_eq!(fingerprint.as_ref()[..8], *fingerprint.key_id().as_ref());
}

/// The P-256 key of RFC 7517, appendix A.1; its KEM's id is hashed before it, in Python
/// `b"\x00\x10"`.
#[test]
fn the_kem_id_is_hashed() {
    let jwk = r#"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}"#;
    let fingerprint = Fingerprint::of(&read_public(jwk, None).unwrap());
    assert_eq!(
        fingerprint.to_string(),
        "3b55986c76c0f20c4d7c082e0f7902a610269d65b3fb380ced7d5d3e841f58f2"
    );
}

#[test]
fn every_key_has_its_own() {
    let fingerprints: Vec<_> = common::pairs()
        .map(|key| Fingerprint::of(&key.public).to_string())
        .collect();
    for (place, fingerprint) in fingerprints.iter().enumerate() {
        assert!(!fingerprints[..place].contains(fingerprint));
    }
    let [a, b] = [1, 2].map(|number| Fingerprint::of(&pair(kem("x25519"), number).public));
    assert_ne!(a, b);
    assert_ne!(a.key_id(), b.key_id());
}

#[test]
fn a_clamped_private_key_has_the_same_fingerprint() {
    let raw = [0xff; 32];
    let mut clamped = raw;
    clamped[0] &= 248;
    clamped[31] = clamped[31] & 127 | 64;
    let [a, b] = [raw, clamped].map(|bytes| {
        let key = kem("x25519").deserialize_private_key(&bytes).unwrap();
        Fingerprint::of(&pqseal_keys::public_key(&key).unwrap())
    });
    assert_eq!(a, b);
}
