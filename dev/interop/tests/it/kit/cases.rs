//! The groups of cases of one suite: valid and invalid ones.

use pqseal_matched_data::{SealOptions, Sealer};

use super::{
    malformed::{self, Malformed},
    schema::{Case, Group, Hex, Message, Source},
    sealing::Sealing,
    suites::{Repeatable, everything, is_first, pair, suite},
};

const INFO: &[u8] = b"the kit of pqseal";
const AAD: &[u8] = b"additional data";
const PT: &[u8] = b"what was sealed for the kit";

/// Returns `case` with one change, so that it must fail.
fn invalid(case: &Case, comment: &str, flag: &str, change: impl FnOnce(&mut Case)) -> Case {
    let mut case = case.clone();
    change(&mut case);
    (case.comment, case.flags, case.result) = (comment.into(), vec![flag.into()], "invalid".into());
    (case.ikm_e, case.pt) = (None, Hex::default());
    case
}

pub(crate) fn decrypt_groups(ids: [u16; 3]) -> Vec<Group> {
    let auth = suite(ids).kem().info().auth;
    let modes: &[u8] = match (is_first(ids), auth) {
        (true, true) => &[0, 1, 2, 3],
        (true, false) => &[0, 1],
        (false, _) => &[0],
    };
    let group = |mode: &u8| group(ids, "HpkeTest", *mode, decrypt_cases(ids, *mode));
    modes.iter().map(group).collect()
}

fn decrypt_cases(ids: [u16; 3], mode: u8) -> Vec<Case> {
    let sealing = Sealing::new(ids, mode);
    let case = sealing.valid("info and aad", 1, [INFO, AAD, PT]);
    let mut cases = vec![
        case.clone(),
        sealing.valid("empty info, aad and plaintext", 2, [b"", b"", b""]),
    ];
    cases.extend(
        changed_ciphertexts(&case)
            .into_iter()
            .take(if mode == 0 { 9 } else { 2 }),
    );
    cases.extend(changed_modes(&case, &sealing));
    if mode == 0 && is_first(ids) {
        cases.push(sealing.valid(
            "zero bytes in info, aad and plaintext",
            3,
            [&[0; 65], &[0; 64], &[0; 100]],
        ));
        cases.extend(changed_encs(&case, &sealing));
    }
    cases
}

fn changed_ciphertexts(case: &Case) -> [Case; 9] {
    let changed = |comment: &str, change: fn(&mut Vec<u8>)| {
        invalid(case, comment, "ModifiedCiphertext", |case| {
            change(&mut case.ct.0)
        })
    };
    [
        changed("first bit of the ciphertext flipped", |ct| ct[0] ^= 0x80),
        changed("last bit of the tag flipped", |ct| {
            *ct.last_mut().expect("a tag") ^= 1
        }),
        changed("last byte of the tag missing", |ct| {
            ct.truncate(ct.len() - 1)
        }),
        changed("a byte appended", |ct| ct.push(0)),
        changed("15 bytes, less than a tag", |ct| ct.truncate(15)),
        changed("only the tag", |ct| drop(ct.drain(..PT.len()))),
        changed("no ciphertext", Vec::clear),
        invalid(case, "another aad", "ModifiedContext", |case| {
            case.aad.0.push(0)
        }),
        invalid(case, "another info", "ModifiedContext", |case| {
            case.info.0.push(0)
        }),
    ]
}

fn changed_modes(case: &Case, sealing: &Sealing) -> Vec<Case> {
    let kem = sealing.suite.kem();
    let mut cases = vec![invalid(
        case,
        "another recipient's private key",
        "ModifiedContext",
        |case| {
            let (sk, pk) = pair(kem, 3);
            case.sk_rm = Some(
                kem.serialize_private_key(&sk)
                    .expect("a seed")
                    .as_ref()
                    .into(),
            );
            case.pk_rm = pk.as_ref().into();
        },
    )];
    if case.psk.is_some() {
        cases.push(invalid(case, "another psk", "ModifiedContext", |case| {
            case.psk = Some(Hex(vec![7; 32]))
        }));
        cases.push(invalid(case, "another psk_id", "ModifiedContext", |case| {
            case.psk_id = Some(Hex(vec![7]))
        }));
    }
    if case.pk_sm.is_some() {
        cases.push(invalid(
            case,
            "another sender's public key",
            "ModifiedContext",
            |case| {
                case.pk_sm = Some(pair(kem, 3).1.as_ref().into());
            },
        ));
    }
    cases
}

fn changed_encs(case: &Case, sealing: &Sealing) -> Vec<Case> {
    let enc = &case.enc.0;
    let flipped = |at: usize, bit: u8| {
        let mut bytes = enc.clone();
        bytes[at] ^= bit;
        bytes
    };
    let other = sealing.valid("", 4, [INFO, AAD, PT]).enc.0;
    let mut changed: Vec<Malformed> = vec![
        (other, "enc of another encapsulation", "ModifiedEnc"),
        (
            flipped(1, 1),
            "a bit at the start of enc flipped",
            "ModifiedEnc",
        ),
        (
            flipped(enc.len() - 1, 0x80),
            "the highest bit of the last byte of enc flipped",
            "ModifiedEnc",
        ),
    ];
    changed.extend(malformed::lengths(enc));
    changed.extend(malformed::points(sealing.suite.kem().info(), enc));
    let changed = changed.into_iter();
    changed
        .map(|(enc, comment, flag)| {
            invalid(case, &format!("enc: {comment}"), flag, |case| {
                case.enc = Hex(enc)
            })
        })
        .collect()
}

