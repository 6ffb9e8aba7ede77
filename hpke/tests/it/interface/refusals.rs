//! Refusals: nothing opens if any part of the conversation changed.

use pqseal_hpke::{AEADS, AnyPrivateKey, AnyPublicKey, Error, KDFS, Mode, Psk, Suite};

use super::case::{Case, INFO, PARTIES, every_kem, every_sealing_case, mode};
use crate::common::Replay;

/// Opens with everything as it was sent, except for what the test changes.
#[derive(Clone)]
struct Opening<'a> {
    suite: Suite,
    enc: Vec<u8>,
    sk: &'a AnyPrivateKey,
    info: &'a [u8],
    mode: Mode<'a, AnyPublicKey>,
    aad: &'a [u8],
    ct: Vec<u8>,
}

impl Opening<'_> {
    fn open(&self) -> Result<Vec<u8>, Error> {
        self.suite
            .open(&self.enc, self.sk, self.info, self.mode, self.aad, &self.ct)
    }
}

fn sealed(case: &Case) -> Opening<'_> {
    let (enc, mut sender) = case.send();
    let ct = sender.seal(b"aad", b"message").unwrap();
    let opening = Opening {
        suite: case.suite,
        enc,
        sk: &case.party.recipient.0,
        info: INFO,
        mode: case.recipient_mode(),
        aad: b"aad",
        ct,
    };
    assert_eq!(opening.open().unwrap(), b"message", "unchanged, it opens");
    opening
}

#[test]
fn another_key_info_aad_or_enc_does_not_open() {
    every_sealing_case(|case| {
        let sent = sealed(case);
        let refused = |opening: Opening<'_>| assert_eq!(opening.open(), Err(Error::Open));
        refused(Opening {
            sk: &case.party.stranger.0,
            ..sent.clone()
        });
        refused(Opening {
            info: b"interface tess",
            ..sent.clone()
        });
        refused(Opening {
            info: b"",
            ..sent.clone()
        });
        refused(Opening {
            aad: b"aae",
            ..sent.clone()
        });
        refused(Opening {
            aad: b"",
            ..sent.clone()
        });
        let randomness = case.party.randomness(10);
        let other = case.suite.setup_s(
            &case.party.recipient.1,
            INFO,
            case.sender_mode(),
            &mut Replay(&randomness),
        );
        refused(Opening {
            enc: other.unwrap().0,
            ..sent
        });
    });
}

#[test]
fn another_mode_does_not_open() {
    every_sealing_case(|case| {
        let sent = sealed(case);
        let modes = if case.party.kem.info().auth {
            0..4
        } else {
            0..2
        };
        for id in modes.filter(|id| *id != case.mode) {
            let mode = mode(id, &case.party.sender.1, Case::psk());
            assert_eq!(
                Opening {
                    mode,
                    ..sent.clone()
                }
                .open(),
                Err(Error::Open),
                "as {mode:?}"
            );
        }
    });
}

#[test]
fn another_psk_psk_id_or_sender_does_not_open() {
    every_sealing_case(|case| {
        let sent = sealed(case);
        let with = |key, psk, id| mode(case.mode, key, Psk::new(psk, id).unwrap());
        let (sender, stranger) = (&case.party.sender.1, &case.party.stranger.1);
        let other_psks = [
            with(sender, &[0x5b; 32], b"the shared one"),
            with(sender, &[0x5a; 33], b"the shared one"),
            with(sender, &[0x5a; 32], b"the other one"),
        ];
        let other_sender = with(stranger, &[0x5a; 32], b"the shared one");
        // A part that the mode does not have changes nothing.
        for (others, has) in [
            (&other_psks[..], case.mode & 1 != 0),
            (&[other_sender], case.mode & 2 != 0),
        ] {
            for mode in others.iter().copied() {
                let opened = Opening {
                    mode,
                    ..sent.clone()
                }
                .open();
                assert_eq!(
                    opened,
                    if has {
                        Err(Error::Open)
                    } else {
                        Ok(b"message".to_vec())
                    },
                    "as {mode:?}"
                );
            }
        }
    });
}

