//! X25519 and X448: which points are refused, which have two forms, and what becomes of clamping.

use pqseal_hpke::{
    Aes128Gcm, Error, HPKE_V1, HkdfSha256, Kem, Mode, Psk, Suite, X448HkdfSha512, X25519HkdfSha256,
    dhkem::{Group, X448, X25519, extract_and_expand},
};
use test_vectors::{Curve, wycheproof_dh};

use crate::common::Replay;

/// The points whose product is zero, zero itself among them.
fn low_order(curve: Curve) -> Vec<Vec<u8>> {
    let tests = wycheproof_dh(curve).entries.into_iter();
    let zero =
        tests.filter(|test| test.shared.iter().all(|byte| *byte == 0) && !test.shared.is_empty());
    let mut points: Vec<_> = zero.map(|test| test.public).collect();
    points.push(vec![0; points[0].len()]);
    points.sort();
    points.dedup();
    points
}

/// Checks low-order points as `pkR`, `enc` and `pkS`, in every mode (RFC 9180, section 7.1.4).
fn refuses_low_order<K: Kem>(kem: &'static K, points: &[Vec<u8>]) {
    let suite = Suite::new(kem, &HkdfSha256, &Aes128Gcm);
    let (sk, pk) = kem.derive_key_pair(&[1; 56]).unwrap();
    let randomness = vec![2; kem.info().n_random];
    let (good_enc, _) = suite
        .setup_s(&pk, b"", Mode::Base, &mut Replay(&randomness))
        .unwrap();
    let psk = Psk::new(&[1; 32], b"id").unwrap();
    for point in points {
        let low = kem.deserialize_public_key(point).unwrap();
        let mut precomputed = low.clone();
        kem.precompute(&mut precomputed);
        for mode in [
            Mode::Base,
            Mode::Psk(psk),
            Mode::Auth(&sk),
            Mode::AuthPsk(&sk, psk),
        ] {
            for low in [&low, &precomputed] {
                let sent = suite.setup_s(low, b"", mode, &mut Replay(&randomness));
                assert_eq!(sent.err(), Some(Error::Validation), "pkR {point:02x?}");
            }
        }
        for mode in [
            Mode::Base,
            Mode::Psk(psk),
            Mode::Auth(&pk),
            Mode::AuthPsk(&pk, psk),
        ] {
            assert_eq!(
                suite.setup_r(point, &sk, b"", mode).err(),
                Some(Error::Validation),
                "enc {point:02x?}"
            );
        }
        for mode in [Mode::Auth(&low), Mode::AuthPsk(&low, psk)] {
            let received = suite.setup_r(good_enc.as_ref(), &sk, b"", mode);
            assert_eq!(received.err(), Some(Error::Validation), "pkS {point:02x?}");
        }
    }
}

#[test]
fn low_order_points_of_x25519_are_refused_everywhere() {
    let points = low_order(Curve::X25519);
    assert_eq!(points.len(), 14);
    refuses_low_order(&X25519HkdfSha256, &points);
}

#[test]
fn low_order_points_of_x448_are_refused_everywhere() {
    let points = low_order(Curve::X448);
    assert_eq!(points.len(), 5);
    refuses_low_order(&X448HkdfSha512, &points);
}

/// The base point of X25519, u = 9.
const BASE_25519: [u8; 32] = point(9, 0, 0);
/// The same point as 9 + p = 2^255 - 10: not canonical, accepted as RFC 7748, section 5 asks.
const PLUS_P_25519: [u8; 32] = point(0xf6, 0xff, 0x7f);
/// The same point with bit 255 set, which the multiplication ignores.
const BIT_255: [u8; 32] = point(9, 0, 0x80);
/// The base point of X448, u = 5.
const BASE_448: [u8; 56] = point(5, 0, 0);

/// The same point as 5 + p = 2^448 - 2^224 + 4.
fn plus_p_448() -> [u8; 56] {
    let mut form = point(4, 0xff, 0xff);
    form[1..28].fill(0);
    form
}

/// A point by its first byte, those between, and its last.
const fn point<const N: usize>(first: u8, between: u8, last: u8) -> [u8; N] {
    let mut point = [between; N];
    point[0] = first;
    point[N - 1] = last;
    point
}

