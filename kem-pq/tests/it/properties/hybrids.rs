//! The classical halves of the hybrids and of X25519Kyber768Draft00: invalid points and scalars.

use pqseal_hpke::{DynKem, Error, Kem};
use pqseal_kem_pq::{MlKem768P256, MlKem768X25519, MlKem1024P384, X25519Kyber768Draft00};
use test_vectors::{Curve, wycheproof_dh};

/// Returns the u coordinates that X25519 maps to zero with any scalar: those of Wycheproof.
fn low_order() -> Vec<Vec<u8>> {
    let tests = wycheproof_dh(Curve::X25519).entries.into_iter();
    let zero = tests.filter(|test| test.flags.iter().any(|flag| flag == "ZeroSharedSecret"));
    let mut points: Vec<Vec<u8>> = zero.map(|test| test.public).collect();
    points.sort();
    points.dedup();
    points
}

#[test]
fn a_low_order_x25519_half_is_refused_in_a_ciphertext_and_in_a_public_key() {
    let points = low_order();
    for point in &points {
        // X25519 is last in X-Wing, and first in the older hybrid.
        refuses(&MlKem768X25519, 1184, 1088, point);
        refuses(&X25519Kyber768Draft00, 0, 0, point);
    }
    assert_eq!(points.len(), 14);
}

fn refuses<K: Kem>(kem: &K, at_in_pk: usize, at_in_enc: usize, point: &[u8]) {
    let (sk, pk) = kem.derive_key_pair(&[1; 32]).unwrap();
    let randomness = vec![2; kem.info().n_random];
    let mut enc = kem.encap(&pk, &randomness).unwrap().1.as_ref().to_vec();
    enc[at_in_enc..][..32].copy_from_slice(point);
    assert_eq!(
        kem.decap(&enc, &sk).unwrap_err(),
        Error::Validation,
        "{}",
        kem.info().name
    );
    let mut bytes = pk.as_ref().to_vec();
    bytes[at_in_pk..][..32].copy_from_slice(point);
    let sealed = kem
        .deserialize_public_key(&bytes)
        .and_then(|pk| kem.encap(&pk, &randomness));
    assert_eq!(sealed.err(), Some(Error::Validation), "{}", kem.info().name);
}

#[test]
fn a_point_that_is_not_on_its_curve_or_not_uncompressed_is_refused() {
    check_points(pqseal_kem_pq::KEMS[1], 65);
    check_points(pqseal_kem_pq::KEMS[2], 97);
}

fn check_points(kem: &DynKem, n_point: usize) {
    let (sk, pk) = kem.derive_key_pair(&[1; 32]).unwrap();
    let (_, enc) = kem.encap(&pk, &vec![2; kem.info().n_random]).unwrap();
    for altered in with_bad_points(pk.as_ref(), n_point) {
        assert_eq!(
            kem.deserialize_public_key(&altered).unwrap_err(),
            Error::Deserialize,
            "{}",
            kem.info().name
        );
    }
    for altered in with_bad_points(&enc, n_point) {
        assert_eq!(
            kem.decap(&altered, &sk).unwrap_err(),
            Error::Deserialize,
            "{}",
            kem.info().name
        );
    }
}

/// Replaces the last `n_point` bytes, an uncompressed point: by one off the curve, by zeros, with
/// the marks of the compressed and hybrid forms, with a coordinate above the prime, compressed, as
/// the one-byte point at infinity.
fn with_bad_points(bytes: &[u8], n_point: usize) -> Vec<Vec<u8>> {
    let (rest, point) = bytes.split_at(bytes.len() - n_point);
    let (x, y) = point[1..].split_at(n_point / 2);
    let mut off_curve = point.to_vec();
    off_curve[n_point - 1] ^= 1;
    let marked = [2, 3, 6, 7].map(|mark| [&[mark][..], x, y].concat());
    let above = [&[4][..], &vec![0xff; x.len()], y].concat();
    let points = [
        off_curve,
        vec![0; n_point],
        above,
        [&[2 + y[y.len() - 1] % 2][..], x].concat(),
        vec![0],
    ];
    points
        .into_iter()
        .chain(marked)
        .map(|point| [rest, &point].concat())
        .collect()
}

#[test]
fn a_candidate_that_is_no_scalar_is_passed_over() {
    let (sk, pk) = MlKem768P256.derive_key_pair(&[1; 32]).unwrap();
    let with = |scalars: [u8; 3]| {
        [
            [7; 32],
            [scalars[0]; 32],
            [scalars[1]; 32],
            [scalars[2]; 32],
        ]
        .concat()
    };
    let (secret, enc) = MlKem768P256.encap(&pk, &with([1, 2, 3])).unwrap();
    assert_eq!(MlKem768P256.decap(&enc, &sk).unwrap(), secret);
    // Zero and all ones are outside 1..n; the first scalar inside is used.
    assert_eq!(
        MlKem768P256.encap(&pk, &with([0, 0xff, 1])).unwrap(),
        (secret, enc)
    );
}

#[test]
fn randomness_without_a_scalar_is_an_error() {
    for outside in [0, 0xff] {
        let (_, pk) = MlKem768P256.derive_key_pair(&[1; 32]).unwrap();
        assert_eq!(
            MlKem768P256.encap(&pk, &[outside; 128]).unwrap_err(),
            Error::Encap
        );
        let (_, pk) = MlKem1024P384.derive_key_pair(&[1; 32]).unwrap();
        assert_eq!(
            MlKem1024P384.encap(&pk, &[outside; 80]).unwrap_err(),
            Error::Encap
        );
    }
}

/// Compares a batch, as large as those computed with SIMD where available, with single
/// encapsulations.
#[test]
fn a_batch_is_one_encapsulation_after_the_other() {
    encapsulates_in_order(&MlKem768X25519);
    encapsulates_in_order(&MlKem768P256);
    encapsulates_in_order(&MlKem1024P384);
}

fn encapsulates_in_order<K: Kem<Enc = Vec<u8>>>(kem: &K) {
    let (_, pk) = kem.derive_key_pair(&[1; 32]).unwrap();
    let random: Vec<_> = (1..=40).map(|i| vec![i; kem.info().n_random]).collect();
    let random: Vec<_> = random.iter().map(Vec::as_slice).collect();
    let (secrets, encs) = kem.encap_batch(&pk, &random).unwrap();
    assert_eq!((secrets.len(), encs.len()), (40, 40));
    for ((random, secret), enc) in random.iter().zip(secrets.iter()).zip(encs) {
        let (expected, text) = kem.encap(&pk, random).unwrap();
        assert_eq!((secret.as_ref().unwrap(), enc), (&expected, text));
    }
    // 1024 and 0 are the product and the difference of the sizes of its halves.
    for len in [0, 31, 32, 63, 65, 1024] {
        let random = vec![1; len];
        let batch = kem.encap_batch(&pk, &[&random[..]; 2]);
        assert_eq!(batch.err(), Some(Error::Encap), "{len}");
    }
}
