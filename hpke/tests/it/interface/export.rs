//! Exports in every suite, export-only included.

use super::case::{INFO, every_case};
use crate::common::Replay;

#[test]
fn both_sides_export_the_same_and_each_context_and_length_its_own() {
    every_case(|case| {
        let (sender, recipient) = case.setup();
        let mut seen = Vec::new();
        for (context, len) in [
            (&b""[..], 32),
            (b"a", 32),
            (b"b", 32),
            (b"a", 33),
            (&[b'a'; 300], 100),
        ] {
            let exported = sender.export(context, len).unwrap();
            assert_eq!(recipient.export(context, len).unwrap(), exported);
            assert_eq!(exported.as_ref().len(), len);
            seen.push(exported.as_ref()[..32].to_vec());
        }
        seen.sort();
        seen.dedup();
        assert_eq!(
            seen.len(),
            5,
            "the length is bound too: 33 bytes do not begin with the 32"
        );
    });
}

#[test]
fn an_export_does_not_depend_on_the_messages() {
    every_case(|case| {
        let (mut sender, recipient) = case.setup();
        let before = sender.export(b"context", 32).unwrap();
        if case.seals() {
            sender.seal(b"", b"message").unwrap();
        }
        assert_eq!(sender.export(b"context", 32).unwrap(), before);
        assert_eq!(recipient.export(b"context", 32).unwrap(), before);
    });
}

#[test]
fn send_export_and_receive_export_are_those_of_a_context() {
    every_case(|case| {
        let (enc, sender) = case.send();
        let (pk, randomness) = (&case.party.recipient.1, case.party.randomness(9));
        let rng = &mut Replay(&randomness);
        let (enc_again, sent) = case
            .suite
            .send_export(pk, INFO, case.sender_mode(), b"context", 40, rng)
            .unwrap();
        assert_eq!(
            (enc_again, &sent),
            (enc.clone(), &sender.export(b"context", 40).unwrap())
        );
        let (sk, mode) = (&case.party.recipient.0, case.recipient_mode());
        assert_eq!(
            case.suite
                .receive_export(&enc, sk, INFO, mode, b"context", 40)
                .unwrap(),
            sent
        );
    });
}