#[test]
fn two_forms_of_a_point_have_one_diffie_hellman_value() {
    fn same<G: Group>(form: &[u8], canonical: &[u8]) {
        let sk = G::scalar(&vec![7; G::N_SK]).unwrap();
        let dh = |point| G::dh(&sk, &G::point(point).unwrap()).unwrap();
        assert_eq!(dh(form), dh(canonical));
    }
    same::<X25519>(&PLUS_P_25519, &BASE_25519);
    same::<X25519>(&BIT_255, &BASE_25519);
    same::<X448>(&plus_p_448(), &BASE_448);
}

/// Both forms give the same Diffie-Hellman value. But `kem_context` contains `enc` as received, so
/// the result depends on its form.
#[test]
fn two_forms_of_a_point_have_two_shared_secrets() {
    fn differ<K: Kem>(kem: &K, form: &[u8], canonical: &[u8]) {
        let (sk, _) = kem.derive_key_pair(&[1; 56]).unwrap();
        assert_ne!(
            kem.decap(form, &sk).unwrap(),
            kem.decap(canonical, &sk).unwrap()
        );
        assert_eq!(
            kem.deserialize_public_key(form).unwrap().as_ref(),
            form,
            "a public key keeps its form"
        );
    }
    differ(&X25519HkdfSha256, &PLUS_P_25519, &BASE_25519);
    differ(&X25519HkdfSha256, &BIT_255, &BASE_25519);
    differ(&X448HkdfSha512, &plus_p_448(), &BASE_448);
}

/// The exact value, so that nothing normalises `enc` on the way: extract and expand of the
/// canonical point's Diffie-Hellman value and the bytes as they came.
#[test]
fn the_kem_context_has_enc_as_it_came() {
    let (sk, pk) = X25519HkdfSha256.derive_key_pair(&[1; 32]).unwrap();
    let sk_bytes = X25519HkdfSha256.serialize_private_key(&sk).unwrap();
    let dh = X25519::dh(
        &X25519::scalar(sk_bytes.as_ref()).unwrap(),
        &X25519::point(&BASE_25519).unwrap(),
    )
    .unwrap();
    for form in [&BASE_25519, &PLUS_P_25519, &BIT_255] {
        let context: [&[u8]; 3] = [form, pk.as_ref(), b""];
        let expected = extract_and_expand(
            &HkdfSha256,
            0x0020,
            HPKE_V1,
            [dh.as_ref(), b""],
            context,
            32,
        )
        .unwrap();
        assert_eq!(
            X25519HkdfSha256.decap(form, &sk).unwrap(),
            expected,
            "{form:02x?}"
        );
    }
}

/// Clamping belongs to the multiplication: both forms are one key, and each comes out as it went
/// in.
#[test]
fn a_clamped_private_key_and_its_unclamped_form_are_one_key() {
    fn one_key<K: Kem>(kem: &K, clamped: &[u8], unclamped: &[u8]) {
        assert_ne!(clamped, unclamped);
        let (sender_sk, sender_pk) = kem.derive_key_pair(&[1; 56]).unwrap();
        let keys = [clamped, unclamped].map(|bytes| kem.deserialize_private_key(bytes).unwrap());
        let publics = keys
            .each_ref()
            .map(|sk| kem.public_key(sk).unwrap().as_ref().to_vec());
        assert_eq!(publics[0], publics[1]);
        let secrets = keys
            .each_ref()
            .map(|sk| kem.auth_decap(sender_pk.as_ref(), sk, &sender_pk).unwrap());
        assert_eq!(secrets[0], secrets[1]);
        let randomness = vec![2; kem.info().n_random];
        let sent = keys
            .each_ref()
            .map(|sk| kem.auth_encap(&sender_pk, sk, &randomness).unwrap());
        assert_eq!(sent[0].0, sent[1].0);
        assert_eq!(
            kem.auth_decap(
                sent[0].1.as_ref(),
                &sender_sk,
                &kem.public_key(&keys[1]).unwrap()
            )
            .unwrap(),
            sent[0].0
        );
        for (sk, bytes) in keys.iter().zip([clamped, unclamped]) {
            assert_eq!(kem.serialize_private_key(sk).unwrap().as_ref(), bytes);
        }
    }
    // X25519 clears the low three bits and bit 255 and sets bit 254; X448 clears the low two and
    // sets the highest.
    one_key(
        &X25519HkdfSha256,
        &point::<32>(0xa0, 0x5a, 0x65),
        &point::<32>(0xa7, 0x5a, 0xa5),
    );
    one_key(
        &X448HkdfSha512,
        &point::<56>(0xa4, 0x5a, 0xa5),
        &point::<56>(0xa7, 0x5a, 0x25),
    );
}
