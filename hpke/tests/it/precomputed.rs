//! Prepared public keys against plain ones, on both libraries: every kind of point gives the same
//! secret or the same error.

use curve25519_dalek::{constants::EIGHT_TORSION, montgomery::MontgomeryPoint, traits::IsIdentity};
use pqseal_hpke::{
    Error, KEMS, Kem, OneStage, P256HkdfSha256, Shake128, X25519HkdfSha256,
    dhkem::{Dalek, Group, Montgomery, X25519},
};

/// The X25519 that the features choose, and the portable one.
fn same_secret(u: [u8; 32], scalars: &[[u8; 32]]) {
    fn same<G: Group>(u: [u8; 32], scalar: &[u8; 32]) -> Result<Vec<u8>, Error> {
        let (scalar, point) = (G::scalar(scalar).unwrap(), G::point(&u).unwrap());
        let mut precomputed = point.clone();
        G::precompute(&mut precomputed);
        assert_eq!(
            G::point_bytes(&precomputed).as_ref(),
            u,
            "a precomputed point keeps its form"
        );
        let secret = G::dh(&scalar, &point);
        assert_eq!(G::dh(&scalar, &precomputed), secret, "{u:02x?}");
        secret.map(|secret| secret.as_ref().to_vec())
    }
    for scalar in scalars {
        assert_eq!(
            same::<X25519>(u, scalar),
            same::<Montgomery<Dalek, 32>>(u, scalar)
        );
    }
}

/// 32 bytes that look random, the same at every run.
fn random(name: &[u8], number: u32) -> [u8; 32] {
    let mut bytes = [0; 32];
    Shake128.derive(&[name, &number.to_be_bytes()], &mut [&mut bytes]);
    bytes
}

/// All bits are random, the highest too, which the multiplication ignores.
#[test]
fn random_points_of_the_curve_and_of_its_twist() {
    let mut of_the_curve = 0;
    for number in 0..400 {
        let u = random(b"u", number);
        of_the_curve += usize::from(MontgomeryPoint(u).to_edwards(0).is_some());
        same_secret(u, &[random(b"k", number), [0; 32], [0xff; 32]]);
    }
    assert!((150..250).contains(&of_the_curve), "{of_the_curve} of 400");
}

/// A clamped scalar is a multiple of the cofactor, so the part of low order has no share in the
/// secret.
#[test]
fn points_with_a_part_of_low_order() {
    let base = curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
    for (number, low) in (0..).zip(EIGHT_TORSION) {
        let point = base.mul_clamped(random(b"point", number)) + low;
        assert_eq!(point.is_torsion_free(), low.is_identity());
        same_secret(point.to_montgomery().to_bytes(), &[random(b"k", number)]);
    }
}

/// All u from 0 to 19, and from p - 1 to p + 18, each with bit 255 clear and set. 0, 1 and p - 1
/// among them are of low order.
#[test]
fn small_points_in_all_four_forms() {
    for u in 0..=19 {
        let mut small = [0; 32];
        small[0] = u;
        let mut large = [0xff; 32];
        (large[0], large[31]) = (0xec + u, 0x7f);
        for mut form in [small, large] {
            same_secret(form, &[random(b"k", u.into())]);
            form[31] |= 0x80;
            same_secret(form, &[random(b"k", u.into())]);
        }
    }
}

/// Twice is as once; what a caller sees of the key stays; and a clone has what the key has.
#[test]
fn a_precomputed_key_looks_as_before() {
    for kem in KEMS {
        let (_, pk) = kem.derive_key_pair(&[7; 66]).unwrap();
        let mut precomputed = pk.clone();
        kem.precompute(&mut precomputed);
        kem.precompute(&mut precomputed);
        assert_eq!((&precomputed, precomputed.as_ref()), (&pk, pk.as_ref()));
        assert_eq!(format!("{precomputed:?}"), format!("{pk:?}"));
        let randomness = vec![8; kem.info().n_random];
        let plain = kem.encap(&pk, &randomness).unwrap();
        assert_eq!(kem.encap(&precomputed.clone(), &randomness).unwrap(), plain);
    }
}

#[test]
fn a_key_of_another_kem_stays_one() {
    let kem = |id| *KEMS.iter().find(|kem| kem.info().id == id).unwrap();
    let (x25519, p256) = (
        kem(X25519HkdfSha256.info().id),
        kem(P256HkdfSha256.info().id),
    );
    let (_, plain) = p256.derive_key_pair(&[7; 32]).unwrap();
    let mut pk = plain.clone();
    x25519.precompute(&mut pk);
    assert_eq!(x25519.encap(&pk, &[8; 32]), Err(Error::KeyMismatch));
    assert_eq!(p256.encap(&pk, &[8; 32]), p256.encap(&plain, &[8; 32]));
}
