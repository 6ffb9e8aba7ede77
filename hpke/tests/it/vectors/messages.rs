//! Setup, messages and exports (RFC 9180, sections 5.1 to 5.3), with the randomness of the vector.

use pqseal_hpke::{
    Aead, Kdf, Kem, Mode, Psk, RecipientContext, SenderContext, Suite, aead::Sealing,
};
use test_vectors::{Digest, Encryption, HpkeVector, count_aad};

use crate::common::Replay;

/// Seals and opens every message. Those in the file are compared byte for byte, all by their
/// digest.
pub(crate) fn check<K: Kem + ?Sized, D: Kdf + ?Sized, A: Sealing>(
    suite: &Suite<K, D, A>,
    v: &HpkeVector,
) {
    let (mut sender, mut recipient) = setup(suite, v);
    let mut digest = Digest::new();
    for seq in 0..v.encryption_count {
        let kept = v.encryptions.get(seq as usize);
        let (aad, pt) = inputs(v, seq);
        let ct = sender.seal(&aad, &pt).unwrap();
        assert_eq!(recipient.open(&aad, &ct).unwrap(), pt);
        assert!(
            kept.is_none_or(|kept| kept.ct == ct && kept.nonce == v.nonce(seq)),
            "message {seq}"
        );
        digest.add(&aad, &pt, &v.nonce(seq), &ct);
    }
    assert!(v.encryption_count == 0 || digest.finish() == v.encryptions_sha256[..]);
}

/// Returns the inputs in the entry, or else those by the rule of the official file.
fn inputs(v: &HpkeVector, seq: u32) -> (Vec<u8>, Vec<u8>) {
    match v.encryptions.get(seq as usize) {
        Some(Encryption { aad, pt, .. }) => (aad.clone(), pt.clone()),
        None => (count_aad(seq), v.encryptions[0].pt.clone()),
    }
}

pub(crate) fn check_exports<K: Kem + ?Sized, D: Kdf + ?Sized, A: Aead>(
    suite: &Suite<K, D, A>,
    v: &HpkeVector,
) {
    let (sender, recipient) = setup(suite, v);
    assert!(!v.exports.is_empty());
    for export in &v.exports {
        let sent = sender
            .export(&export.exporter_context, export.length)
            .unwrap();
        assert_eq!(sent.as_ref(), export.exported_value);
        assert_eq!(
            recipient
                .export(&export.exporter_context, export.length)
                .unwrap(),
            sent
        );
    }
}

fn setup<K, D, A>(
    suite: &Suite<K, D, A>,
    v: &HpkeVector,
) -> (SenderContext<D, A>, RecipientContext<D, A>)
where
    K: Kem + ?Sized,
    D: Kdf + ?Sized,
    A: Aead,
{
    let kem = suite.kem();
    let sk_s = v
        .sk_s
        .as_ref()
        .map(|bytes| kem.deserialize_private_key(bytes).unwrap());
    let pk_s = v
        .pk_s
        .as_ref()
        .map(|bytes| kem.deserialize_public_key(bytes).unwrap());
    let pk_r = kem.deserialize_public_key(&v.pk_r).unwrap();
    let sk_r = kem.deserialize_private_key(&v.sk_r).unwrap();
    let mut randomness = Replay(&v.ikm_e);
    let (enc, sender) = suite
        .setup_s(&pk_r, &v.info, mode(v, sk_s.as_ref()), &mut randomness)
        .unwrap();
    assert_eq!(enc.as_ref(), v.enc);
    assert_eq!(
        randomness.0, b"",
        "setup draws as much as the KEM says and no more"
    );
    (
        sender,
        suite
            .setup_r(&v.enc, &sk_r, &v.info, mode(v, pk_s.as_ref()))
            .unwrap(),
    )
}

fn mode<'a, Key>(v: &'a HpkeVector, key: Option<&'a Key>) -> Mode<'a, Key> {
    let psk = v
        .psk
        .as_deref()
        .zip(v.psk_id.as_deref())
        .map(|(psk, psk_id)| Psk::new(psk, psk_id).unwrap());
    let mode = match (key, psk) {
        (None, None) => Mode::Base,
        (None, Some(psk)) => Mode::Psk(psk),
        (Some(key), None) => Mode::Auth(key),
        (Some(key), Some(psk)) => Mode::AuthPsk(key, psk),
    };
    assert_eq!(mode.id(), v.mode);
    mode
}
