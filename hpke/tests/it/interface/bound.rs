//! Sender and Recipient do what the suite does, with the work that messages share done once.

use pqseal_hpke::{Error, Recipient, Sealed, Sender};

use super::case::{Case, INFO, every_case, every_sealing_case};
use crate::common::Replay;

fn sender(case: &Case) -> Sender<'static> {
    Sender::new(
        case.suite,
        case.party.recipient.1.clone(),
        INFO,
        case.sender_mode(),
    )
    .unwrap()
}

fn recipient(case: &Case) -> Recipient {
    Recipient::new(
        case.suite,
        case.party.recipient.0.clone(),
        INFO,
        case.recipient_mode(),
    )
    .unwrap()
}

#[test]
fn a_sender_seals_and_a_recipient_opens_as_their_suite_does() {
    every_sealing_case(|case| {
        let (enc, mut context) = case.send();
        let ct = context.seal(b"aad", b"message").unwrap();
        let randomness = case.party.randomness(9);
        for sender in [sender(case), sender(case).precompute()] {
            let sealed = sender
                .seal(b"aad", b"message", &mut Replay(&randomness))
                .unwrap();
            assert_eq!(sealed, (enc.clone(), ct.clone()));
        }
        assert_eq!(recipient(case).open(&enc, b"aad", &ct).unwrap(), b"message");
        assert_eq!(recipient(case).open(&enc, b"aae", &ct), Err(Error::Open));
    });
}

#[test]
fn their_contexts_are_those_of_the_suite() {
    every_case(|case| {
        let (enc, plain) = case.send();
        let randomness = case.party.randomness(9);
        let exported = plain.export(b"context", 40).unwrap();
        for sender in [sender(case), sender(case).precompute()] {
            let (enc_again, sent) = sender.setup(&mut Replay(&randomness)).unwrap();
            assert_eq!(enc_again, enc);
            assert_eq!(sent.export(b"context", 40).unwrap(), exported);
        }
        assert_eq!(
            recipient(case)
                .setup(&enc)
                .unwrap()
                .export(b"context", 40)
                .unwrap(),
            exported
        );
        assert_eq!(
            recipient(case).export(&enc, b"context", 40).unwrap(),
            exported
        );
    });
}

/// Bad records in the middle: each has its own error and none disturbs its neighbours.
#[test]
fn a_batch_opens_each_record_on_its_own() {
    every_sealing_case(|case| {
        let sealed: Vec<_> = (1..=3u8)
            .map(|seed| {
                let randomness = case.party.randomness(seed);
                sender(case)
                    .seal(b"aad", &[seed; 3], &mut Replay(&randomness))
                    .unwrap()
            })
            .collect();
        let record = |n: usize| Sealed {
            enc: &sealed[n].0,
            aad: b"aad",
            ct: &sealed[n].1,
        };
        let mut altered = sealed[1].1.clone();
        altered[0] ^= 1;
        let batch = [
            record(0),
            Sealed {
                ct: &altered,
                ..record(1)
            },
            Sealed {
                enc: &sealed[0].0[1..],
                ..record(1)
            },
            Sealed {
                enc: &sealed[0].0,
                ..record(1)
            },
            Sealed {
                aad: b"aae",
                ..record(1)
            },
            record(2),
            record(0),
        ];
        let recipient = recipient(case);
        let opened = recipient.open_batch(&batch);
        let one_by_one: Vec<_> = batch
            .iter()
            .map(|record| recipient.open(record.enc, record.aad, record.ct))
            .collect();
        assert_eq!(opened, one_by_one);
        let (good, open) = (|n| Ok(vec![n; 3]), Err(Error::Open));
        let bad_enc = Err(Error::Deserialize);
        assert_eq!(
            opened,
            [
                good(1),
                open.clone(),
                bad_enc,
                open.clone(),
                open,
                good(3),
                good(1)
            ]
        );
        assert_eq!(recipient.open_batch(&[]), []);
    });
}
