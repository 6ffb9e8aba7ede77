//! DeriveKeyPair, serialization, Encap and Decap (RFC 9180, section 4).

use pqseal_hpke::{Error, Kem, P256HkdfSha256};
use test_vectors::HpkeVector;

/// A Montgomery private key has many forms with one public key (clamped or not), a P-curve's has
/// one.
const MONTGOMERY: [u16; 2] = [0x0020, 0x0021];

pub(crate) fn check<K: Kem + ?Sized>(kem: &K, v: &HpkeVector) {
    check_pair(kem, Some(&v.ikm_r), &v.sk_r, &v.pk_r);
    if let (Some(sk_e), Some(pk_e)) = (&v.sk_e, &v.pk_e) {
        check_pair(kem, Some(&v.ikm_e), sk_e, pk_e);
    }
    if let (Some(sk_s), Some(pk_s)) = (&v.sk_s, &v.pk_s) {
        check_pair(kem, v.ikm_s.as_deref(), sk_s, pk_s);
    }
    check_encapsulation(kem, v);
}

fn check_pair<K: Kem + ?Sized>(kem: &K, ikm: Option<&[u8]>, sk: &[u8], pk: &[u8]) {
    let parsed = kem.deserialize_private_key(sk).unwrap();
    assert_eq!(kem.public_key(&parsed).unwrap().as_ref(), pk);
    assert_eq!(
        kem.serialize_private_key(&parsed).unwrap().as_ref(),
        sk,
        "private bytes come out as they went in"
    );
    assert_eq!(kem.deserialize_public_key(pk).unwrap().as_ref(), pk);
    let Some(ikm) = ikm else { return };
    let (derived, public) = kem.derive_key_pair(ikm).unwrap();
    assert_eq!(public.as_ref(), pk);
    if !MONTGOMERY.contains(&kem.info().id) {
        assert_eq!(kem.serialize_private_key(&derived).unwrap().as_ref(), sk);
    }
}

fn check_encapsulation<K: Kem + ?Sized>(kem: &K, v: &HpkeVector) {
    let pk_r = kem.deserialize_public_key(&v.pk_r).unwrap();
    let sk_r = kem.deserialize_private_key(&v.sk_r).unwrap();
    let sk_s = v
        .sk_s
        .as_ref()
        .map(|bytes| kem.deserialize_private_key(bytes).unwrap());
    let mut precomputed = pk_r.clone();
    kem.precompute(&mut precomputed);
    for pk_r in [pk_r, precomputed] {
        let (sent, enc) = match &sk_s {
            None => kem.encap(&pk_r, &v.ikm_e).unwrap(),
            Some(sk_s) => kem.auth_encap(&pk_r, sk_s, &v.ikm_e).unwrap(),
        };
        assert_eq!(enc.as_ref(), v.enc);
        assert_eq!(sent.as_ref(), v.shared_secret);
    }
    let received = match v
        .pk_s
        .as_ref()
        .map(|bytes| kem.deserialize_public_key(bytes).unwrap())
    {
        None => kem.decap(&v.enc, &sk_r).unwrap(),
        Some(pk_s) => kem.auth_decap(&v.enc, &sk_r, &pk_s).unwrap(),
    };
    assert_eq!(received.as_ref(), v.shared_secret);
}

/// The candidate of counter 0 is above the order, so the key of the vector comes from counter 1.
pub(crate) fn check_rejected(candidate: &[u8], v: &HpkeVector) {
    assert_eq!(v.kem_id, P256HkdfSha256.info().id);
    assert_eq!(
        P256HkdfSha256
            .deserialize_private_key(candidate)
            .unwrap_err(),
        Error::Deserialize
    );
    let (derived, _) = P256HkdfSha256.derive_key_pair(&v.ikm_r).unwrap();
    assert_eq!(
        P256HkdfSha256
            .serialize_private_key(&derived)
            .unwrap()
            .as_ref(),
        v.sk_r
    );
}
