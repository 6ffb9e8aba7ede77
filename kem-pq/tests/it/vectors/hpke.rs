//! HPKE with the KEMs of this crate, from the key pair to the last export, through a `DynSuite`.

use pqseal_hpke::{AnyPublicKey, Mode, Policy, Psk, Suite, SuiteId, aead::Sealing};
use test_vectors::HpkeVector;

use crate::replay::Replay;

#[test]
fn every_vector_of_the_draft_is_reproduced() {
    let set = test_vectors::hpke_pq();
    set.entries.iter().for_each(check);
    assert_eq!(set.entries.len(), 13);
}

#[test]
fn both_vectors_of_x25519kyber768draft00_are_reproduced() {
    let set = test_vectors::xyber768d00();
    set.entries.iter().for_each(check);
    let modes: Vec<u8> = set.entries.iter().map(|vector| vector.mode).collect();
    assert_eq!(modes, [0, 1]);
}

fn check(vector: &HpkeVector) {
    let id = SuiteId::new(vector.kem_id, vector.kdf_id, vector.aead_id);
    let suite = Suite::from_id(
        &[pqseal_hpke::KEMS, pqseal_kem_pq::KEMS],
        id,
        &Policy::draft(),
    )
    .unwrap();
    check_keys(suite.kem(), vector);
    check_messages(&suite, vector);
}

fn check_keys(kem: &pqseal_hpke::DynKem, vector: &HpkeVector) {
    let name = kem.info().name;
    let (sk, pk) = kem.derive_key_pair(&vector.ikm_r).unwrap();
    assert_eq!(pk.as_ref(), vector.pk_r, "{name}");
    // The vectors clamp the private keys of X25519 and X448, so only their public keys are
    // compared.
    let given = kem.deserialize_private_key(&vector.sk_r).unwrap();
    assert_eq!(
        kem.public_key(&given).unwrap().as_ref(),
        vector.pk_r,
        "{name}"
    );
    if pqseal_kem_pq::KEMS
        .iter()
        .any(|ours| ours.info().id == kem.info().id)
    {
        assert_eq!(
            kem.serialize_private_key(&sk).unwrap().as_ref(),
            vector.sk_r,
            "{name}"
        );
    }
    let mut precomputed = pk.clone();
    kem.precompute(&mut precomputed);
    for pk in [pk, precomputed] {
        let (shared_secret, enc) = kem.encap(&pk, &vector.ikm_e).unwrap();
        assert_eq!(
            (shared_secret.as_ref(), &enc),
            (&vector.shared_secret[..], &vector.enc),
            "{name}"
        );
    }
}

fn check_messages<D, A>(suite: &Suite<pqseal_hpke::DynKem, D, A>, vector: &HpkeVector)
where
    D: pqseal_hpke::Kdf + ?Sized,
    A: Sealing,
{
    let id = suite.id();
    let sk = suite.kem().deserialize_private_key(&vector.sk_r).unwrap();
    let pk: AnyPublicKey = suite.kem().public_key(&sk).unwrap();
    let psk = psk(vector);
    let sender_mode = psk.map_or(Mode::Base, Mode::Psk);
    let recipient_mode = psk.map_or(Mode::Base, Mode::Psk);
    let (_, mut sender) = suite
        .setup_s(&pk, &vector.info, sender_mode, &mut Replay(&vector.ikm_e))
        .unwrap();
    let mut recipient = suite
        .setup_r(&vector.enc, &sk, &vector.info, recipient_mode)
        .unwrap();
    for encryption in &vector.encryptions {
        while sender.sequence() < u64::from(encryption.seq) {
            sender.seal(b"", b"").unwrap();
        }
        assert_eq!(
            sender.seal(&encryption.aad, &encryption.pt).unwrap(),
            encryption.ct,
            "{id}"
        );
        let opened = recipient.open_at(u64::from(encryption.seq), &encryption.aad, &encryption.ct);
        assert_eq!(opened.unwrap(), encryption.pt, "{id}");
    }
    for export in &vector.exports {
        let exported = recipient
            .export(&export.exporter_context, export.length)
            .unwrap();
        assert_eq!(exported.as_ref(), export.exported_value, "{id}");
    }
    recipient.open(b"", b"").unwrap_err();
}

fn psk(vector: &HpkeVector) -> Option<Psk<'_>> {
    let (psk, psk_id) = (vector.psk.as_deref()?, vector.psk_id.as_deref()?);
    Some(Psk::new(psk, psk_id).unwrap())
}
