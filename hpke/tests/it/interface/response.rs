//! Answers from the recipient, in every suite and both forms.

use pqseal_hpke::{Error, Response};

use super::case::{Case, every_case, every_sealing_case};
use crate::common::Replay;

const FORMS: [Response<'static>; 2] = [
    Response::new(b"interface test response"),
    Response::oblivious_http(),
];
/// More than any answer draws.
const RANDOMNESS: [u8; 64] = [0xa5; 64];

fn answer(case: &Case, form: Response<'_>) -> (Vec<u8>, Vec<u8>) {
    let enc = case.send().0;
    let sealed = case
        .receive(&enc)
        .seal_response(form, &enc, b"aad", b"answer", &mut Replay(&RANDOMNESS))
        .unwrap();
    (enc, sealed)
}

#[test]
fn an_answer_opens_at_the_sender() {
    every_sealing_case(|case| {
        for form in FORMS {
            let (enc, sealed) = answer(case, form);
            assert_eq!(
                case.send()
                    .1
                    .open_response(form, &enc, b"aad", &sealed)
                    .unwrap(),
                b"answer"
            );
        }
    });
}

/// RFC 9458, section 4.4: max(Nk, Nn). The successor draft's example: Nh.
#[test]
fn an_answer_begins_with_a_nonce_of_its_form() {
    every_sealing_case(|case| {
        let aead = pqseal_hpke::Aead::info(case.suite.aead());
        let lengths = [
            pqseal_hpke::Kdf::info(case.suite.kdf()).n_h,
            aead.n_k.max(aead.n_n),
        ];
        for (form, nonce) in FORMS.into_iter().zip(lengths) {
            let (_, sealed) = answer(case, form);
            assert_eq!(sealed.len(), nonce + b"answer".len() + 16);
            assert_eq!(sealed[..nonce], RANDOMNESS[..nonce]);
        }
    });
}

#[test]
fn a_changed_answer_does_not_open() {
    every_sealing_case(|case| {
        for (form, other) in FORMS
            .into_iter()
            .zip([Response::new(b"another"), Response::new(b"another")])
        {
            let (enc, sealed) = answer(case, form);
            let sender = case.send().1;
            for byte in 0..sealed.len() {
                let mut flipped = sealed.clone();
                flipped[byte] ^= 0x80;
                assert_eq!(
                    sender.open_response(form, &enc, b"aad", &flipped),
                    Err(Error::Open),
                    "byte {byte}"
                );
                assert_eq!(
                    sender.open_response(form, &enc, b"aad", &sealed[..byte]),
                    Err(Error::Open),
                    "{byte} bytes"
                );
            }
            assert_eq!(
                sender.open_response(form, &enc, b"aae", &sealed),
                Err(Error::Open)
            );
            assert_eq!(
                sender.open_response(form, &enc[1..], b"aad", &sealed),
                Err(Error::Open)
            );
            assert_eq!(
                sender.open_response(other, &enc, b"aad", &sealed),
                Err(Error::Open)
            );
        }
    });
}

#[test]
fn each_answer_has_its_own_key() {
    every_sealing_case(|case| {
        let (enc, first) = answer(case, FORMS[0]);
        let second = case.receive(&enc).seal_response(
            FORMS[0],
            &enc,
            b"aad",
            b"answer",
            &mut Replay(&[0x5a; 64]),
        );
        assert_ne!(
            first[first.len() - 22..],
            second.unwrap()[first.len() - 22..]
        );
    });
}

#[test]
fn an_answer_needs_an_aead_and_a_generator() {
    every_case(|case| {
        let (enc, sender) = case.send();
        let recipient = case.receive(&enc);
        let broken = recipient.seal_response(FORMS[0], &enc, b"", b"answer", &mut Replay(b""));
        assert_eq!(broken, Err(Error::Rng));
        if !case.seals() {
            let sealed =
                recipient.seal_response(FORMS[0], &enc, b"", b"answer", &mut Replay(&RANDOMNESS));
            assert_eq!(sealed, Err(Error::ExportOnly));
            assert_eq!(
                sender.open_response(FORMS[0], &enc, b"", &[0; 200]),
                Err(Error::ExportOnly)
            );
        }
    });
}

/// An answer in several messages: each has its place, and only in this answer.
#[test]
fn an_answer_in_several_messages() {
    every_sealing_case(|case| {
        for form in FORMS {
            let (enc, sender) = case.send();
            let recipient = case.receive(&enc);
            let secret = recipient.response_secret(form, &enc).unwrap();
            let (nonce, mut answers) = secret.generate(&mut Replay(&RANDOMNESS)).unwrap();
            let [one, two] = [b"one", b"two"].map(|pt| answers.seal(b"aad", pt).unwrap());

            let received = sender.response_secret(form, &enc).unwrap();
            let mut opening = received.key(&nonce).unwrap();
            assert_eq!(opening.open(b"aad", &two), Err(Error::Open));
            assert_eq!(opening.open(b"aad", &one).unwrap(), b"one");
            assert_eq!(opening.open(b"aad", &one), Err(Error::Open));
            assert_eq!(opening.open(b"aad", &two).unwrap(), b"two");
            assert_eq!(
                received.key(&nonce[1..]).map(drop),
                Err(Error::Open),
                "a nonce of another length"
            );

            // The first message is what an answer of one message is.
            let whole = [&nonce[..], &one].concat();
            let opened = sender.open_response(form, &enc, b"aad", &whole).unwrap();
            assert_eq!(opened, b"one");
        }
    });
}