pub(crate) fn encap_group(ids: [u16; 3]) -> Group {
    let sealing = Sealing::new(ids, 0);
    let case = sealing.valid("a public key", 5, [INFO, AAD, PT]);
    let pk = &case.pk_rm.0;
    let kem = sealing.suite.kem().info();
    let mut changed = malformed::lengths(pk);
    changed.extend(malformed::points(kem, pk));
    changed.extend(malformed::coefficient(kem, pk));
    let changed = changed.into_iter().map(|(pk, comment, flag)| {
        invalid(&case, &format!("pkRm: {comment}"), flag, |case| {
            (case.pk_rm, case.sk_rm) = (Hex(pk), None);
            (case.enc, case.ct) = (Hex::default(), Hex::default());
        })
    });
    let tests = [case.clone()].into_iter().chain(changed).collect();
    group(ids, "HpkeEncapTest", 0, tests)
}

pub(crate) fn sequence_group(ids: [u16; 3]) -> Group {
    const MESSAGES: [(&[u8], &[u8]); 4] = [
        (b"a0", b"zero"),
        (b"a1", b"one"),
        (b"", b""),
        (b"a3", b"three"),
    ];
    let sealing = Sealing::new(ids, 0);
    let (enc, cts) = sealing.seal(&sealing.recipient.1, 6, INFO, &MESSAGES);
    let message = |(number, opens): &(usize, bool)| {
        let (aad, pt) = MESSAGES[*number];
        Message {
            aad: aad.into(),
            ct: Hex(cts[*number].clone()),
            pt: if *opens { pt.into() } else { Hex::default() },
            result: if *opens { "valid" } else { "invalid" }.into(),
        }
    };
    let case = |comment: &str, order: &[(usize, bool)]| {
        let mut case = sealing.case(comment, 6, INFO);
        case.flags = vec!["Sequence".into()];
        case.enc = Hex(enc.clone());
        case.messages = order.iter().map(message).collect();
        case
    };
    let tests = vec![
        case("in order", &[(0, true), (1, true), (2, true), (3, true)]),
        case(
            "the second message first, then in order",
            &[(1, false), (0, true), (1, true)],
        ),
        case(
            "the first message twice",
            &[(0, true), (0, false), (1, true)],
        ),
        case(
            "a message skipped",
            &[(0, true), (2, false), (3, false), (1, true), (2, true)],
        ),
        case("the last message first", &[(3, false), (0, true)]),
    ];
    group(ids, "HpkeSequenceTest", 0, tests)
}

pub(crate) fn matched_data_group(ids: [u16; 3]) -> Group {
    let sealing = Sealing::new(ids, 0);
    let options = SealOptions {
        version: Some(4),
        kdf: Some(ids[1]),
        aead: Some(ids[2]),
        info: INFO,
        with_aad: true,
        policy: everything(),
    };
    let sealer = Sealer::new(&sealing.recipient.1, &options).expect("a suite we have");
    let mut case = sealing.case("a blob", 7, INFO);
    case.flags = vec!["MatchedData".into()];
    (case.aad, case.pt) = (AAD.into(), PT.into());
    case.blob = Some(Hex(sealer
        .seal(AAD, PT, &mut Repeatable::new(7))
        .expect("sealing")
        .clone()));
    let changed = |comment: &str, change: fn(&mut Vec<u8>)| {
        invalid(&case, comment, "MatchedData", |case| {
            case.blob
                .as_mut()
                .map(|blob| change(&mut blob.0))
                .expect("a blob")
        })
    };
    let tests = vec![
        changed("another version", |blob| blob[0] = 5),
        changed("another KDF", |blob| blob[4] ^= 3),
        changed("the id of another key", |blob| blob[7] ^= 1),
        changed("last byte missing", |blob| blob.truncate(blob.len() - 1)),
        changed("a byte appended", |blob| blob.push(0)),
        changed("only the header", |blob| blob.truncate(15)),
        invalid(&case, "another aad", "MatchedData", |case| {
            case.aad.0.push(0)
        }),
        invalid(&case, "another info", "MatchedData", |case| {
            case.info.0.push(0)
        }),
    ];
    group(
        ids,
        "MatchedDataV4Test",
        0,
        [case].into_iter().chain(tests).collect(),
    )
}

fn group(ids: [u16; 3], kind: &str, mode: u8, tests: Vec<Case>) -> Group {
    let suite = suite(ids);
    Group {
        r#type: kind.into(),
        source: Source {
            name: "pqseal".into(),
            version: "0.1.0".into(),
        },
        kem: suite.kem().info().name.into(),
        kem_id: ids[0],
        kdf: suite.kdf().info().name.into(),
        kdf_id: ids[1],
        aead: pqseal_hpke::Aead::info(suite.aead()).name.into(),
        aead_id: ids[2],
        mode,
        tests,
    }
}
