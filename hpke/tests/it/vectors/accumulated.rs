//! A thousand messages and a thousand exports of one key schedule, hashed into a value each:
//! lengths and sequence numbers that the vectors themselves do not have.

use pqseal_hpke::{KEMS, Mode, Policy, Suite, SuiteId};
use shake::{ExtendableOutput, Shake128, Update, XofReader};
use test_vectors::{AccumulatedHpke, hpke_accumulated};

use crate::common::Replay;

const ROUNDS: usize = 1_000;

#[test]
fn a_thousand_messages_and_exports_of_each_suite_hash_to_gos_values() {
    let vectors = hpke_accumulated().entries;
    vectors.iter().for_each(check);
    let with_messages = vectors.iter().filter(|v| v.encryptions.is_some());
    assert_eq!((vectors.len(), with_messages.count()), (24, 18));
}

fn check(v: &AccumulatedHpke) {
    let id = SuiteId::new(v.kem_id, v.kdf_id, v.aead_id);
    let suite = Suite::from_id(&[KEMS], id, &Policy::standard()).unwrap();
    let pk_r = suite.kem().deserialize_public_key(&v.pk_r).unwrap();
    let sk_r = suite.kem().deserialize_private_key(&v.sk_r).unwrap();
    let mut randomness = Replay(&v.ikm_e);
    let sender = suite.setup_s(&pk_r, &v.info, Mode::Base, &mut randomness);
    let (enc, mut sender) = sender.unwrap();
    assert_eq!(enc, v.enc, "{id:?}");
    let recipient = suite.setup_r(&v.enc, &sk_r, &v.info, Mode::Base);
    let mut recipient = recipient.unwrap();

    let (mut inputs, mut outputs) = (Shake128::default().finalize_xof(), Shake128::default());
    for length in 0..ROUNDS {
        let export = sender.export(&draw(&mut inputs), length).unwrap();
        outputs.update(export.as_ref());
    }
    assert_eq!(hash(outputs), v.exports[..], "{id:?}");

    let Some(encryptions) = &v.encryptions else {
        assert_eq!(v.aead_id, 0xffff);
        return;
    };
    let (mut inputs, mut outputs) = (Shake128::default().finalize_xof(), Shake128::default());
    for _ in 0..ROUNDS {
        let (aad, pt) = (draw(&mut inputs), draw(&mut inputs));
        let ct = sender.seal(&aad, &pt).unwrap();
        assert_eq!(recipient.open(&aad, &ct).unwrap(), pt, "{id:?}");
        outputs.update(&ct);
    }
    assert_eq!(hash(outputs), encryptions[..], "{id:?}");
}

/// A byte for the length, then as many bytes.
fn draw(inputs: &mut impl XofReader) -> Vec<u8> {
    let mut length = [0];
    inputs.read(&mut length);
    let mut drawn = vec![0; length[0].into()];
    inputs.read(&mut drawn);
    drawn
}

fn hash(outputs: Shake128) -> [u8; 16] {
    let mut hash = [0; 16];
    outputs.finalize_xof().read(&mut hash);
    hash
}
