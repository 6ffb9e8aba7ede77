//! Contexts in every suite: messages in sequence, out of sequence, in place.

use pqseal_hpke::Error;

use super::case::{Case, INFO, every_case, every_sealing_case};
use crate::common::Replay;

#[test]
fn messages_arrive_in_sequence() {
    every_sealing_case(|case| {
        let (mut sender, mut recipient) = case.setup();
        for (seq, pt) in [&b""[..], b"one", &[7; 1000]].into_iter().enumerate() {
            assert_eq!(
                (sender.sequence(), recipient.sequence()),
                (seq as u64, seq as u64)
            );
            let ct = sender.seal(b"aad", pt).unwrap();
            assert_eq!(ct.len(), pt.len() + 16);
            assert_eq!(recipient.open(b"aad", &ct).unwrap(), pt);
        }
    });
}

#[test]
fn the_forms_in_place_and_detached_give_the_same_bytes() {
    every_sealing_case(|case| {
        let (mut sender, recipient) = case.setup();
        let ct = sender.seal(b"aad", b"message").unwrap();
        let (mut sender, mut in_place) = case.setup();
        let mut message = b"message".to_vec();
        sender.seal_in_place(b"aad", &mut message).unwrap();
        assert_eq!(message, ct);
        in_place.open_in_place(b"aad", &mut message).unwrap();
        assert_eq!(message, b"message");
        let (mut sender, mut detached) = case.setup();
        let tag = sender.seal_detached(b"aad", &mut message).unwrap();
        assert_eq!([&message[..], &tag].concat(), ct);
        detached.open_detached(b"aad", &mut message, &tag).unwrap();
        assert_eq!(message, b"message");
        assert_eq!(
            (
                in_place.sequence(),
                detached.sequence(),
                recipient.sequence()
            ),
            (1, 1, 0)
        );
    });
}

#[test]
fn a_single_shot_is_the_first_message_of_a_context() {
    every_sealing_case(|case| {
        let (enc, mut sender) = case.send();
        let ct = sender.seal(b"aad", b"message").unwrap();
        let (pk, randomness) = (&case.party.recipient.1, case.party.randomness(9));
        let sealed = case
            .suite
            .seal(
                pk,
                INFO,
                case.sender_mode(),
                b"aad",
                b"message",
                &mut Replay(&randomness),
            )
            .unwrap();
        assert_eq!(sealed, (enc.clone(), ct.clone()));
        let sk = &case.party.recipient.0;
        assert_eq!(
            case.suite
                .open(&enc, sk, INFO, case.recipient_mode(), b"aad", &ct)
                .unwrap(),
            b"message"
        );
    });
}

#[test]
fn a_message_opens_only_at_its_number_in_any_order_and_again() {
    every_sealing_case(|case| {
        let (mut sender, mut recipient) = case.setup();
        let cts: Vec<_> = (0..4u8)
            .map(|n| {
                let (seq, ct) = sender.seal_with_sequence(&[n], &[n; 5]).unwrap();
                assert_eq!(seq, u64::from(n));
                ct
            })
            .collect();
        for n in [3u8, 0, 2, 0] {
            let ct = &cts[usize::from(n)];
            assert_eq!(recipient.open_at(n.into(), &[n], ct).unwrap(), [n; 5]);
            assert_eq!(
                recipient.open_at(u64::from(n) + 1, &[n], ct),
                Err(Error::Open)
            );
        }
        assert_eq!(recipient.sequence(), 0, "open_at leaves the sequence");
        assert_eq!(recipient.open(&[0], &cts[0]).unwrap(), [0; 5]);
    });
}

#[test]
fn a_skipped_or_repeated_message_does_not_open() {
    every_sealing_case(|case| {
        let (mut sender, mut recipient) = case.setup();
        let first = sender.seal(b"", b"first").unwrap();
        let second = sender.seal(b"", b"second").unwrap();
        assert_eq!(recipient.open(b"", &second), Err(Error::Open));
        assert_eq!(recipient.open(b"", &first).unwrap(), b"first");
        assert_eq!(recipient.open(b"", &first), Err(Error::Open), "replay");
        assert_eq!(recipient.sequence(), 1, "a failure leaves the sequence");
        assert_eq!(recipient.open(b"", &second).unwrap(), b"second");
    });
}

#[test]
fn a_failed_open_leaves_no_plaintext() {
    every_sealing_case(|case| {
        let (mut sender, mut recipient) = case.setup();
        let ct = sender.seal(b"aad", b"message").unwrap();
        let mut message = ct.clone();
        assert_eq!(
            recipient.open_in_place(b"other", &mut message),
            Err(Error::Open)
        );
        assert_eq!(message, b"");
        let (body, tag) = ct.split_last_chunk().unwrap();
        let mut message = body.to_vec();
        assert_eq!(
            recipient.open_detached(b"other", &mut message, tag),
            Err(Error::Open)
        );
        assert_eq!(message, [0; 7]);
        assert_eq!(
            recipient.open(b"aad", &ct).unwrap(),
            b"message",
            "and the sequence is as it was"
        );
    });
}

#[test]
fn what_is_shorter_than_a_tag_does_not_open() {
    every_sealing_case(|case| {
        let (mut sender, mut recipient) = case.setup();
        let ct = sender.seal(b"aad", b"").unwrap();
        for len in 0..ct.len() {
            assert_eq!(recipient.open(b"aad", &ct[..len]), Err(Error::Open));
            assert_eq!(recipient.open_at(0, b"aad", &ct[..len]), Err(Error::Open));
        }
        assert_eq!(recipient.open(b"aad", &ct).unwrap(), b"");
    });
}

#[test]
fn export_only_neither_seals_nor_opens() {
    every_case(|case| {
        if !case.seals() {
            refuses_messages(case);
        }
    });
}

fn refuses_messages(case: &Case) {
    let (mut sender, mut recipient) = case.setup();
    let mut message = b"message and a whole tag".to_vec();
    assert_eq!(sender.seal(b"", b"message"), Err(Error::ExportOnly));
    assert_eq!(
        sender.seal_in_place(b"", &mut message),
        Err(Error::ExportOnly)
    );
    assert_eq!(
        sender.seal_detached(b"", &mut message),
        Err(Error::ExportOnly)
    );
    assert_eq!(
        message, b"message and a whole tag",
        "a failed seal leaves the message"
    );
    assert_eq!(recipient.open(b"", &message), Err(Error::ExportOnly));
    assert_eq!(recipient.open_at(0, b"", &message), Err(Error::ExportOnly));
    let (pk, randomness) = (&case.party.recipient.1, case.party.randomness(9));
    let sealed = case.suite.seal(
        pk,
        INFO,
        case.sender_mode(),
        b"",
        b"message",
        &mut Replay(&randomness),
    );
    assert_eq!(sealed, Err(Error::ExportOnly));
    assert_eq!((sender.sequence(), recipient.sequence()), (0, 0));
}
