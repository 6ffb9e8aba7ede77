//! X-Wing, which is MLKEM768-X25519: the draft's own vectors, and the other dialect of its
//! DeriveKeyPair.

use data_encoding::HEXLOWER;
use pqseal_hpke::Kem;
use pqseal_kem_pq::MlKem768X25519;
use test_vectors::{XWingVector, sha256};

#[test]
fn the_three_vectors_of_the_x_wing_draft_are_reproduced() {
    let tests = test_vectors::x_wing().entries;
    tests.iter().for_each(check);
    assert_eq!(tests.len(), 3);
}

fn check(test: &XWingVector) {
    let sk = MlKem768X25519.deserialize_private_key(&test.sk).unwrap();
    let pk = MlKem768X25519.public_key(&sk).unwrap();
    assert_eq!(pk.as_ref(), test.pk);
    let mut precomputed = pk.clone();
    MlKem768X25519.precompute(&mut precomputed);
    for pk in [pk, precomputed] {
        let (secret, enc) = MlKem768X25519.encap(&pk, &test.eseed).unwrap();
        assert_eq!((secret.as_ref(), &enc), (&test.ss[..], &test.ct));
    }
    assert_eq!(
        MlKem768X25519.decap(&test.ct, &sk).unwrap().as_ref(),
        test.ss
    );
}

/// Keys of CIRCL 1.6.5 (`hpke.KEM_XWING.Scheme().DeriveKeyPair`) from the ikm 00 01 02... of some
/// lengths: the private key, and the SHA-256 of the public key.
const CIRCL: [(u8, &str, &str); 3] = [
    (
        32,
        "69f07c8840ce80024db30939882c3d5bbc9c98b3e31e4513ebd2ca9b4503cdd3",
        "e735f8e75ba7883aae5d6456ae03c14086b769d73502147370f2963b397e4d4a",
    ),
    (
        33,
        "4dafeb9dc9ce2ad3afe9395090f66fd3e33b2198adf6ff92b27ba6c495fda703",
        "72fa714f244dddb303150cc3e61ded8cba298159371d6adab78bee5d08458a58",
    ),
    (
        64,
        "755e8863a2b2bc067f51c1637a71c819d524dc37c17ba7a29c6ee3767c996a49",
        "534ca24d8d6e01bddf462876d102b0e734e9f4c308e02c45d142231b31be16fc",
    ),
];

#[test]
fn the_unlabeled_dialect_derives_the_keys_of_circl() {
    for (len, private, public) in CIRCL {
        let ikm: Vec<u8> = (0..len).collect();
        let (sk, pk) = MlKem768X25519.derive_key_pair_unlabeled(&ikm).unwrap();
        assert_eq!(
            HEXLOWER.encode(MlKem768X25519.serialize_private_key(&sk).unwrap().as_ref()),
            private
        );
        assert_eq!(HEXLOWER.encode(&sha256(pk.as_ref())), public);
    }
}
