//! The values inside KeySchedule (RFC 9180, section 5.1), by the public functions of the KDF.

use pqseal_hpke::{
    Aead, HkdfSha256, HkdfSha384, HkdfSha512, Kdf, Kem, Labels, Suite, TwoStage,
    kdf::{ScheduleInputs, ScheduleParts},
};
use test_vectors::HpkeVector;

pub(crate) fn check<K: Kem + ?Sized, D: Kdf + ?Sized, A: Aead>(
    suite: &Suite<K, D, A>,
    v: &HpkeVector,
) {
    let id = suite.id().to_bytes();
    let labels = Labels::v1(&id);
    let psk_id = v.psk_id.as_deref().unwrap_or_default();
    let context = suite
        .kdf()
        .key_schedule_context(&labels, v.mode, psk_id, &v.info)
        .unwrap();
    if let Some(expected) = &v.key_schedule_context {
        assert_eq!(&context, expected);
    }
    if let Some(expected) = &v.secret {
        assert_eq!(&extracted_secret(&labels, v), expected);
    }
    check_secrets(suite, &labels, &context, v);
}

fn check_secrets<K, D, A>(
    suite: &Suite<K, D, A>,
    labels: &Labels<'_>,
    context: &[u8],
    v: &HpkeVector,
) where
    K: Kem + ?Sized,
    D: Kdf + ?Sized,
    A: Aead,
{
    let inputs = ScheduleInputs {
        key_schedule_context: context,
        psk: v.psk.as_deref().unwrap_or_default(),
        shared_secret: &v.shared_secret,
        aead: suite.aead().info(),
    };
    let all = suite
        .kdf()
        .combine_secrets(labels, &inputs, ScheduleParts::All)
        .unwrap();
    assert_eq!(all.key.as_ref(), v.key);
    assert_eq!(all.base_nonce.as_ref(), v.base_nonce);
    assert_eq!(all.exporter_secret.as_ref(), v.exporter_secret);
    let message = suite
        .kdf()
        .combine_secrets(labels, &inputs, ScheduleParts::Message)
        .unwrap();
    assert_eq!((message.key, message.base_nonce), (all.key, all.base_nonce));
    let exporter = suite
        .kdf()
        .combine_secrets(labels, &inputs, ScheduleParts::Exporter)
        .unwrap();
    assert_eq!(exporter.exporter_secret, all.exporter_secret);
}

/// `secret`, which only the two-stage KDFs have as bytes.
fn extracted_secret(labels: &Labels<'_>, v: &HpkeVector) -> Vec<u8> {
    fn extract<D: TwoStage>(kdf: D, labels: &Labels<'_>, v: &HpkeVector) -> Vec<u8> {
        let psk = v.psk.as_deref().unwrap_or_default();
        kdf.labeled_extract(labels, &v.shared_secret, "secret", [psk, b""])
            .as_ref()
            .to_vec()
    }
    match v.kdf_id {
        0x0001 => extract(HkdfSha256, labels, v),
        0x0002 => extract(HkdfSha384, labels, v),
        0x0003 => extract(HkdfSha512, labels, v),
        other => panic!("KDF {other:#06x} has no extracted secret"),
    }
}