/// Every bit of the ciphertext and the tag.
#[test]
fn a_flipped_bit_of_the_ciphertext_does_not_open() {
    every_sealing_case(|case| {
        let (mut sender, mut recipient) = case.setup();
        let ct = sender.seal(b"aad", b"message").unwrap();
        for bit in 0..8 * ct.len() {
            let mut flipped = ct.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                recipient.open(b"aad", &flipped),
                Err(Error::Open),
                "bit {bit}"
            );
        }
        assert_eq!(recipient.open(b"aad", &ct).unwrap(), b"message");
    });
}

#[test]
fn a_truncated_or_lengthened_ciphertext_does_not_open() {
    every_sealing_case(|case| {
        let (mut sender, mut recipient) = case.setup();
        let ct = sender.seal(b"aad", b"message").unwrap();
        for len in 0..ct.len() {
            assert_eq!(
                recipient.open(b"aad", &ct[..len]),
                Err(Error::Open),
                "the first {len} bytes"
            );
            assert_eq!(
                recipient.open(b"aad", &ct[ct.len() - len..]),
                Err(Error::Open),
                "the last {len} bytes"
            );
        }
        assert_eq!(
            recipient.open(b"aad", &[&ct[..], &[0]].concat()),
            Err(Error::Open)
        );
    });
}

/// The group operations of X25519 and X448 ignore some bits. The key schedule does not, since it
/// contains `enc` as received.
#[test]
fn a_flipped_bit_of_enc_does_not_open() {
    every_kem(|case| {
        let original = sealed(case);
        let bits = 8 * original.enc.len();
        for bit in (0..bits).step_by(41).chain(bits - 8..bits) {
            let mut enc = original.enc.clone();
            enc[bit / 8] ^= 1 << (bit % 8);
            assert!(
                Opening {
                    enc,
                    ..original.clone()
                }
                .open()
                .is_err(),
                "bit {bit}"
            );
        }
    });
}

#[test]
fn enc_of_another_length_is_refused() {
    every_kem(|case| {
        let original = sealed(case);
        for len in 0..original.enc.len() {
            let cut = &original.enc[..len];
            let setup = case
                .suite
                .setup_r(cut, original.sk, INFO, case.recipient_mode());
            assert_eq!(setup.unwrap_err(), Error::Deserialize, "{len} bytes");
        }
        let enc = [&original.enc[..], &[0]].concat();
        assert_eq!(
            Opening {
                enc,
                ..original.clone()
            }
            .open(),
            Err(Error::Deserialize)
        );
    });
}

/// Every suite against every other with the same keys, so that only the suite id distinguishes
/// them.
#[test]
fn no_suite_opens_what_another_sealed() {
    let party = PARTIES
        .iter()
        .find(|party| party.kem.info().short_name == "x25519")
        .unwrap();
    let sealing = AEADS
        .iter()
        .filter(|aead| !matches!(aead, pqseal_hpke::AnyAead::ExportOnly(_)));
    let suites: Vec<_> = sealing
        .flat_map(|aead| {
            KDFS.iter()
                .map(move |kdf| Suite::new(party.kem, *kdf, aead))
        })
        .collect();
    let mut opened = 0;
    for sealer in &suites {
        let mut rng = Replay(&[9; 32]);
        let (enc, ct) = sealer
            .seal(
                &party.recipient.1,
                INFO,
                Mode::Base,
                b"",
                b"message",
                &mut rng,
            )
            .unwrap();
        for opener in &suites {
            let result = opener.open(&enc, &party.recipient.0, INFO, Mode::Base, b"", &ct);
            assert_eq!(
                result.is_ok(),
                opener.id() == sealer.id(),
                "{sealer:?} to {opener:?}"
            );
            opened += usize::from(result.is_ok());
        }
    }
    assert_eq!(opened, 21);
}
