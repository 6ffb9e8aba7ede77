//! Wycheproof on the primitives as HPKE uses them. Where HPKE asks for less freedom than Wycheproof
//! leaves, HPKE decides.

use pqseal_hpke::{
    Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Error, HkdfSha256, HkdfSha384, HkdfSha512, TwoStage,
    aead::Sealing,
    dhkem::{Group, P256, P384, P521, X448, X25519},
};
use test_vectors::{
    AeadVector, Cipher, Curve, DhVector, Hash, Verdict, wycheproof_aead, wycheproof_dh,
    wycheproof_hkdf,
};

/// The results of a set. If a number changes, the behaviour or the set has changed.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    right: usize,
    refused: usize,
}

fn diffie_hellman<G: Group>(
    curve: Curve,
    expected: fn(&DhVector) -> Result<&[u8], Error>,
) -> Counts {
    let mut counts = Counts::default();
    for test in wycheproof_dh(curve).entries {
        let scalar = G::scalar(&test.private).unwrap();
        let shared = G::point(&test.public).and_then(|point| G::dh(&scalar, &point));
        let precomputed = G::point(&test.public).and_then(|mut point| {
            G::precompute(&mut point);
            G::dh(&scalar, &point)
        });
        for shared in [&shared, &precomputed] {
            let shared = shared.as_ref().map(AsRef::as_ref).map_err(|error| *error);
            assert_eq!(
                shared,
                expected(&test),
                "{curve:?} {}: {}",
                test.id,
                test.comment
            );
        }
        *(if shared.is_ok() {
            &mut counts.right
        } else {
            &mut counts.refused
        }) += 1;
    }
    counts
}

/// RFC 9180, section 7.1.4: a zero shared secret is refused. Twist and non-canonical points work.
fn montgomery(test: &DhVector) -> Result<&[u8], Error> {
    match test.result {
        Verdict::Invalid => Err(Error::Deserialize),
        _ if test.shared.iter().all(|byte| *byte == 0) => Err(Error::Validation),
        _ => Ok(&test.shared),
    }
}

/// Npk is that of the uncompressed form, so the compressed one is no public key.
fn nist(test: &DhVector) -> Result<&[u8], Error> {
    let compressed = test.flags.iter().any(|flag| flag == "CompressedPoint");
    if compressed || test.result == Verdict::Invalid {
        Err(Error::Deserialize)
    } else {
        Ok(&test.shared)
    }
}

#[test]
fn x25519_refuses_zero_and_gives_every_other_secret() {
    assert_eq!(
        diffie_hellman::<X25519>(Curve::X25519, montgomery),
        Counts {
            right: 487,
            refused: 31
        }
    );
}

#[test]
fn x448_refuses_zero_and_gives_every_other_secret() {
    assert_eq!(
        diffie_hellman::<X448>(Curve::X448, montgomery),
        Counts {
            right: 487,
            refused: 11 + 12
        }
    );
}

#[test]
fn p256_takes_uncompressed_points_of_the_curve_alone() {
    assert_eq!(
        diffie_hellman::<P256>(Curve::P256, nist),
        Counts {
            right: 330,
            refused: 25
        }
    );
}

#[test]
fn p384_takes_uncompressed_points_of_the_curve_alone() {
    assert_eq!(
        diffie_hellman::<P384>(Curve::P384, nist),
        Counts {
            right: 771,
            refused: 19
        }
    );
}

#[test]
fn p521_takes_uncompressed_points_of_the_curve_alone() {
    assert_eq!(
        diffie_hellman::<P521>(Curve::P521, nist),
        Counts {
            right: 632,
            refused: 29
        }
    );
}

fn seal_and_open<A: Sealing>(aead: &A, test: &AeadVector, counts: &mut Counts) {
    let why = format!("{} {}: {}", aead.info().name, test.id, test.comment);
    let key = aead.key(&test.key).unwrap();
    let (nonce, tag) = (
        test.nonce[..].try_into().unwrap(),
        test.tag[..].try_into().unwrap(),
    );
    let mut message = test.ct.clone();
    let opened = A::open_in_place(&key, &nonce, &test.aad, &mut message, &tag);
    let sealed = [&test.ct[..], &tag].concat();
    let expected = opened.map(|()| test.pt.clone());
    assert_eq!(A::open(&key, &nonce, &test.aad, &sealed), expected, "{why}");
    if test.result == Verdict::Invalid {
        assert_eq!(opened, Err(Error::Open), "{why}");
        assert!(
            message.iter().all(|byte| *byte == 0),
            "{why}: no unauthenticated plaintext"
        );
        counts.refused += 1;
        return;
    }
    assert_eq!((opened, &message), (Ok(()), &test.pt), "{why}");
    assert_eq!(
        A::seal_in_place(&key, &nonce, &test.aad, &mut message),
        Ok(tag),
        "{why}"
    );
    assert_eq!(message, test.ct, "{why}");
    assert_eq!(
        A::seal(&key, &nonce, &test.aad, &test.pt),
        Ok(sealed),
        "{why}"
    );
    counts.right += 1;
}

#[test]
fn aes_gcm_of_both_key_lengths() {
    let (mut aes_128, mut aes_256) = (Counts::default(), Counts::default());
    for test in wycheproof_aead(Cipher::AesGcm).entries {
        match test.key.len() {
            16 => seal_and_open(&Aes128Gcm, &test, &mut aes_128),
            _ => seal_and_open(&Aes256Gcm, &test, &mut aes_256),
        }
    }
    assert_eq!(
        (aes_128, aes_256),
        (
            Counts {
                right: 40,
                refused: 27
            },
            Counts {
                right: 39,
                refused: 27
            }
        )
    );
}

#[test]
fn chacha20_poly1305() {
    let mut counts = Counts::default();
    for test in wycheproof_aead(Cipher::ChaCha20Poly1305).entries {
        seal_and_open(&ChaCha20Poly1305, &test, &mut counts);
    }
    assert_eq!(
        counts,
        Counts {
            right: 256,
            refused: 60
        }
    );
}

/// The ikm goes in whole and in parts, which must not matter.
fn hkdf<D: TwoStage>(kdf: &D, hash: Hash) -> Counts {
    let mut counts = Counts::default();
    for test in wycheproof_hkdf(hash).entries {
        let (head, tail) = test.ikm.split_at(test.ikm.len() / 2);
        for ikm in [&[&test.ikm[..]][..], &[head, tail]] {
            let mut okm = vec![0; test.size];
            let result = kdf.expand(
                &kdf.prk(kdf.extract(&test.salt, ikm).as_ref()).unwrap(),
                &[&test.info],
                &mut okm,
            );
            match test.result {
                Verdict::Invalid => assert_eq!(
                    result,
                    Err(Error::ExportTooLong),
                    "{}: {}",
                    test.id,
                    test.comment
                ),
                _ => assert_eq!(
                    (result, &okm),
                    (Ok(()), &test.okm),
                    "{}: {}",
                    test.id,
                    test.comment
                ),
            }
        }
        *(if test.result == Verdict::Invalid {
            &mut counts.refused
        } else {
            &mut counts.right
        }) += 1;
    }
    counts
}

#[test]
fn hkdf_of_every_hash() {
    assert_eq!(
        hkdf(&HkdfSha256, Hash::Sha256),
        Counts {
            right: 83,
            refused: 3
        }
    );
    assert_eq!(
        hkdf(&HkdfSha384, Hash::Sha384),
        Counts {
            right: 80,
            refused: 3
        }
    );
    assert_eq!(
        hkdf(&HkdfSha512, Hash::Sha512),
        Counts {
            right: 80,
            refused: 3
        }
    );
}
